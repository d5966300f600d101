//===- TileFormula.h - keep as conditions on the walked position ----------===//
//
// For one position on the block's own axis, `keep` is a boolean function of the
// walked position w. Comparisons that can be solved for w become thresholds w <
// E, with E free of w; selections that list positions along the walked axis
// stay as they are; the rest is opaque.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_TILEFORMULA_H
#define JACQUARD_PATTERNS_TILEFORMULA_H

#include "patterns/TileForm.h"

namespace jacquard {

/// Stands for no bound at all; no position and no end is as large.
inline constexpr int64_t farAway = int64_t(1) << 40;

struct FormulaNode {
  enum Kind : uint8_t { Constant, Below, Selection, Opaque, And, Or, Not } kind;
  bool value = false;           ///< Constant.
  NodeId node = noNode;         ///< Below: E. Opaque: the bool node.
  uint32_t selection = 0;       ///< Selection.
  uint32_t left = 0, right = 0; ///< And, Or (both), Not (left).
};

/// Nodes in topological order; the last is the root.
struct TileFormula {
  Walk walk = Walk::Keys;
  std::vector<FormulaNode> nodes;

  bool has(FormulaNode::Kind kind) const {
    for (const FormulaNode &node : nodes)
      if (node.kind == kind)
        return true;
    return false;
  }
};

/// Solves `keep` for the walked position; adds the nodes of thresholds to
/// `graph`.
TileFormula solveForWalk(Graph &graph, Walk walk);

/// Is an int node certainly > 0, or >= 0, whatever the launch? Knows constants,
/// parameters' minima and sums, products, minima and maxima of those.
bool isPositive(const Graph &graph, NodeId id);
bool isNonNegative(const Graph &graph, NodeId id);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_TILEFORMULA_H
