//===- SpellingsTest.cpp - JSON and text say the same ---------------------===//

#include "CardText.h"
#include "RandomAst.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace jacquard;

namespace {
void expectLossless(const Ast &ast) {
  std::string text = printText(ast), json = printJson(ast);
  Expected<Ast> fromText = parseCard("text", text);
  ASSERT_TRUE(fromText) << fromText.error().render() << text;
  EXPECT_EQ(difference(ast, *fromText), "") << text;
  Expected<Ast> fromJson = parseCard("json", json);
  ASSERT_TRUE(fromJson) << fromJson.error().render() << json;
  EXPECT_EQ(difference(ast, *fromJson), "") << json;
  // Crosswise, and stable: a second print changes nothing.
  EXPECT_EQ(printJson(*fromText), json);
  EXPECT_EQ(printText(*fromJson), text);
  EXPECT_EQ(printText(*fromText), text);
  EXPECT_EQ(printJson(*fromJson), json);
}

TEST(Spellings, RandomCardsSurviveEitherWay) {
  const char *given = std::getenv("TEST_SEED");
  uint64_t seed =
      given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  std::mt19937_64 random(seed);
  for (int i = 0; i < 5000; ++i) {
    SCOPED_TRACE("TEST_SEED=" + std::to_string(seed) + ", card " +
                 std::to_string(i));
    expectLossless(randomAst(random));
    if (HasFailure())
      return;
  }
}

TEST(Spellings, LibraryCardsSurviveEitherWay) {
  for (std::string_view name : libraryNames()) {
    SCOPED_TRACE(name);
    Expected<Ast> ast =
        parseCard(std::string(name), std::string(libraryCard(name)));
    ASSERT_TRUE(ast) << ast.error().render();
    expectLossless(*ast);
  }
}

std::string reprinted(const std::string &expression) {
  Expected<Ast> ast =
      parseCard("card", "pattern p() { keep " + expression + " }");
  return ast ? printExpr(*ast, ast->keep) : ast.error().render();
}

TEST(Spellings, OnlyNeededParenthesesArePrinted) {
  EXPECT_EQ(reprinted("((q)) - (k) < ((3))"), "q - k < 3");
  EXPECT_EQ(reprinted("q - (k - 1) < 3"), "q - (k - 1) < 3");
  EXPECT_EQ(reprinted("(q - k) - 1 < 3"), "q - k - 1 < 3");
  EXPECT_EQ(reprinted("(a and b) or c"), "a and b or c");
  EXPECT_EQ(reprinted("a and (b or c)"), "a and (b or c)");
  EXPECT_EQ(reprinted("not (a) and not (b or c)"), "not a and not (b or c)");
  EXPECT_EQ(reprinted("(not a) == b"), "(not a) == b");
  EXPECT_EQ(reprinted("-(q * k) < -(-3)"), "-(q * k) < --3");
  EXPECT_EQ(reprinted("(-q) * k < 1"), "-q * k < 1");
  EXPECT_EQ(reprinted("(q < k) == (k < q)"), "(q < k) == (k < q)");
  EXPECT_EQ(reprinted("t[(q), f(n = (k))] // 2 % 3 == 1"),
            "t[q, f(n = k)] // 2 % 3 == 1");
}

TEST(Spellings, PrecedenceIsAsDocumented) {
  auto graph = [](const std::string &keep) {
    return keepOf("pattern p() { keep " + keep + " }");
  };
  EXPECT_EQ(graph("not q < k and k < 3 or q == 1 + 2 * k"),
            graph("((not (q < k)) and (k < 3)) or (q == (1 + (2 * k)))"));
  EXPECT_EQ(graph("-q // 2 * k % 5 - 1 - k < 0"),
            graph("(((((-q) // 2) * k) % 5) - 1) - k < 0"));
}

TEST(Spellings, TheSpellingIsTakenFromTheFirstCharacter) {
  EXPECT_EQ(codeOf("  \n{\"jacquard\": 1, \"name\": \"p\"}"), "");
  EXPECT_EQ(codeOf("\n# what it is\npattern p() {}"), "");
  EXPECT_EQ(codeOf("\xef\xbb\xbf{\"jacquard\": 1, \"name\": \"p\"}"), "");
}

TEST(Spellings, CommentLinesBeforeThePatternAreItsDescription) {
  Graph graph =
      goodGraph("# One.\r\n#   Two.\n\npattern p() {\n  # not this\n}\n");
  EXPECT_EQ(graph.description, "One.\n  Two.");
}

TEST(Spellings, TheReadmesExampleIsOneCardInBothSpellings) {
  std::ifstream file(JACQUARD_SOURCE_DIR "/patterns/README.md");
  std::stringstream stream;
  stream << file.rdbuf();
  std::string readme = stream.str();
  auto block = [&](const std::string &opening) {
    size_t begin = readme.find(opening) + opening.find('\n') + 1;
    return readme.substr(begin, readme.find("```", begin) - begin);
  };
  std::string text = block("```\n# Causal within"), json = block("```json\n{");
  Expected<Ast> fromText = parseCard("text", text),
                fromJson = parseCard("json", json);
  ASSERT_TRUE(fromText) << fromText.error().render();
  ASSERT_TRUE(fromJson) << fromJson.error().render();
  EXPECT_EQ(difference(*fromText, *fromJson), "");
  EXPECT_EQ(digest(goodGraph(text)),
            digest(goodGraph(std::string(libraryCard("window_sink")))));
}

TEST(Spellings, DeclarationsKeepTheirOrder) {
  Graph graph =
      goodGraph("{\"jacquard\": 1, \"name\": \"p\", \"params\": {"
                "\"z\": {\"type\": \"int\"}, \"a\": {\"type\": \"int\"}},"
                "\"keep\": \"q - k < a + z\"}");
  ASSERT_EQ(graph.params.size(), 2u);
  EXPECT_EQ(graph.params[0].name, "z");
  EXPECT_EQ(graph.params[1].name, "a");
}
} // namespace
