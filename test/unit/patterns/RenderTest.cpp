//===- RenderTest.cpp - messages show the place ---------------------------===//

#include "CardText.h"

#include <gtest/gtest.h>

using namespace jacquard;

namespace {
std::string rendered(const std::string &text, MapLoader loader = {}) {
  Expected<Graph> graph = graphOf(text, std::move(loader));
  return graph ? "no error" : graph.error().render();
}

TEST(Render, TextFormHasLineColumnCaretNoteAndCode) {
  EXPECT_EQ(rendered("pattern p(window: int = 3) {\n"
                     "  keep q - k < windw\n"
                     "}\n"),
            "card:2:16: error: unknown name 'windw' [E0121]\n"
            " 2 |   keep q - k < windw\n"
            "   |                ^~~~~\n"
            "note: did you mean 'window'?\n");
}

TEST(Render, ExpressionInJsonPointsIntoTheFile) {
  EXPECT_EQ(rendered("{\n"
                     "  \"jacquard\": 1,\n"
                     "  \"name\": \"p\",\n"
                     "  \"keep\": \"k <= q and x > 1\"\n"
                     "}\n"),
            "card:4:23: error: unknown name 'x' [E0121]\n"
            " 4 |   \"keep\": \"k <= q and x > 1\"\n"
            "   |                       ^\n");
}

TEST(Render, EscapesInJsonStringsDoNotShiftThePlace) {
  // \u0020 is a space and \t a tab: six and two characters for one each.
  EXPECT_EQ(
      rendered("{\"jacquard\": 1, \"name\": \"p\", "
               "\"keep\": \"k\\u0020<=\\tx\"}"),
      "card:1:50: error: unknown name 'x' [E0121]\n"
      " 1 | {\"jacquard\": 1, \"name\": \"p\", \"keep\": \"k\\u0020<=\\tx\"}\n"
      "   |                                                  ^\n");
}

TEST(Render, DuplicateAndUnknownKeysPointAtTheKey) {
  EXPECT_EQ(rendered("{\"jacquard\": 1,\n \"name\": \"p\",\n \"name\": \"r\"}"),
            "card:3:2: error: the key \"name\" stands twice [E0112]\n"
            " 3 |  \"name\": \"r\"}\n"
            "   |  ^~~~~~\n");
  EXPECT_EQ(rendered("{\"jacquard\": 1, \"kep\": 1}"),
            "card:1:17: error: unknown key \"kep\" in a card [E0116]\n"
            " 1 | {\"jacquard\": 1, \"kep\": 1}\n"
            "   |                 ^~~~~\n"
            "note: did you mean \"keep\"?\n");
}

TEST(Render, AnErrorInACalledCardIsTheCause) {
  MapLoader loader;
  loader.cards["other.jac"] = "pattern other() {\n  keep q < x\n}\n";
  EXPECT_EQ(rendered("pattern p() {\n  uses \"other.jac\"\n  keep other()\n}\n",
                     loader),
            "card:3:8: error: in this call of 'other' [E0127]\n"
            " 3 |   keep other()\n"
            "   |        ^~~~~~~\n"
            "caused by: other.jac:2:12: error: unknown name 'x' [E0121]\n"
            " 2 |   keep q < x\n"
            "   |            ^\n");
}

TEST(Render, WithoutAPlaceOnlyTheMessage) {
  EXPECT_EQ(makeError(ErrorKind::Usage, "E0999", "no", {"yes"}).render(),
            "error: no [E0999]\nnote: yes\n");
}

TEST(Render, LongLinesAreShownAroundThePlace) {
  std::string filler(500, ' ');
  std::string text =
      rendered("pattern p() { " + filler + "keep x" + filler + "}");
  EXPECT_LT(text.size(), 400u);
  EXPECT_NE(text.find("keep x"), std::string::npos);
}

TEST(Render, CaretStandsUnderCharactersNotBytes) {
  std::string text =
      rendered("{\"jacquard\": 1, \"description\": \"\xc3\xa9\xc3\xa9\", "
               "\"name\": 3}");
  // Two characters of two bytes each stand before: columns count bytes, as
  // compilers do, the caret counts characters.
  EXPECT_NE(text.find("card:1:48:"), std::string::npos) << text;
  EXPECT_NE(text.find("   | " + std::string(45, ' ') + "^\n"),
            std::string::npos)
      << text;
}

TEST(Render, ControlCharactersOfACardReachNoTerminal) {
  std::string text = rendered("{\"jacquard\": 1, \"\\u001b[31m\": 1}");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  text = rendered("pattern p() { keep \x1b[31m }");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Render, ThePlaceOfTheEndIsShown) {
  EXPECT_EQ(
      rendered("pattern p() {"),
      "card:1:14: error: expected let, keep, score, sink, align, uses or '}', "
      "got the end [E0101]\n"
      " 1 | pattern p() {\n"
      "   |              ^\n");
}
} // namespace
