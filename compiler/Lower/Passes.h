//===- Passes.h - from problems to kernels to the host ----------*- C++ -*-===//
#ifndef JACQUARD_COMPILER_LOWER_PASSES_H
#define JACQUARD_COMPILER_LOWER_PASSES_H

#include "dialects/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace jacquard {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Lower/Passes.h.inc"

} // namespace jacquard

#endif // JACQUARD_COMPILER_LOWER_PASSES_H
