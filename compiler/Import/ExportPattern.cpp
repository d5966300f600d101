//===- ExportPattern.cpp - declarations and roots -------------------------===//

#include "compiler/Import/ExportPattern.h"

#include "compiler/Import/ExportExpression.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace jacquard;

static Scalar scalarOf(Type type) {
  return type.isF32()        ? Scalar::Float
         : type.isInteger(1) ? Scalar::Bool
                             : Scalar::Int;
}

static Extent extentOf(StringRef axis) {
  Extent extent;
  extent.kind = llvm::StringSwitch<Extent::Kind>(axis)
                    .Case("batch", Extent::Batch)
                    .Case("heads", Extent::Heads)
                    .Case("kv_heads", Extent::KvHeads)
                    .Case("q_len", Extent::QLen)
                    .Case("k_len", Extent::KLen)
                    .Default(Extent::Number);
  if (extent.kind == Extent::Number)
    axis.getAsInteger(10, extent.number);
  return extent;
}

static Selection::Kind kindOf(attn::SelectionKind kind) {
  switch (kind) {
  case attn::SelectionKind::Blocks:
    return Selection::Blocks;
  case attn::SelectionKind::TokenBlocks:
    return Selection::TokenBlocks;
  case attn::SelectionKind::RowIntervals:
    return Selection::RowIntervals;
  case attn::SelectionKind::ColumnIntervals:
    return Selection::ColumnIntervals;
  }
  return {};
}

static std::optional<double> limitOf(std::optional<APFloat> limit) {
  if (!limit)
    return std::nullopt;
  return limit->convertToDouble();
}

/// Selections come last: their sizes name parameters.
static void exportDeclarations(attn::PatternOp pattern, Graph &graph) {
  Block &body = pattern.getBody().front();
  for (auto param : body.getOps<attn::ParamOp>())
    graph.params.push_back({param.getSymName().str(), scalarOf(param.getType()),
                            std::nullopt, limitOf(param.getMin()),
                            limitOf(param.getMax())});
  for (auto tensor : body.getOps<attn::TensorOp>()) {
    Tensor own;
    own.name = tensor.getSymName();
    own.type = scalarOf(tensor.getElement());
    for (auto axis : tensor.getAxes().getAsRange<StringAttr>())
      own.shape.push_back(extentOf(axis.getValue()));
    own.sorted = tensor.getSorted();
    own.grad = tensor.getGrad();
    if (pattern.getSink() == tensor.getSymName())
      graph.sink = graph.tensors.size();
    graph.tensors.push_back(std::move(own));
  }
  auto sizeOf = [&](Attribute attribute) {
    SizeRef size;
    if (auto number = dyn_cast_or_null<IntegerAttr>(attribute))
      size.literal = number.getInt();
    if (auto name = dyn_cast_or_null<FlatSymbolRefAttr>(attribute))
      for (auto [i, param] : llvm::enumerate(graph.params))
        if (param.name == name.getValue())
          size.param = i;
    return size;
  };
  for (auto selection : body.getOps<attn::SelectionOp>())
    graph.selections.push_back(
        {kindOf(selection.getKind()), selection.getSymName().str(),
         sizeOf(selection.getQBlockAttr()), sizeOf(selection.getKBlockAttr())});
}

FailureOr<Graph> jacquard::exportPattern(attn::PatternOp pattern) {
  Graph graph;
  graph.name = pattern.getSymName();
  if (std::optional<StringRef> description = pattern.getDescription())
    graph.description = *description;
  if (std::optional<attn::AlignKind> align = pattern.getAlign())
    graph.align = *align == attn::AlignKind::TopLeft ? Align::TopLeft
                                                     : Align::BottomRight;
  exportDeclarations(pattern, graph);
  Block &body = pattern.getBody().front();
  ExpressionExporter exporter(graph);
  graph.keep = graph.boolean(true);
  graph.score = graph.leaf(jacquard::Op::Logit);
  for (auto keep : body.getOps<attn::KeepOp>()) {
    FailureOr<NodeId> root = exporter.exportRegion(keep.getBody());
    if (failed(root))
      return failure();
    graph.keep = *root;
  }
  for (auto score : body.getOps<attn::ScoreOp>()) {
    FailureOr<NodeId> root = exporter.exportRegion(score.getBody());
    if (failed(root))
      return failure();
    graph.score = *root;
  }
  return graph;
}
