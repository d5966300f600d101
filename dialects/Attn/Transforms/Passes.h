//===- Passes.h - passes over the attn dialect ------------------*- C++ -*-===//
#ifndef JACQUARD_DIALECTS_ATTN_TRANSFORMS_PASSES_H
#define JACQUARD_DIALECTS_ATTN_TRANSFORMS_PASSES_H

#include "dialects/Attn/IR/Attn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace jacquard::attn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dialects/Attn/Transforms/Passes.h.inc"

} // namespace jacquard::attn

#endif // JACQUARD_DIALECTS_ATTN_TRANSFORMS_PASSES_H
