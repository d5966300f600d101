//===- ResolveTest.cpp - names, types and calls ---------------------------===//

#include "CardText.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace jacquard;

namespace {
TEST(Resolve, AbsentPartsMeanEveryPairAndTheLogit) {
  Graph graph = goodGraph("pattern p() {}");
  EXPECT_EQ(printExpression(graph, graph.keep), "true");
  EXPECT_EQ(graph[graph.score].op, Op::Logit);
  EXPECT_FALSE(graph.sink);
  EXPECT_EQ(graph.align, Align::Unset);
}

TEST(Resolve, EqualExpressionsAreOneNode) {
  Graph graph =
      goodGraph("pattern p() {\n  let d = q - k\n"
                "  keep d < 3 and q - k > 0 - 3\n  score s + (q - k)\n}");
  int differences = 0;
  for (const Node &node : graph.nodes())
    differences += node.op == Op::Sub;
  EXPECT_EQ(differences, 1);
}

TEST(Resolve, OnlyIntsBecomeFloats) {
  Graph graph = goodGraph("pattern p() { score s - 2 * (q - k) }");
  bool found = false;
  for (const Node &node : graph.nodes())
    if (node.op == Op::ToFloat && graph[node.operands[0]].type == Scalar::Int)
      found = true;
  EXPECT_TRUE(found);
  EXPECT_EQ(graph[graph.score].type, Scalar::Float);
  // An int is a score too.
  EXPECT_EQ(goodGraph("pattern p() { score q }")[0].op != Op::ToFloat, true);
}

TEST(Resolve, GreaterFormsSwapTheirOperands) {
  EXPECT_EQ(keepOf("pattern p() { keep q > k }"),
            keepOf("pattern p() { keep k < q }"));
  EXPECT_EQ(keepOf("pattern p() { keep q >= k }"),
            keepOf("pattern p() { keep k <= q }"));
}

TEST(Resolve, BoolsAreComparedAndChosenByLogic) {
  std::string card = "pattern p(f: bool = true) { keep ";
  EXPECT_EQ(keepOf(card + "where(f, q < k, k < 3) }"),
            keepOf(card + "f and q < k or not f and k < 3 }"));
  EXPECT_EQ(keepOf(card + "f == (q < k) }"),
            keepOf(card + "f and q < k or not f and not (q < k) }"));
  EXPECT_EQ(keepOf(card + "f != (q < k) }"),
            keepOf(card + "f and not (q < k) or not f and q < k }"));
}

TEST(Resolve, ATensorWithoutAxesIsReadByItsName) {
  EXPECT_EQ(scoreOf("pattern p(t: float[]) { score s * t }"), "s * t");
}

TEST(Resolve, ALetOfTheScoreMayReadTheLogit) {
  EXPECT_EQ(
      scoreOf("pattern p() {\n  let bent = tanh(s)\n  let twice = bent * 2.0\n"
              "  keep k <= q\n  score twice\n}"),
      "tanh(s) * 2.0");
}

TEST(Resolve, ACallInKeepIsTheCalleesKeep) {
  EXPECT_EQ(keepOf("pattern p() { keep causal() and k < 9 }"),
            "k <= q and k < 9");
  EXPECT_EQ(keepOf("pattern p() { keep soft_cap() }"), "true");
  // In a let too, also where the let is read by the score.
  EXPECT_EQ(
      keepOf("pattern p() { let c = causal() keep c score where(c, s, 0.0) }"),
      "k <= q");
}

TEST(Resolve, ACallInScoreIsTheCalleesScoreOfItsLogit) {
  std::string score = scoreOf("pattern p() { score soft_cap(cap = 20.0) }");
  EXPECT_EQ(score, "20.0 * tanh(s / 20.0)");
  EXPECT_EQ(
      scoreOf(
          "pattern p(t: float[heads]) { score soft_cap(20, s = s * t[h]) }"),
      "20.0 * tanh(s * t[h] / 20.0)");
  EXPECT_EQ(scoreOf("pattern p(a: float[heads], t: float[heads]) {\n"
                    "  score alibi(slope = a, s = temperature(t))\n}"),
            "s * t[h] - a[h] * (q - k)");
  EXPECT_EQ(scoreOf("pattern p() { score causal() }"), "s");
}

TEST(Resolve, ArgumentsArePositionalOrNamedAndDefaultsAreConstants) {
  EXPECT_EQ(keepOf("pattern p(n: int = 1 min 0) { keep window(n, right = 2) }"),
            "q - n <= k and k <= q + 2");
  EXPECT_EQ(keepOf("pattern p() { keep window() }"),
            "q - 1023 <= k and k <= q");
  EXPECT_EQ(
      keepOf(
          "pattern p(own: int[batch, k_len] sorted) { keep documents(own) }"),
      "k <= q and own[b, q] == own[b, k]");
  EXPECT_EQ(keepOf("pattern p(mine: blocks(q_block = 8, k_block = 8)) {\n"
                   "  keep block_list(mine)\n}"),
            "mine");
}

TEST(Resolve, ComputedArgumentsAreClampedToTheCalleesLimits) {
  EXPECT_EQ(keepOf("pattern p(n: int = 1) { keep block_causal(n) }"),
            "k // max(n, 1) <= q // max(n, 1)");
  EXPECT_EQ(keepOf("pattern p(n: int = 1 min 1) { keep block_causal(n) }"),
            "k // n <= q // n");
  EXPECT_EQ(keepOf("pattern p() { keep window(h, 0) }"),
            "q - max(h, 0) <= k and k <= q");
}

TEST(Resolve, OtherCardsAreFoundByUses) {
  MapLoader loader;
  loader.cards["near.jac"] = "pattern near(d: int = 4) { keep abs(q - k) < d }";
  EXPECT_EQ(
      keepOf("pattern p() { uses \"near.jac\" keep near(7) and causal() }",
             loader),
      "abs(q - k) < 7 and k <= q");
  EXPECT_EQ(codeOf("pattern p() { keep near(7) }", loader), "E0121");
}

// A card of the user may bear a library card's name; the library's own calls
// still mean the library.
TEST(Resolve, LibraryCardsCallTheLibrary) {
  EXPECT_EQ(keepOf("pattern causal() { keep window_sink(8, 2) }"),
            "k <= q and (q - k < 8 or k < 2)");
  EXPECT_EQ(codeOf("pattern causal() { keep causal() }"), "E0128");
}

TEST(Resolve, FilesAreFoundBesideTheCard) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(testing::TempDir()) / "jacquard_resolve_test";
  fs::create_directories(folder / "deep");
  std::ofstream(folder / "aa.jac")
      << "pattern aa() { uses \"deep/bb.json\" keep bb() }";
  std::ofstream(folder / "deep" / "bb.json")
      << "{\"jacquard\": 1, \"name\": \"bb\", \"uses\": [\"../cc.jac\"], "
         "\"keep\": \"cc() and k < 5\"}";
  std::ofstream(folder / "cc.jac") << "pattern cc() { keep k <= q }";
  Expected<Ast> ast = parseCard((folder / "p.jac").string(),
                                "pattern p() { uses \"./aa.jac\" keep aa() }");
  ASSERT_TRUE(ast);
  std::unique_ptr<CardLoader> loader = fileLoader();
  Expected<Graph> graph = resolve(*ast, *loader);
  ASSERT_TRUE(graph) << graph.error().render();
  EXPECT_EQ(printExpression(*graph, graph->keep), "k <= q and k < 5");

