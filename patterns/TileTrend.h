//===- TileTrend.h - how an end moves along the block's own axis ----------===//
#ifndef JACQUARD_PATTERNS_TILETREND_H
#define JACQUARD_PATTERNS_TILETREND_H

#include "patterns/TileForm.h"

namespace jacquard {

struct Movement {
  Trend trend =
      Trend::Constant;   ///< For bools: of the truth, false to true rising.
  bool unitStep = false; ///< Rises by exactly 1 a position.
};

/// The movement of every node of the graph, as the own position grows.
std::vector<Movement> movements(const Graph &graph, Walk walk);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_TILETREND_H
