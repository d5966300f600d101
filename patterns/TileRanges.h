//===- TileRanges.h - three-valued truth of a condition over a tile -------===//
//
// Interval arithmetic over the graph for a rectangle of rows and keys. Sound,
// not complete: `Mixed` may mean that it can't tell.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_TILERANGES_H
#define JACQUARD_PATTERNS_TILERANGES_H

#include "patterns/Bindings.h"

namespace jacquard {

enum class Truth : uint8_t { Never, Always, Mixed };

class TileRanges {
public:
  TileRanges(const Graph &graph, const Bindings &bindings)
      : graph(graph), bindings(bindings), ranges(graph.nodes().size()) {}

  void setHead(int64_t batch, int64_t head) {
    b = batch;
    h = head;
  }
  /// Truth of `id` for all pairs of rows [row0, row1) and keys [k0, k1), both
  /// non-empty.
  Truth over(NodeId id, int64_t row0, int64_t row1, int64_t k0, int64_t k1);

private:
  struct Range {
    int64_t lo = 0, hi = 0; ///< Inclusive; bools 0 and 1.
  };
  struct Rectangle {
    int64_t row0, row1, k0, k1;
  };
  Range compute(const Node &node, const Rectangle &tile) const;
  Range load(const Node &node) const;

  const Graph &graph;
  const Bindings &bindings;
  int64_t b = 0, h = 0;
  std::vector<Range> ranges;
};

} // namespace jacquard

#endif // JACQUARD_PATTERNS_TILERANGES_H
