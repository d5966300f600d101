//===- ExportExpression.cpp - one node an op ------------------------------===//

#include "compiler/Import/ExportExpression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace jacquard;
using GraphOp = jacquard::Op;

ExpressionExporter::ExpressionExporter(Graph &graph) : graph(graph) {
  for (auto [i, param] : llvm::enumerate(graph.params))
    params[param.name] = i;
  for (auto [i, tensor] : llvm::enumerate(graph.tensors))
    tensors[tensor.name] = i;
  for (auto [i, selection] : llvm::enumerate(graph.selections))
    selections[selection.name] = i;
}

FailureOr<NodeId> ExpressionExporter::exportRegion(Region &region) {
  Block &block = region.front();
  unsigned next = 0;
  if (block.getNumArguments() == 7)
    nodes[block.getArgument(next++)] = graph.leaf(GraphOp::Logit);
  for (GraphOp leaf : {GraphOp::Batch, GraphOp::Head, GraphOp::KvHead,
                       GraphOp::Query, GraphOp::Key, GraphOp::Row})
    nodes[block.getArgument(next++)] = graph.leaf(leaf);
  for (Operation &op : block.without_terminator()) {
    NodeId id = exportOp(op);
    if (id == noNode)
      return op.emitOpError("has no expression in the pattern language"),
             failure();
    nodes[op.getResult(0)] = id;
  }
  return node(block.getTerminator()->getOperand(0));
}

NodeId ExpressionExporter::make(GraphOp op, Operation &of) {
  std::vector<NodeId> operands;
  for (Value operand : of.getOperands())
    operands.push_back(node(operand));
  return graph.make(op, std::move(operands));
}

NodeId ExpressionExporter::swapped(GraphOp op, Operation &of) {
  return graph.make(op, {node(of.getOperand(1)), node(of.getOperand(0))});
}

NodeId ExpressionExporter::exportSelected(attn::SelectedOp selected) {
  GraphOp leaves[] = {GraphOp::Batch, GraphOp::Head, GraphOp::KvHead,
                      GraphOp::Row, GraphOp::Key};
  for (auto [operand, leaf] : llvm::zip(selected->getOperands(), leaves))
    if (graph[node(operand)].op != leaf)
      return noNode; // The language asks only about the pair itself.
  return graph.make(GraphOp::Selected, {},
                    selections.lookup(selected.getSelection()));
}

/// x where the select is what a sigmoid of x is imported as.
std::optional<NodeId> ExpressionExporter::sigmoidOf(Operation &op) const {
  auto select = cast<arith::SelectOp>(op);
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  auto upper = select.getTrueValue().getDefiningOp<arith::DivFOp>();
  auto lower = select.getFalseValue().getDefiningOp<arith::MulFOp>();
  if (!compare || !upper || !lower ||
      compare.getPredicate() != arith::CmpFPredicate::OGE ||
      !matchPattern(compare.getRhs(), m_AnyZeroFloat()) ||
      !matchPattern(upper.getLhs(), m_OneFloat()))
    return std::nullopt;
  auto sum = upper.getRhs().getDefiningOp<arith::AddFOp>();
  auto t = lower.getLhs().getDefiningOp<math::ExpOp>();
  if (!sum || !t || lower.getRhs() != upper.getResult() ||
      !matchPattern(sum.getLhs(), m_OneFloat()) ||
      sum.getRhs() != t.getResult())
    return std::nullopt;
  auto falling = t.getOperand().getDefiningOp<arith::SelectOp>();
  if (!falling || falling.getCondition() != select.getCondition())
    return std::nullopt;
  auto negated = falling.getTrueValue().getDefiningOp<arith::NegFOp>();
  if (!negated || negated.getOperand() != compare.getLhs() ||
      falling.getFalseValue() != compare.getLhs())
    return std::nullopt;
  return node(compare.getLhs());
}

NodeId ExpressionExporter::exportSelect(Operation &op) {
  auto select = cast<arith::SelectOp>(op);
  if (std::optional<NodeId> x = sigmoidOf(op))
    return graph.make(GraphOp::Sigmoid, {*x});
  // "b if it is strictly better than a, else a" is min or max of (a, b).
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (compare && compare.getLhs() == select.getTrueValue() &&
      compare.getRhs() == select.getFalseValue()) {
    std::vector<NodeId> operands{node(compare.getRhs()),
                                 node(compare.getLhs())};
    if (compare.getPredicate() == arith::CmpFPredicate::OLT)
      return graph.make(GraphOp::Min, std::move(operands));
    if (compare.getPredicate() == arith::CmpFPredicate::OGT)
      return graph.make(GraphOp::Max, std::move(operands));
  }
  if (!select.getType().isInteger(1))
    return make(GraphOp::Where, op);
  NodeId condition = node(select.getCondition());
  NodeId yes =
      graph.make(GraphOp::And, {condition, node(select.getTrueValue())});
  NodeId no = graph.make(GraphOp::And, {graph.make(GraphOp::Not, {condition}),
                                        node(select.getFalseValue())});
  return graph.make(GraphOp::Or, {yes, no});
}

/// Exactly one of two bools.
static NodeId either(Graph &graph, NodeId a, NodeId b) {
  NodeId onlyA = graph.make(GraphOp::And, {a, graph.make(GraphOp::Not, {b})});
  NodeId onlyB = graph.make(GraphOp::And, {graph.make(GraphOp::Not, {a}), b});
  return graph.make(GraphOp::Or, {onlyA, onlyB});
}

