//===- ImportTiles.h - from a tile form to attn.tiles -----------*- C++ -*-===//
#ifndef JACQUARD_COMPILER_IMPORT_IMPORTTILES_H
#define JACQUARD_COMPILER_IMPORT_IMPORTTILES_H

#include "dialects/Attn/IR/Attn.h"
#include "patterns/TileForm.h"

#include "mlir/IR/Builders.h"

namespace jacquard {

/// Makes attn.tiles @<pattern>_keys or @<pattern>_queries at the builder's
/// place, which is left behind it. Each end is evaluated at the end of the
/// block where it is smallest (low ends) or largest (high ends).
attn::TilesOp importTiles(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::StringRef pattern, const TileForm &form);

} // namespace jacquard

#endif // JACQUARD_COMPILER_IMPORT_IMPORTTILES_H
