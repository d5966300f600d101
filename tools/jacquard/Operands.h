//===- Operands.h - q, k, v and what comes out of them ----------*- C++ -*-===//
#ifndef JACQUARD_TOOLS_JACQUARD_OPERANDS_H
#define JACQUARD_TOOLS_JACQUARD_OPERANDS_H

#include "ProblemOptions.h"

namespace jacquard {

/// Arrays of one problem. Results begin as NaN: what a kernel leaves out is
/// seen.
struct Operands {
  Array q, k, v, dOut, dLse;
  Array out, lse, dq, dk, dv;
  std::map<std::string, Array> gradients;

  /// Makes the results for q, k and v; with `backward` also dOut and dLse where
  /// they are still empty.
  void addResults(const LoadedProblem &loaded, bool backward,
                  uint64_t seed = 0);
  /// Views of all arrays; those of gradients where there are any.
  BackwardArgs views();
};

/// Normal q, k and v of a problem.
Operands randomOperands(const Problem &problem, ElementType type,
                        int64_t headDim, int64_t valueDim, uint64_t seed);

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_OPERANDS_H