NodeId ExpressionExporter::exportOp(Operation &op) {
  auto operand = [&](unsigned i) { return node(op.getOperand(i)); };
  auto isBool = [&] { return op.getOperand(0).getType().isInteger(1); };
  return llvm::TypeSwitch<Operation *, NodeId>(&op)
      .Case([&](arith::ConstantOp constant) -> NodeId {
        if (auto value = dyn_cast<FloatAttr>(constant.getValue()))
          return graph.real(value.getValueAsDouble());
        auto value = dyn_cast<IntegerAttr>(constant.getValue());
        if (!value)
          return noNode;
        return value.getType().isInteger(1)
                   ? graph.boolean(value.getValue().getBoolValue())
                   : graph.integer(value.getInt());
      })
      .Case([&](attn::GetOp get) {
        return graph.make(GraphOp::Param, {}, params.lookup(get.getParam()));
      })
      .Case([&](attn::SizeOp size) {
        switch (size.getKind()) {
        case attn::SizeKind::QLen:
          return graph.leaf(GraphOp::QLen);
        case attn::SizeKind::KLen:
          return graph.leaf(GraphOp::KLen);
        case attn::SizeKind::Heads:
          return graph.leaf(GraphOp::Heads);
        case attn::SizeKind::KvHeads:
          return graph.leaf(GraphOp::KvHeads);
        }
        return noNode;
      })
      .Case([&](attn::LoadOp load) {
        std::vector<NodeId> indices;
        for (Value index : load.getIndices())
          indices.push_back(node(index));
        return graph.make(GraphOp::Load, std::move(indices),
                          tensors.lookup(load.getTensor()));
      })
      .Case([&](attn::SelectedOp selected) { return exportSelected(selected); })
      .Case([&](attn::FloorDivOp) { return make(GraphOp::FloorDiv, op); })
      .Case([&](attn::ModOp) { return make(GraphOp::Mod, op); })
      .Case([&](attn::BitOp) { return make(GraphOp::Bit, op); })
      .Case<arith::AddIOp, arith::AddFOp>(
          [&](auto) { return make(GraphOp::Add, op); })
      .Case([&](arith::SubIOp) {
        if (matchPattern(op.getOperand(0), m_Zero()))
          return graph.make(GraphOp::Neg, {operand(1)});
        return make(GraphOp::Sub, op);
      })
      .Case([&](arith::SubFOp) { return make(GraphOp::Sub, op); })
      .Case<arith::MulIOp, arith::MulFOp>(
          [&](auto) { return make(GraphOp::Mul, op); })
      .Case([&](arith::DivFOp) { return make(GraphOp::Div, op); })
      .Case([&](arith::NegFOp) { return make(GraphOp::Neg, op); })
      .Case<arith::MinSIOp, arith::MinimumFOp>(
          [&](auto) { return make(GraphOp::Min, op); })
      .Case<arith::MaxSIOp, arith::MaximumFOp>(
          [&](auto) { return make(GraphOp::Max, op); })
      .Case<math::AbsIOp, math::AbsFOp>(
          [&](auto) { return make(GraphOp::Abs, op); })
      .Case([&](math::ExpOp) { return make(GraphOp::Exp, op); })
      .Case([&](math::LogOp) { return make(GraphOp::Log, op); })
      .Case([&](math::TanhOp) { return make(GraphOp::Tanh, op); })
      .Case([&](math::SqrtOp) { return make(GraphOp::Sqrt, op); })
      .Case([&](arith::SIToFPOp) {
        return isBool() ? noNode : make(GraphOp::ToFloat, op);
      })
      .Case([&](arith::UIToFPOp) {
        if (!isBool())
          return noNode;
        return graph.make(GraphOp::Where,
                          {operand(0), graph.real(1), graph.real(0)});
      })
      .Case([&](arith::ExtUIOp) {
        if (!isBool())
          return noNode;
        return graph.make(GraphOp::Where,
                          {operand(0), graph.integer(1), graph.integer(0)});
      })
      .Case([&](arith::SelectOp) { return exportSelect(op); })
      .Case([&](arith::AndIOp) {
        return isBool() ? make(GraphOp::And, op) : noNode;
      })
      .Case([&](arith::OrIOp) {
        return isBool() ? make(GraphOp::Or, op) : noNode;
      })
      .Case([&](arith::XOrIOp) {
        if (!isBool())
          return noNode;
        if (matchPattern(op.getOperand(1), m_One()))
          return graph.make(GraphOp::Not, {operand(0)});
        return either(graph, operand(0), operand(1));
      })
      .Case([&](arith::CmpIOp compare) {
        using P = arith::CmpIPredicate;
        P predicate = compare.getPredicate();
        if (isBool()) {
          NodeId differ = either(graph, operand(0), operand(1));
          return predicate == P::ne   ? differ
                 : predicate == P::eq ? graph.make(GraphOp::Not, {differ})
                                      : noNode;
        }
        switch (predicate) {
        case P::eq:
          return make(GraphOp::Equal, op);
        case P::ne:
          return make(GraphOp::NotEqual, op);
        case P::slt:
          return make(GraphOp::Less, op);
        case P::sle:
          return make(GraphOp::LessEqual, op);
        case P::sgt:
          return swapped(GraphOp::Less, op);
        case P::sge:
          return swapped(GraphOp::LessEqual, op);
        default:
          return noNode;
        }
      })
      .Case([&](arith::CmpFOp compare) {
        using P = arith::CmpFPredicate;
        switch (compare.getPredicate()) {
        case P::OEQ:
          return make(GraphOp::Equal, op);
        case P::UNE:
          return make(GraphOp::NotEqual, op);
        case P::OLT:
          return make(GraphOp::Less, op);
        case P::OLE:
          return make(GraphOp::LessEqual, op);
        case P::OGT:
          return swapped(GraphOp::Less, op);
        case P::OGE:
          return swapped(GraphOp::LessEqual, op);
        default:
          return noNode;
        }
      })
      .Default([](Operation *) { return noNode; });
}
