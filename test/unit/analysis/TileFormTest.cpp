//===- TileFormTest.cpp - tiles against every pair ------------------------===//
//
// Brute force over all pairs of small problems: no kept pair is skipped, no
// tile with a masked pair is called full, and library patterns are classified
// exactly.
//
//===----------------------------------------------------------------------===//

#include "RandomPattern.h"

#include "patterns/Ast.h"
#include "patterns/TileForm.h"

#include <gtest/gtest.h>

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
             Walk walk, bool exact, const std::string &what) {
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
          bool sound = found[t] == real || found[t] == TileClass::Partial;
          if (exact ? found[t] != real : !sound) {
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

TEST(TileForm, NeverSkipsAKeptPairNorFillsAMaskedOne) {
  Random random(seedOfRun());
  for (int i = 0; i < 4000 && !HasFatalFailure(); ++i) {
    Graph graph = randomGraph(random);
    // Long ones now and then: pairs grow with the square.
    OwnedBindings owned = randomBindings(graph, random, i % 40 == 0 ? 300 : 70);
    TileSize tile{pick(random, 1, 40), pick(random, 1, 40)};
    for (Walk walk : {Walk::Keys, Walk::Queries})
      compare(graph, owned.bindings, tile, walk, /*exact=*/false,
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
        compare(graph, owned.bindings, tile, walk, /*exact=*/true,
                std::string(name) + ", seed " + std::to_string(seedOfRun()));
      if (HasFatalFailure())
        return;
    }
  }
}

TEST(TileForm, ClosedFormsStayClosed) {
  auto sources = [](std::string_view name) {
    Graph graph = libraryGraph(name);
    return std::pair(analyzeTiles(graph, Walk::Keys).source,
                     analyzeTiles(graph, Walk::Queries).source);
  };
  for (const char *name :
       {"full", "causal", "window", "window_sink", "a_shape", "global_tokens",
        "block_diagonal", "chunked", "block_causal", "prefix_lm", "padding",
        "compressed_keys", "head_mixture", "alibi", "soft_cap"}) {
    auto [keys, queries] = sources(name);
    EXPECT_EQ(keys, TileSource::Interval)
        << name << ": " << analyzeTiles(libraryGraph(name), Walk::Keys).reason;
    EXPECT_EQ(queries, TileSource::Interval)
        << name << ": "
        << analyzeTiles(libraryGraph(name), Walk::Queries).reason;
  }
  for (const char *name : {"token_window", "documents", "shared_prefix", "tree",
                           "row_intervals", "column_intervals"}) {
    auto [keys, queries] = sources(name);
    EXPECT_EQ(keys, TileSource::Bounds) << name;
    EXPECT_EQ(queries, TileSource::Bounds) << name;
  }
  for (const char *name :
       {"dilated", "bitmap", "block_list", "token_block_list", "bigbird",
        "neighborhood_2d", "vertical_slash"}) {
    auto [keys, queries] = sources(name);
    EXPECT_EQ(keys, TileSource::List) << name;
    EXPECT_EQ(queries, TileSource::List) << name;
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
} // namespace
