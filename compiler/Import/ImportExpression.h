//===- ImportExpression.h - expression nodes as scalar ops ------*- C++ -*-===//
#ifndef JACQUARD_COMPILER_IMPORT_IMPORTEXPRESSION_H
#define JACQUARD_COMPILER_IMPORT_IMPORTEXPRESSION_H

#include "dialects/Attn/IR/Attn.h"
#include "patterns/Graph.h"

#include "mlir/IR/Builders.h"

namespace jacquard {

/// Makes the ops of expressions at the builder's place, each node once.
class ExpressionImporter {
public:
  ExpressionImporter(const Graph &graph, mlir::OpBuilder &builder,
                     mlir::Location loc)
      : graph(graph), builder(builder), fallback(loc), loc(loc) {}

  /// The value of a leaf (Query, Key, Logit, ...).
  void bind(Op leaf, mlir::Value value) { leaves[leaf] = value; }
  mlir::Value import(NodeId root);

private:
  mlir::Value make(const Node &node);
  mlir::Value arithmetic(const Node &node);
  mlir::Value sigmoid(mlir::Value x);
  mlir::Value comparison(const Node &node);
  mlir::Location place(const Node &node) const;

  const Graph &graph;
  mlir::OpBuilder &builder;
  mlir::Location fallback, loc;
  std::map<Op, mlir::Value> leaves;
  llvm::DenseMap<NodeId, mlir::Value> values;
};

} // namespace jacquard

#endif // JACQUARD_COMPILER_IMPORT_IMPORTEXPRESSION_H
