//===- ExportPattern.h - from attn.pattern to a graph -----------*- C++ -*-===//
#ifndef JACQUARD_COMPILER_IMPORT_EXPORTPATTERN_H
#define JACQUARD_COMPILER_IMPORT_EXPORTPATTERN_H

#include "dialects/Attn/IR/Attn.h"
#include "patterns/Graph.h"

namespace jacquard {

/// The graph of a pattern: what importPattern made it from, or one that
/// evaluates to the same. Defaults of parameters and places in a card are not
/// in the dialect and stay unset. Fails, with a diagnostic, on an op that the
/// language has no expression for.
mlir::FailureOr<Graph> exportPattern(attn::PatternOp pattern);

} // namespace jacquard

#endif // JACQUARD_COMPILER_IMPORT_EXPORTPATTERN_H
