//===- Tile.h - the tile dialect: types, attributes and ops -----*- C++ -*-===//
#ifndef JACQUARD_DIALECTS_TILE_IR_TILE_H
#define JACQUARD_DIALECTS_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Tile/IR/TileDialect.h.inc"
#include "dialects/Tile/IR/TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Tile/IR/TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/IR/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileOps.h.inc"

#endif // JACQUARD_DIALECTS_TILE_IR_TILE_H
