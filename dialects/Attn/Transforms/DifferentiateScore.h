//===- DifferentiateScore.h - the adjoint of a score region -----*- C++ -*-===//
#ifndef JACQUARD_DIALECTS_ATTN_TRANSFORMS_DIFFERENTIATESCORE_H
#define JACQUARD_DIALECTS_ATTN_TRANSFORMS_DIFFERENTIATESCORE_H

#include "dialects/Attn/IR/Attn.h"

namespace jacquard::attn {

/// Adds attn.score_grad to a pattern that has a score and no score_grad.
/// Reverse accumulation over the region's float ops: the adjoint of a value is
/// the sum over its users. At the kinks: abs has derivative 0 at 0, a tie of
/// minimum or maximum belongs to the first operand, and a select passes the
/// adjoint to the side it took. Fails, with a diagnostic, on a float op it has
/// no rule for.
mlir::LogicalResult differentiateScore(PatternOp pattern);

} // namespace jacquard::attn

#endif // JACQUARD_DIALECTS_ATTN_TRANSFORMS_DIFFERENTIATESCORE_H
