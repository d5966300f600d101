//===- ClosedForm.h - intervals that a kernel computes itself ---*- C++ -*-===//
//
// Each conjunction of thresholds is one interval [max of lows, min of highs) a
// position. Conditions on the own position alone, or on neither axis, are its
// gate. Over a block, kernels use [smallest low, largest high) where the gate
// is open. That is exact - touches no tile that no position of the block keeps
// - if the intervals of the block's positions join into one, which holds when
//   (a) one end is constant, or the ends move in opposite directions: the
//       intervals are nested; or
//   (b) every interval holds its own position: neighbours meet; or
//   (c) every end is constant or rises by exactly 1 a position: high - low is
//       concave, so the non-empty intervals are those of neighbouring
//       positions, low is constant before them and high after them, and each
//       meets the next. Where both rise, a gate sees to it that high > low.
// A gate own >= X, or own < X, leaves a part of the block. Ends that would be
// taken at a position that it excludes are also taken at the first (last) one
// that it lets through.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_CLOSEDFORM_H
#define JACQUARD_PATTERNS_CLOSEDFORM_H

#include "patterns/NormalForm.h"

namespace jacquard {

/// Fills in the intervals of `form`; the reason why it can't otherwise.
std::optional<std::string> buildClosedForm(TileForm &form,
                                           const Disjunction &kept,
                                           const Disjunction &gaps);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_CLOSEDFORM_H
