//===- TileFormTest.cpp - tiles against every pair ------------------------===//
//
// Brute force over all pairs of small problems: no kept pair is skipped, no
// tile with a masked pair is called full, and no tile is called partial that is
// not. Exactness is not needed for results, but lost without a sign: only speed
// shows it.
//
//===----------------------------------------------------------------------===//

#include "RandomPattern.h"

#include "patterns/Ast.h"
#include "patterns/TileForm.h"

#include <gtest/gtest.h>

#include <map>

using namespace jacquard;

namespace {
uint64_t seedOfRun() {
  static uint64_t seed = [] {
    const char *given = std::getenv("TEST_SEED");
    return given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  }();
  return seed;
}

/// Exact class of a tile by its pairs.
TileClass classOf(Evaluator &evaluator, NodeId keep, int64_t row0, int64_t row1,
                  int64_t k0, int64_t k1) {
  bool kept = false, dropped = false;
  for (int64_t row = row0; row < row1; ++row) {
    evaluator.setRow(row);
    for (int64_t k = k0; k < k1; ++k) {
      evaluator.setKey(k);
      (evaluator.evalBool(keep) ? kept : dropped) = true;
    }
  }
  return !kept     ? TileClass::Skip
         : dropped ? TileClass::Partial
                   : TileClass::Full;
}

/// Compares the runs of every block of every head with the pairs.
void compare(const Graph &graph, const Bindings &bindings, TileSize tile,
             Walk walk, const std::string &what) {
  SCOPED_TRACE(what +
               (walk == Walk::Keys ? ", walking keys" : ", walking queries"));
  TileForm form = analyzeTiles(graph, walk);
  TileFinder finder(form, bindings, tile);
  Evaluator evaluator(graph, bindings);
  const ProblemShape &shape = bindings.shape;
  bool overKeys = walk == Walk::Keys;
  int64_t ownLen = overKeys ? shape.qLen : shape.kLen;
  int64_t walkLen = overKeys ? shape.kLen : shape.qLen;
  int64_t ownSize = overKeys ? tile.rows : tile.keys;
  int64_t walkSize = overKeys ? tile.keys : tile.rows;
  int64_t blocks = (ownLen + ownSize - 1) / ownSize;
  int64_t tiles = (walkLen + walkSize - 1) / walkSize;
  std::vector<TileRun> runs;
  for (int64_t b = 0; b < shape.batch; ++b)
    for (int64_t h = 0; h < shape.heads; ++h) {
      evaluator.setHead(b, h);
      for (int64_t block = 0; block < blocks; ++block) {
        finder.runs(b, h, block, runs);
        std::vector<TileClass> found(tiles, TileClass::Skip);
        int64_t last = 0;
        for (const TileRun &run : runs) {
          ASSERT_LE(last, run.begin);
          ASSERT_LT(run.begin, run.end);
          ASSERT_LE(run.end, tiles);
          // Equal neighbours are one run.
          ASSERT_TRUE(&run == &runs.front() || last < run.begin ||
                      (&run)[-1].full != run.full);
          last = run.end;
          for (int64_t t = run.begin; t < run.end; ++t)
            found[t] = run.full ? TileClass::Full : TileClass::Partial;
        }
        for (int64_t t = 0; t < tiles; ++t) {
          int64_t own0 = block * ownSize,
                  own1 = std::min(own0 + ownSize, ownLen);
          int64_t w0 = t * walkSize, w1 = std::min(w0 + walkSize, walkLen);
          TileClass real =
              overKeys ? classOf(evaluator, graph.keep, own0, own1, w0, w1)
                       : classOf(evaluator, graph.keep, w0, w1, own0, own1);
          if (found[t] != real) {
            FAIL() << "keep " << printExpression(graph, graph.keep)
                   << "\nsource " << static_cast<int>(form.source) << " "
                   << form.formula() << "\nb " << b << " h " << h << " block "
                   << block << " tile " << t << " of " << tile.rows << "x"
                   << tile.keys << " q_len " << shape.qLen << " k_len "
                   << shape.kLen << " offset " << shape.qOffsetOf(b)
                   << ": found " << static_cast<int>(found[t]) << ", is "
                   << static_cast<int>(real);
          }
        }
      }
    }
}

TEST(TileForm, RandomPatternsAreExact) {
  Random random(seedOfRun());
  for (int i = 0; i < 4000 && !HasFatalFailure(); ++i) {
    Graph graph = randomGraph(random);
    // Long ones now and then: pairs grow with the square.
    OwnedBindings owned = randomBindings(graph, random, i % 40 == 0 ? 300 : 70);
    TileSize tile{pick(random, 1, 40), pick(random, 1, 40)};
    for (Walk walk : {Walk::Keys, Walk::Queries})
      compare(graph, owned.bindings, tile, walk,
              "seed " + std::to_string(seedOfRun()) + ", pattern " +
                  std::to_string(i));
  }
}

Graph libraryGraph(std::string_view name) {
  Expected<Ast> ast =
      parseCard(std::string(name), std::string(libraryCard(name)));
  EXPECT_TRUE(ast) << ast.error().render();
  std::unique_ptr<CardLoader> loader = fileLoader();
  Expected<Graph> graph = resolve(*ast, *loader);
  EXPECT_TRUE(graph) << graph.error().render();
  return std::move(*graph);
}

TEST(TileForm, LibraryIsExact) {
  Random random(seedOfRun());
  for (std::string_view name : libraryNames()) {
    Graph graph = libraryGraph(name);
    for (int i = 0; i < 12; ++i) {
      OwnedBindings owned = randomBindings(graph, random, i == 0 ? 300 : 150);
      TileSize tile{pick(random, 1, 64), pick(random, 1, 64)};
      for (Walk walk : {Walk::Keys, Walk::Queries})
        compare(graph, owned.bindings, tile, walk,
                std::string(name) + ", seed " + std::to_string(seedOfRun()));
      if (HasFatalFailure())
        return;
    }
  }
}

TEST(TileForm, EveryCardKeepsItsSource) {
  // Of keys, and of queries. A card that leaves the first group lost speed.
  const std::map<std::string_view, TileSource> sources = {
      {"a_shape", TileSource::Interval},
      {"alibi", TileSource::Interval},
      {"block_causal", TileSource::Interval},
      {"block_diagonal", TileSource::Interval},
      {"block_diffusion", TileSource::Interval},
      {"causal", TileSource::Interval},
      {"chunked", TileSource::Interval},
      {"compressed_keys", TileSource::Interval},
      {"full", TileSource::Interval},
      {"global_tokens", TileSource::Interval},
      {"head_mixture", TileSource::Interval},
      {"learned_sink", TileSource::Interval},
      {"padding", TileSource::Interval},
      {"pair_bias", TileSource::Interval},
      {"prefix_lm", TileSource::Interval},
      {"relative_bias", TileSource::Interval},
      {"soft_cap", TileSource::Interval},
      {"temperature", TileSource::Interval},
      {"window", TileSource::Interval},
      {"window_sink", TileSource::Interval},
      {"column_intervals", TileSource::Bounds},
      {"documents", TileSource::Bounds},
      {"frame_window", TileSource::Bounds},
      {"row_intervals", TileSource::Bounds},
      {"shared_prefix", TileSource::Bounds},
      {"strided", TileSource::Bounds},
      {"token_window", TileSource::Bounds},
      {"tree", TileSource::Bounds},
      {"bigbird", TileSource::List},
      {"bitmap", TileSource::List},
      {"block_list", TileSource::List},
      {"block_mask", TileSource::List},
      {"dilated", TileSource::List},
      {"neighborhood_2d", TileSource::List},
      {"neighborhood_3d", TileSource::List},
      {"tiled_window", TileSource::List},
      {"token_block_list", TileSource::List},
      {"variable_blocks", TileSource::List},
      {"vertical_slash", TileSource::List},
  };
  for (std::string_view name : libraryNames()) {
    auto expected = sources.find(name);
    ASSERT_NE(expected, sources.end()) << name << " is not in the table";
    for (Walk walk : {Walk::Keys, Walk::Queries}) {
      TileForm form = analyzeTiles(libraryGraph(name), walk);
      EXPECT_EQ(form.source, expected->second) << name << ": " << form.reason;
      EXPECT_FALSE(form.reason.empty()) << name;
      EXPECT_EQ(form.formula().empty(), form.source != TileSource::Interval)
          << name;
    }
  }
}

/// All blocks of one head, with one int parameter.
void compareWith(const Graph &graph, int64_t value) {
  Random random(seedOfRun());
  Bindings bindings;
  bindings.shape = {1, 1, 1, 90, 70, {}, {}, {-3}};
  bindings.params = {{value, static_cast<double>(value)}};
  for (TileSize tile : {TileSize{16, 16}, {7, 20}, {30, 4}})
    for (Walk walk : {Walk::Keys, Walk::Queries})
      compare(graph, bindings, tile, walk, "p " + std::to_string(value));
}

TEST(TileForm, WindowsOfNothingTouchNoTile) {
  // The parameter has no limits: the width is not known to be positive.
  Graph graph;
  graph.params.resize(1);
  graph.params[0].name = "p";
  NodeId q = graph.leaf(Op::Query), k = graph.leaf(Op::Key);
  NodeId window = graph.make(
      Op::Less, {graph.make(Op::Sub, {q, k}), graph.make(Op::Param, {}, 0)});
  graph.keep = graph.make(Op::And, {graph.make(Op::LessEqual, {k, q}), window});
  EXPECT_EQ(analyzeTiles(graph, Walk::Keys).source, TileSource::Interval);
  for (int64_t value : {-5, 0, 1, 2, 40})
    compareWith(graph, value);
}

TEST(TileForm, ThresholdsPast64BitsMisleadNothing) {
  // k // p // p // p < p, solved for k, is k < p * p * p * p.
  for (bool constant : {false, true}) {
    Graph graph;
    graph.params.resize(1);
    graph.params[0].name = "p";
    graph.params[0].min = 1;
    NodeId p =
        constant ? graph.integer(2000000000) : graph.make(Op::Param, {}, 0);
    for (Op walked : {Op::Key, Op::Query}) {
      NodeId quotient = graph.leaf(walked);
      for (int i = 0; i < 3; ++i)
        quotient = graph.make(Op::FloorDiv, {quotient, p});
      graph.keep = graph.make(Op::Less, {quotient, p});
      for (int64_t value : {1, 2, 3, 2000000000})
        compareWith(graph, value);
    }
  }
}

TEST(TilePlan, MemoryIsThatOfTheRuns) {
  Graph graph = libraryGraph("documents");
  auto bytesFor = [&](int64_t length) {
    OwnedBindings owned;
    owned.bindings.shape = {1, 8, 8, length, length, {}, {}, {0}};
    std::vector<int32_t> ids(length);
    for (int64_t i = 0; i < length; ++i)
      ids[i] = i / 500;
    owned.addTensor({1, length}, std::move(ids));
    TileForm form = analyzeTiles(graph, Walk::Keys);
    return planTiles(form, owned.bindings, {64, 64}, true).bytes();
  };
  int64_t small = bytesFor(8192), large = bytesFor(65536);
  EXPECT_LT(large, 9 * small); // With the length, not its square.
  EXPECT_LT(large, 65536 * 4);
}

TEST(TilePlan, LooksAtNoPairOfSolvableCards) {
  // Cost in proportion to rows: a pair would be looked at only where a tile is
  // undecided.
  Random random(seedOfRun());
  for (std::string_view name : libraryNames()) {
    Graph graph = libraryGraph(name);
    OwnedBindings owned = randomBindings(graph, random, 300);
    for (Walk walk : {Walk::Keys, Walk::Queries}) {
      TileForm form = analyzeTiles(graph, walk);
      bool lists = name == "block_list" || name == "token_block_list";
      if (form.source == TileSource::List && !lists)
        continue;
      TileFinder finder(form, owned.bindings, {16, 16});
      std::vector<TileRun> runs;
      for (int64_t block = 0; block < 18; ++block)
        finder.runs(0, 0, block, runs);
      EXPECT_EQ(finder.evaluatedTiles(), 0) << name << ", seed " << seedOfRun();
    }
  }
}

TEST(TilePlan, IsSharedByHeadsThatCannotDiffer) {
  OwnedBindings owned;
  owned.bindings.shape = {3, 4, 4, 256, 256, {}, {}, {0, 0, 0}};
  auto planOf = [&](std::string_view name) {
    Graph graph = libraryGraph(name);
    owned.bindings.params.clear();
    for (const Param &param : graph.params)
      owned.bindings.params.push_back(
          {static_cast<int64_t>(*param.defaultValue), *param.defaultValue});
    return planTiles(analyzeTiles(graph, Walk::Keys), owned.bindings, {64, 64},
                     true);
  };
  TilePlan causal = planOf("causal");
  EXPECT_EQ(causal.blocks, 4);
  EXPECT_EQ(causal.batchStride, 0);
  EXPECT_EQ(causal.headStride, 0);
  EXPECT_EQ(causal.rowStart.size(), 5u);
  TilePlan mixture = planOf("head_mixture"); // Reads h.
  EXPECT_EQ(mixture.batchStride, 0);
  EXPECT_EQ(mixture.headStride, 4);
  EXPECT_EQ(mixture.rowStart.size(), 17u);
  owned.bindings.shape.qOffsets = {0, 0, 64};
  TilePlan offsets = planOf("causal");
  EXPECT_EQ(offsets.batchStride, 4);
  EXPECT_EQ(offsets.headStride, 0);
}

TEST(TilePlan, ReportsRaggedTilesAsPartialWhenAsked) {
  Graph graph = libraryGraph("full");
  TileForm form = analyzeTiles(graph, Walk::Keys);
  Bindings bindings;
  bindings.shape = {1, 1, 1, 10, 70, {}, {}, {0}};
  using Runs = std::vector<TileRun>;
  EXPECT_EQ(planTiles(form, bindings, {16, 32}, true).runs,
            (Runs{{0, 2, true}, {2, 3, false}}));
  EXPECT_EQ(planTiles(form, bindings, {16, 32}, false).runs,
            (Runs{{0, 3, true}}));
}
} // namespace
