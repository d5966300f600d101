//===- TilePlan.cpp - compressed rows of runs -----------------------------===//

#include "patterns/TileForm.h"

#include <algorithm>

using namespace jacquard;

int64_t TilePlan::bytes() const {
  return static_cast<int64_t>(rowStart.size() * sizeof(int64_t) +
                              runs.size() * sizeof(TileRun));
}

/// Does the kept set depend on the batch element, on the head?
static std::pair<bool, bool> varies(const Graph &graph,
                                    const ProblemShape &shape) {
  std::vector<bool> used(graph.nodes().size());
  used[graph.keep] = true;
  bool batch = !shape.qLens.empty() || !shape.kLens.empty(), head = false;
  for (int64_t offset : shape.qOffsets)
    batch = batch || offset != shape.qOffsets.front();
  for (NodeId id = graph.keep + 1; id-- > 0;) {
    if (!used[id])
      continue;
    const Node &node = graph[id];
    for (NodeId operand : node.operands)
      used[operand] = true;
    batch = batch || node.op == Op::Batch || node.op == Op::Selected;
    head = head || node.op == Op::Head || node.op == Op::KvHead ||
           node.op == Op::Selected;
  }
  return {batch, head};
}

/// Splits off the tile that reaches past the length, as partial.
static void markRagged(std::vector<TileRun> &runs, int64_t wholeTiles) {
  if (runs.empty() || !runs.back().full || runs.back().end <= wholeTiles)
    return;
  TileRun last = runs.back();
  if (last.begin < wholeTiles) {
    runs.back().end = wholeTiles;
    runs.push_back({wholeTiles, last.end, false});
  } else {
    runs.back().full = false;
  }
}

TilePlan jacquard::planTiles(const TileForm &form, const Bindings &bindings,
                             TileSize tile, bool raggedIsPartial) {
  const ProblemShape &shape = bindings.shape;
  bool overKeys = form.walk == Walk::Keys;
  int64_t ownLen = overKeys ? shape.qLen : shape.kLen;
  int64_t ownSize = overKeys ? tile.rows : tile.keys;
  int64_t size = overKeys ? tile.keys : tile.rows;
  TilePlan plan;
  plan.walk = form.walk;
  plan.tile = tile;
  plan.blocks = (ownLen + ownSize - 1) / ownSize;
  auto [byBatch, byHead] = varies(form.graph, shape);
  int64_t batches = byBatch ? shape.batch : std::min<int64_t>(shape.batch, 1);
  int64_t heads = byHead ? shape.heads : std::min<int64_t>(shape.heads, 1);
  plan.headStride = byHead ? plan.blocks : 0;
  plan.batchStride = byBatch ? plan.blocks * heads : 0;
  plan.rowStart.reserve(batches * heads * plan.blocks + 1);
  plan.rowStart.push_back(0);
  TileFinder finder(form, bindings, tile);
  std::vector<TileRun> runs;
  for (int64_t b = 0; b < batches; ++b) {
    int64_t length = overKeys ? shape.kLenOf(b) : shape.qLenOf(b);
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t block = 0; block < plan.blocks; ++block) {
        finder.runs(b, h, block, runs);
        if (raggedIsPartial)
          markRagged(runs, length / size);
        plan.runs.insert(plan.runs.end(), runs.begin(), runs.end());
        plan.rowStart.push_back(static_cast<int64_t>(plan.runs.size()));
      }
  }
  return plan;
}
