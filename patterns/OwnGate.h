//===- OwnGate.h - conditions on the block's own position -------*- C++ -*-===//
#ifndef JACQUARD_PATTERNS_OWNGATE_H
#define JACQUARD_PATTERNS_OWNGATE_H

#include "patterns/LinearSum.h"
#include "patterns/TileFormula.h"

namespace jacquard {

/// The block's own axis: queries when walking keys.
inline Op ownAxis(Walk walk) {
  return walk == Walk::Keys ? Op::Query : Op::Key;
}

/// Nodes that change with a position of either axis.
std::vector<bool> movingNodes(const Graph &graph);

/// own >= limit (rising) or own < limit (falling).
struct OwnLimit {
  bool rising = false;
  NodeId limit = noNode;
};

/// A condition as a limit of the own position, if it is one.
std::optional<OwnLimit> ownLimit(Graph &graph, Walk walk, NodeId condition);

/// The condition of a threshold that is everything or nothing, as it must be
/// for the side that the threshold stands on.
std::optional<NodeId> gateOf(Graph &graph, NodeId end, bool isLow);

/// The expression with one node replaced wherever it is read.
NodeId substitute(Graph &graph, NodeId id, NodeId from, NodeId to);

/// The least that a - b can be, whatever the launch; nothing if unknown.
std::optional<int64_t> leastDifference(const Graph &graph, NodeId a, NodeId b);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_OWNGATE_H
