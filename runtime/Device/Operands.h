//===- Operands.h - checking the caller's arrays ----------------*- C++ -*-===//
#ifndef JACQUARD_RUNTIME_DEVICE_OPERANDS_H
#define JACQUARD_RUNTIME_DEVICE_OPERANDS_H

#include "runtime/Jacquard.h"

namespace jacquard {

/// What an operand must be. `batch` counts the array's own first axis: 1 for
/// packed lengths. Axes of size 1 that are not 1 here broadcast where
/// `mayBroadcast`.
struct OperandRule {
  const char *name;
  ElementType type;
  int64_t batch, heads, length;
  int64_t dim; ///< 0: no dim axis (lse).
  bool mayBroadcast = false;
  bool isOutput = false;
};

/// The operand's address and strides, or what is wrong with it, naming it, what
/// was expected and what was given.
Expected<OperandArg> checkOperand(const OperandRule &rule,
                                  const TensorView &view);

} // namespace jacquard

#endif // JACQUARD_RUNTIME_DEVICE_OPERANDS_H
