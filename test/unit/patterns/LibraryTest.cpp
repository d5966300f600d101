//===- LibraryTest.cpp - every card means what its definition says --------===//

#include "../analysis/RandomPattern.h"
#include "CardText.h"
#include "DenseDefinition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

using namespace jacquard;

namespace {
Graph libraryGraph(const std::string &name) {
  return goodGraph(std::string(libraryCard(name)));
}

/// Small parameters, and bits where a card reads bits, so that every case
/// occurs in a small problem.
OwnedBindings smallBindings(const Graph &graph, Random &random) {
  OwnedBindings owned = randomBindings(graph, random, 90);
  for (size_t i = 0; i < graph.params.size(); ++i) {
    int64_t least =
        static_cast<int64_t>(std::ceil(graph.params[i].min.value_or(0)));
    int64_t value = pick(random, least, least + 9);
    owned.bindings.params[i] = {value, static_cast<double>(value)};
  }
  if (graph.name == "bitmap")
    for (int32_t &word : owned.ints[0])
      word = static_cast<int32_t>(random());
  if (graph.name == "block_mask" || graph.name == "vertical_slash" ||
      graph.name == "variable_blocks")
    for (std::vector<int32_t> &data : owned.ints)
      if (graph.name != "variable_blocks" || &data == &owned.ints.back())
        for (int32_t &word : data)
          word = pick(random, 0, 3) == 0;
  return owned;
}

class Library : public testing::TestWithParam<std::string> {};

TEST_P(Library, MatchesItsDenseDefinition) {
  auto found = denseDefinitions().find(GetParam());
  ASSERT_NE(found, denseDefinitions().end())
      << "has no definition in the tests";
  const DenseDefinition &definition = found->second;
  Graph graph = libraryGraph(GetParam());
  const char *given = std::getenv("TEST_SEED");
  uint64_t seed =
      given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
  Random random(seed);
  bool kept = false, dropped = false;
  for (int round = 0; round < 12; ++round) {
    OwnedBindings owned = smallBindings(graph, random);
    const Bindings &bindings = owned.bindings;
    Evaluator evaluator(graph, bindings);
    for (int64_t b = 0; b < bindings.shape.batch; ++b)
      for (int64_t h = 0; h < bindings.shape.heads; ++h) {
        evaluator.setHead(b, h);
        for (int64_t row = 0; row < bindings.shape.qLen; ++row) {
          evaluator.setRow(row);
          for (int64_t k = 0; k < bindings.shape.kLen; ++k) {
            double s = static_cast<double>(pick(random, -800, 800)) / 16;
            Pair pair{graph, bindings, b, h, row, k, s};
            evaluator.setKey(k);
            evaluator.setLogit(s);
            bool keep = evaluator.evalBool(graph.keep);
            (keep ? kept : dropped) = true;
            ASSERT_EQ(keep, !definition.keep || definition.keep(pair))
                << "b " << b << " h " << h << " row " << row << " q "
                << pair.q() << " k " << k << " round " << round;
            double score = definition.score ? definition.score(pair) : s;
            ASSERT_NEAR(evaluator.evalFloat(graph.score), score,
                        1e-12 * (1 + std::fabs(score)));
          }
        }
      }
  }
  // The comparison saw both kinds of pairs.
  EXPECT_TRUE(kept);
  EXPECT_EQ(dropped, bool(definition.keep));
}

TEST_P(Library, HasOneLineOfDescriptionAndDefaults) {
  Graph graph = libraryGraph(GetParam());
  EXPECT_EQ(graph.name, GetParam());
  EXPECT_GT(graph.description.size(), 10u);
  EXPECT_EQ(graph.description.find('\n'), std::string::npos);
  EXPECT_EQ(graph.description.back(), '.');
  for (const Param &param : graph.params) {
    EXPECT_TRUE(param.defaultValue) << param.name;
    EXPECT_TRUE(param.min) << param.name;
  }
}

TEST_P(Library, RunsAsItIsWhereItNeedsNoData) {
  Graph graph = libraryGraph(GetParam());
  if (!graph.tensors.empty() || !graph.selections.empty())
    GTEST_SKIP() << "needs tensors";
  Bindings bindings;
  bindings.shape.heads = bindings.shape.kvHeads = 4;
  bindings.shape.qLen = bindings.shape.kLen = 100;
  for (const Param &param : graph.params)
    bindings.params.push_back(
        {static_cast<int64_t>(*param.defaultValue), *param.defaultValue});
  Status status =
      resolveBindings(graph, bindings, Align::Unset, /*checked=*/true);
  EXPECT_TRUE(status) << status.error().render();
}

std::vector<std::string> allNames() {
  std::vector<std::string> names;
  for (std::string_view name : libraryNames())
    names.emplace_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cards, Library, testing::ValuesIn(allNames()),
                         [](const auto &info) { return info.param; });

TEST(LibraryList, EveryDefinedPatternIsThere) {
  for (const auto &[name, definition] : denseDefinitions())
    EXPECT_FALSE(libraryCard(name).empty()) << name;
  EXPECT_EQ(libraryNames().size(), denseDefinitions().size());
  EXPECT_TRUE(libraryCard("no_such_card").empty());
}

TEST(LibraryList, TheReadmeListsEveryCardWithItsDefinition) {
  std::ifstream file(JACQUARD_SOURCE_DIR "/patterns/README.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const std::string &name : allNames()) {
    Graph graph = libraryGraph(name);
    EXPECT_NE(text.str().find("| `" + name + "` |"), std::string::npos) << name;
    EXPECT_NE(text.str().find("| " + graph.description + " |"),
              std::string::npos)
        << name << ": " << graph.description;
  }
}

TEST(LibraryList, LearnedDataHasGradients) {
  for (const char *name :
       {"alibi", "relative_bias", "pair_bias", "temperature", "learned_sink"}) {
    Graph graph = libraryGraph(name);
    ASSERT_EQ(graph.tensors.size(), 1u) << name;
    EXPECT_TRUE(graph.tensors[0].grad) << name;
  }
  EXPECT_TRUE(libraryGraph("learned_sink").sink);
}
} // namespace
