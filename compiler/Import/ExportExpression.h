//===- ExportExpression.h - scalar ops as expression nodes ------*- C++ -*-===//
#ifndef JACQUARD_COMPILER_IMPORT_EXPORTEXPRESSION_H
#define JACQUARD_COMPILER_IMPORT_EXPORTEXPRESSION_H

#include "dialects/Attn/IR/Attn.h"
#include "patterns/Graph.h"

#include "llvm/ADT/StringMap.h"

namespace jacquard {

/// Adds the nodes of a region to a graph whose declarations are complete.
class ExpressionExporter {
public:
  explicit ExpressionExporter(Graph &graph);

  /// The node of what the region yields. Its last six arguments are b, h, g, q,
  /// k and row; one before them is s.
  mlir::FailureOr<NodeId> exportRegion(mlir::Region &region);

private:
  NodeId exportOp(mlir::Operation &op);
  NodeId exportSelect(mlir::Operation &op);
  NodeId exportSelected(attn::SelectedOp selected);
  std::optional<NodeId> sigmoidOf(mlir::Operation &select) const;
  NodeId node(mlir::Value value) const { return nodes.lookup(value); }
  NodeId make(Op op, mlir::Operation &of);
  NodeId swapped(Op op, mlir::Operation &of);

  Graph &graph;
  llvm::StringMap<uint32_t> params, tensors, selections;
  llvm::DenseMap<mlir::Value, NodeId> nodes;
};

} // namespace jacquard

#endif // JACQUARD_COMPILER_IMPORT_EXPORTEXPRESSION_H
