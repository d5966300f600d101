//===- NormalForm.h - a formula as a union of intervals ---------*- C++ -*-===//
//
// A formula made of thresholds, or its negation, in disjunctive form: each
// conjunction keeps, at one position of the block's own axis, one interval of
// walked positions.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_NORMALFORM_H
#define JACQUARD_PATTERNS_NORMALFORM_H

#include "patterns/TileFormula.h"

#include <set>

namespace jacquard {

/// w >= every low and w < every high.
struct Conjunction {
  std::set<NodeId> lows, highs;

  bool isEmpty() const;
  /// Every condition of `other` is one of this: this keeps no more.
  bool implies(const Conjunction &other) const;
};
using Disjunction = std::vector<Conjunction>;

/// Null when the formula has other conditions than thresholds, or when more
/// than a few dozen conjunctions would come of it.
std::optional<Disjunction> disjunctiveForm(const TileFormula &formula,
                                           bool negated);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_NORMALFORM_H
