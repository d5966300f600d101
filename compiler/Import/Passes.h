//===- Passes.h - attn passes that need the pattern language ----*- C++ -*-===//
#ifndef JACQUARD_COMPILER_IMPORT_PASSES_H
#define JACQUARD_COMPILER_IMPORT_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace jacquard {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Import/Passes.h.inc"

} // namespace jacquard

#endif // JACQUARD_COMPILER_IMPORT_PASSES_H
