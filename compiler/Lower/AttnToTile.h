//===- AttnToTile.h - from whole problems to kernels of tiles ---*- C++ -*-===//
#ifndef JACQUARD_COMPILER_LOWER_ATTNTOTILE_H
#define JACQUARD_COMPILER_LOWER_ATTNTOTILE_H

#include "mlir/IR/BuiltinOps.h"

namespace jacquard {

/// What `attn-to-tile` needs beside the module.
struct KernelDataTypes {
  /// Type in memory of each tensor of the pattern (i32, f32, f16, bf16).
  llvm::SmallVector<mlir::Type> tensorElements;
};

/// Replaces the functions that hold attn.forward and attn.backward by the
/// kernels forward, preprocess, backward_dq and backward_dkv. Each problem op
/// needs a schedule, and the module the attn.tiles ops of its pattern.
mlir::LogicalResult lowerAttnToTile(mlir::ModuleOp module,
                                    const KernelDataTypes &types);

} // namespace jacquard

#endif // JACQUARD_COMPILER_LOWER_ATTNTOTILE_H
