//===- ImportPattern.h - from a graph to the attn dialect -------*- C++ -*-===//
#ifndef JACQUARD_COMPILER_IMPORT_IMPORTPATTERN_H
#define JACQUARD_COMPILER_IMPORT_IMPORTPATTERN_H

#include "compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace jacquard {

/// A module with the pattern, its attn.tiles ops for both walks, and the
/// functions
/// @forward and (if wanted) @backward over tensors of the options' types,
/// scheduled. Locations lead back to the card.
mlir::OwningOpRef<mlir::ModuleOp> importPattern(const Graph &graph,
                                                const CompileOptions &options,
                                                const TileForm &keys,
                                                const TileForm &queries,
                                                mlir::MLIRContext *context);

} // namespace jacquard

#endif // JACQUARD_COMPILER_IMPORT_IMPORTPATTERN_H
