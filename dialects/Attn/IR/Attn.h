//===- Attn.h - the attn dialect: attributes and ops ------------*- C++ -*-===//
#ifndef JACQUARD_DIALECTS_ATTN_IR_ATTN_H
#define JACQUARD_DIALECTS_ATTN_IR_ATTN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Attn/IR/AttnDialect.h.inc"
#include "dialects/Attn/IR/AttnEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Attn/IR/AttnAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Attn/IR/AttnOps.h.inc"

namespace jacquard::attn {

/// The pattern that `op` stands in or, inside attn.tiles, that it is `of`. Null
/// if there is none.
PatternOp patternAround(mlir::Operation *op);

/// Largest head dim of q, k, v and out.
inline constexpr int64_t largestHeadDim = 1024;

} // namespace jacquard::attn

#endif // JACQUARD_DIALECTS_ATTN_IR_ATTN_H