  for (const char *bad : {"missing.jac", "deep", "/dev/zero", "a"}) {
    ast = parseCard((folder / "p.jac").string(), "pattern p() { uses \"" +
                                                     std::string(bad) +
                                                     "\" keep k < 2 }");
    ASSERT_TRUE(ast);
    graph = resolve(*ast, *loader);
    ASSERT_FALSE(graph) << bad;
    EXPECT_EQ(graph.error().code, "E0127");
  }
  fs::remove_all(folder);
}

TEST(Resolve, AlignOfACalledCardMustBeTheCallers) {
  MapLoader loader;
  loader.cards["tail.jac"] =
      "pattern tail() { align bottom_right keep k <= q }";
  std::string rest = "uses \"tail.jac\" keep tail() }";
  EXPECT_EQ(codeOf("pattern p() { " + rest, loader), "E0129");
  EXPECT_EQ(codeOf("pattern p() { align top_left " + rest, loader), "E0129");
  EXPECT_EQ(codeOf("pattern p() { align bottom_right " + rest, loader), "");
}

TEST(Resolve, ASinkCountsAsRead) {
  Graph graph = goodGraph("pattern p(t: float[heads] grad) { sink t }");
  ASSERT_TRUE(graph.sink);
  EXPECT_EQ(*graph.sink, 0u);
}

TEST(Resolve, BlockSizesCountAsReads) {
  Graph graph = goodGraph("pattern p(n: int = 64 min 1, t: blocks(q_block = n, "
                          "k_block = 32)) { keep t }");
  EXPECT_EQ(graph.selections[0].qBlock.param, 0u);
  EXPECT_EQ(graph.selections[0].kBlock.literal, 32);
}

TEST(Resolve, PlacesOfNodesLeadIntoTheCard) {
  std::string card = "pattern p() { keep q - k < 12 }";
  Graph graph = goodGraph(card);
  SourceSpan where = graph[graph.keep].where;
  EXPECT_EQ(card.substr(where.begin, where.end - where.begin), "q - k < 12");
}
} // namespace
