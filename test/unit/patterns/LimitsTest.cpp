//===- LimitsTest.cpp - hostile cards get an error, at once ---------------===//

#include "CardText.h"

#include <gtest/gtest.h>

#include <chrono>

using namespace jacquard;

namespace {
std::string repeat(const std::string &what, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i)
    text += what;
  return text;
}

/// Milliseconds that reading a card takes, the best of a few.
double millisecondsOf(const std::string &text, std::string &code) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    auto start = std::chrono::steady_clock::now();
    code = codeOf(text);
    std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count());
  }
  return best;
}

// A million openings fit in a card; each is refused where the limit is passed.
TEST(Limits, NestingAMillionDeepIsAnErrorInTenMilliseconds) {
  constexpr size_t deep = 1'000'000;
  std::string head = "pattern p() { keep ";
  for (const std::string &open : {std::string("("), std::string("-")}) {
    std::string code;
    EXPECT_LT(millisecondsOf(head + repeat(open, deep), code), 10) << open;
    EXPECT_EQ(code, "E0103") << open;
  }
  for (const std::string &open : {std::string("not "), std::string("f("),
                                  std::string("t["), std::string("q+(")}) {
    std::string code;
    EXPECT_LT(millisecondsOf(head + repeat(open, deep / open.size()), code), 10)
        << open;
    EXPECT_EQ(code, "E0103") << open;
  }
  for (const std::string &open : {std::string("["), std::string("{\"a\":")}) {
    std::string code;
    EXPECT_LT(
        millisecondsOf("{\"a\":" + repeat(open, deep / open.size()), code), 10)
        << open;
    EXPECT_EQ(code, "E0103") << open;
  }
}

TEST(Limits, NestingUpTo128Works) {
  EXPECT_EQ(codeOf("pattern p() { keep " + repeat("(", 128) + "q < k" +
                   repeat(")", 128) + " }"),
            "");
  EXPECT_EQ(codeOf("pattern p() { keep " + repeat("(", 129) + "q < k" +
                   repeat(")", 129) + " }"),
            "E0103");
}

TEST(Limits, ChainsOfAThousandTermsWorkAndLongerOnesDoNot) {
  EXPECT_EQ(codeOf("pattern p() { keep q" + repeat(" + k", 1000) + " > 0 }"),
            "");
  EXPECT_EQ(codeOf("pattern p() { keep q" + repeat(" + k", 100000) + " > 0 }"),
            "E0103");
}

TEST(Limits, ACardOfOneMebibyteIsTheLargest) {
  std::string card = "pattern p() { keep q < k }";
  EXPECT_EQ(codeOf(card + std::string((1 << 20) - card.size(), ' ')), "");
  EXPECT_EQ(codeOf(card + std::string((1 << 20) - card.size() + 1, ' ')),
            "E0117");
}

TEST(Limits, DoublingALetFortyTimesIsCheap) {
  std::string card = "pattern p() {\n  let x0 = q - k\n";
  for (int i = 1; i <= 40; ++i) {
    std::string before = "x" + std::to_string(i - 1);
    card +=
        "  let x" + std::to_string(i) + " = " + before + " + " + before + "\n";
  }
  std::string code;
  EXPECT_LT(millisecondsOf(card + "  keep x40 > 0\n}\n", code), 10);
  EXPECT_EQ(code, "");
  Graph graph = goodGraph(card + "  keep x40 > 0\n}\n");
  EXPECT_LT(graph.nodes().size(), 60u);
  EXPECT_EQ(digest(graph).size(), 64u);
}

TEST(Limits, MoreThan4096NodesAreRefused) {
  std::string card = "pattern p() {\n";
  std::string sum = "q";
  for (int i = 0; i < 800; ++i) {
    card += "  let x" + std::to_string(i) + " = (q + " + std::to_string(i + 2) +
            ") * (k + " + std::to_string(i + 2) + ") % " +
            std::to_string(i + 3) + " // 7\n";
    sum += " + x" + std::to_string(i);
  }
  EXPECT_EQ(codeOf(card + "  keep " + sum + " > 0\n}\n"), "E0118");
}

TEST(Limits, TooManyDeclarationsAreRefused) {
  std::string declarations, reads;
  for (int i = 0; i < 1025; ++i)
    declarations += (i ? ", n" : "n") + std::to_string(i) + ": int";
  EXPECT_EQ(codeOf("pattern p(" + declarations + ") { keep q < n0 }"), "E0117");
}

// Every key is new, so that looking for a second one must not be a walk over
// all.
TEST(Limits, ManyKeysAreReadInLinearTime) {
  std::string card = "{\"jacquard\": 1, \"name\": \"p\", \"params\": {";
  for (int i = 0; i < 70000; ++i)
    card += (i ? ",\"" : "\"") + std::to_string(i) + "\":{}";
  std::string code;
  EXPECT_LT(millisecondsOf(card + "}}", code), 500);
  EXPECT_EQ(code, "E0113");
}

// Sixteen cards, each calling the next one four times: 4^16 expansions of few
// nodes.
TEST(Limits, CallsThatMultiplyAreRefused) {
  MapLoader loader;
  for (int i = 0; i < 16; ++i) {
    std::string own = "c" + std::to_string(i),
                next = "c" + std::to_string(i + 1);
    std::string call = i == 15 ? "q < k" : next + "()";
    loader.cards[own + ".jac"] =
        "pattern " + own + "() {\n" +
        (i == 15 ? std::string() : "  uses \"" + next + ".jac\"\n") +
        "  keep " + call + " and " + call + " and " + call + " and " + call +
        "\n}\n";
  }
  Expected<Graph> graph =
      graphOf("pattern p() { uses \"c0.jac\" keep c0() }", loader);
  ASSERT_FALSE(graph);
  const Error *last = &graph.error();
  while (last->cause)
    last = last->cause.get();
  EXPECT_TRUE(last->code == "E0118" || last->code == "E0128") << last->render();
}

TEST(Limits, CirclesOfCardsAreFound) {
  MapLoader loader;
  loader.cards["aa.jac"] = "pattern aa() { uses \"bb.jac\" keep bb() }";
  loader.cards["bb.jac"] = "pattern bb() { uses \"aa.jac\" keep aa() }";
  Expected<Graph> graph =
      graphOf("pattern p() { uses \"aa.jac\" keep aa() }", loader);
  ASSERT_FALSE(graph);
  const Error *last = &graph.error();
  while (last->cause)
    last = last->cause.get();
  EXPECT_EQ(last->code, "E0128");
  EXPECT_NE(last->message.find("aa -> bb -> aa"), std::string::npos)
      << last->render();
}

TEST(Limits, EveryPrefixOfALibraryCardIsReadWithoutHarm) {
  for (std::string_view name : libraryNames()) {
    std::string text(libraryCard(name));
    Expected<Ast> ast = parseCard("card", text);
    ASSERT_TRUE(ast);
    for (const std::string &form : {text, printText(*ast)})
      for (size_t length = 0; length + 2 < form.size(); ++length)
        ASSERT_FALSE(parseCard("card", form.substr(0, length))) << length;
  }
}
} // namespace
