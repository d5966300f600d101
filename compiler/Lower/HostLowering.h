//===- HostLowering.h - from the tile dialect to the LLVM dialect ---------===//
#ifndef JACQUARD_COMPILER_LOWER_HOSTLOWERING_H
#define JACQUARD_COMPILER_LOWER_HOSTLOWERING_H

#include "mlir/IR/BuiltinOps.h"

namespace jacquard {

/// Replaces every `tile.kernel` of the module by a function of the LLVM dialect
/// and drops everything else. `lanes`: floats in a vector register. Returns the
/// scratch that the largest kernel needs, in bytes.
mlir::FailureOr<int64_t> lowerToHost(mlir::ModuleOp module, int64_t lanes);

} // namespace jacquard

#endif // JACQUARD_COMPILER_LOWER_HOSTLOWERING_H
