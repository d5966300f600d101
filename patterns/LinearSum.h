//===- LinearSum.h - sums in the order that people write them ---*- C++ -*-===//
#ifndef JACQUARD_PATTERNS_LINEARSUM_H
#define JACQUARD_PATTERNS_LINEARSUM_H

#include "patterns/Graph.h"
#include "patterns/SaturatingMath.h"

namespace jacquard {

/// Terms that are no sums themselves: the sum of `plus`, less that of `minus`,
/// and a constant. No term is in both.
struct LinearSum {
  std::vector<NodeId> plus, minus;
  int64_t constant = 0;

  static LinearSum of(const Graph &graph, NodeId id);
  /// Positions first, then other terms, what is subtracted, the constant.
  NodeId build(Graph &graph) const;
  LinearSum negated() const {
    return {minus, plus, saturatingSub(0, constant)};
  }
  LinearSum less(const LinearSum &other) const;
};

/// The same value with its sums in order: trends are read off this form.
NodeId tidySum(Graph &graph, NodeId id);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_LINEARSUM_H
