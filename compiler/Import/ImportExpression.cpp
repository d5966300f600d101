//===- ImportExpression.cpp - one op a node -------------------------------===//

#include "compiler/Import/ImportExpression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace jacquard;

/// Line and column (from 1) of an offset.
static std::pair<unsigned, unsigned> lineAndColumn(StringRef text,
                                                   size_t offset) {
  StringRef before = text.take_front(offset);
  size_t lineStart = before.rfind('\n');
  lineStart = lineStart == StringRef::npos ? 0 : lineStart + 1;
  return {before.count('\n') + 1, offset - lineStart + 1};
}

Location ExpressionImporter::place(const Node &node) const {
  if (!graph.source || node.where.begin == node.where.end)
    return fallback;
  auto [line, column] = lineAndColumn(graph.source->text, node.where.begin);
  return FileLineColLoc::get(builder.getStringAttr(graph.source->name), line,
                             column);
}

Value ExpressionImporter::import(NodeId root) {
  std::vector<bool> needed(root + 1);
  needed[root] = true;
  for (NodeId id = root + 1; id-- > 0;)
    if (needed[id])
      for (NodeId operand : graph[id].operands)
        needed[operand] = true;
  for (NodeId id = 0; id <= root; ++id) {
    if (!needed[id] || values.count(id))
      continue;
    loc = place(graph[id]);
    Value value = make(graph[id]);
    values[id] = value;
  }
  return values[root];
}

Value ExpressionImporter::make(const Node &node) {
  auto in = [&](size_t i) { return values[node.operands[i]]; };
  auto indices = [&](size_t count) {
    SmallVector<Value> list;
    for (size_t i = 0; i < count; ++i)
      list.push_back(in(i));
    return list;
  };
  switch (node.op) {
  case Op::BoolConst:
    return arith::ConstantIntOp::create(builder, loc, node.intValue, 1);
  case Op::IntConst:
    return arith::ConstantIntOp::create(builder, loc, node.intValue, 64);
  case Op::FloatConst:
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(node.floatValue));
  case Op::Batch:
  case Op::Head:
  case Op::KvHead:
  case Op::Query:
  case Op::Key:
  case Op::Row:
  case Op::Logit:
    return leaves.at(node.op);
  case Op::QLen:
    return attn::SizeOp::create(builder, loc, attn::SizeKind::QLen);
  case Op::KLen:
    return attn::SizeOp::create(builder, loc, attn::SizeKind::KLen);
  case Op::Heads:
    return attn::SizeOp::create(builder, loc, attn::SizeKind::Heads);
  case Op::KvHeads:
    return attn::SizeOp::create(builder, loc, attn::SizeKind::KvHeads);
  case Op::Param: {
    Type type = node.type == Scalar::Float  ? Type(builder.getF32Type())
                : node.type == Scalar::Bool ? Type(builder.getI1Type())
                                            : Type(builder.getI64Type());
    return attn::GetOp::create(builder, loc, type, graph.params[node.ref].name);
  }
  case Op::Load: {
    Type type = node.type == Scalar::Float ? Type(builder.getF32Type())
                                           : Type(builder.getI64Type());
    return attn::LoadOp::create(builder, loc, type,
                                graph.tensors[node.ref].name,
                                indices(node.operands.size()));
  }
  case Op::Selected:
    return attn::SelectedOp::create(
        builder, loc, graph.selections[node.ref].name, leaves.at(Op::Batch),
        leaves.at(Op::Head), leaves.at(Op::KvHead), leaves.at(Op::Row),
        leaves.at(Op::Key));
  case Op::FloorDiv:
    return attn::FloorDivOp::create(builder, loc, in(0), in(1));
  case Op::Mod:
    return attn::ModOp::create(builder, loc, in(0), in(1));
  case Op::Bit:
    return attn::BitOp::create(builder, loc, in(0), in(1));
  case Op::Where:
    return arith::SelectOp::create(builder, loc, in(0), in(1), in(2));
  case Op::ToFloat:
    return arith::SIToFPOp::create(builder, loc, builder.getF32Type(), in(0));
  case Op::Less:
  case Op::LessEqual:
  case Op::Equal:
  case Op::NotEqual:
    return comparison(node);
  case Op::And:
    return arith::AndIOp::create(builder, loc, in(0), in(1));
  case Op::Or:
    return arith::OrIOp::create(builder, loc, in(0), in(1));
  case Op::Not: {
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    return arith::XOrIOp::create(builder, loc, in(0), yes);
  }
  case Op::LowerBound: // Never part of a region: forms that search have a plan.
    return {};
  default:
    return arithmetic(node);
  }
}

Value ExpressionImporter::arithmetic(const Node &node) {
  Value a = values[node.operands[0]];
  Value b = node.operands.size() > 1 ? values[node.operands[1]] : Value();
  bool isFloat = node.type == Scalar::Float;
  auto choose = [&](arith::CmpFPredicate predicate) -> Value {
    // The first operand unless the second is strictly better.
    Value better = arith::CmpFOp::create(builder, loc, predicate, b, a);
    return arith::SelectOp::create(builder, loc, better, b, a);
  };
  auto zero = [&]() -> Value {
    return arith::ConstantIntOp::create(builder, loc, 0, 64);
  };
  switch (node.op) {
  case Op::Add:
    return isFloat ? Value(arith::AddFOp::create(builder, loc, a, b))
                   : Value(arith::AddIOp::create(builder, loc, a, b));
  case Op::Sub:
    return isFloat ? Value(arith::SubFOp::create(builder, loc, a, b))
                   : Value(arith::SubIOp::create(builder, loc, a, b));
  case Op::Mul:
    return isFloat ? Value(arith::MulFOp::create(builder, loc, a, b))
                   : Value(arith::MulIOp::create(builder, loc, a, b));
  case Op::Div:
    return arith::DivFOp::create(builder, loc, a, b);
  case Op::Neg:
    return isFloat ? Value(arith::NegFOp::create(builder, loc, a))
                   : Value(arith::SubIOp::create(builder, loc, zero(), a));
  case Op::Abs:
    return isFloat ? Value(math::AbsFOp::create(builder, loc, a))
                   : Value(math::AbsIOp::create(builder, loc, a));
  case Op::Min:
    return isFloat ? choose(arith::CmpFPredicate::OLT)
                   : Value(arith::MinSIOp::create(builder, loc, a, b));
  case Op::Max:
    return isFloat ? choose(arith::CmpFPredicate::OGT)
                   : Value(arith::MaxSIOp::create(builder, loc, a, b));
  case Op::Exp:
    return math::ExpOp::create(builder, loc, a);
  case Op::Log:
    return math::LogOp::create(builder, loc, a);
  case Op::Tanh:
    return math::TanhOp::create(builder, loc, a);
  case Op::Sqrt:
    return math::SqrtOp::create(builder, loc, a);
  case Op::Sigmoid:
    return sigmoid(a);
  default:
    return {};
  }
}

// With t = exp(-|x|), which can't overflow: 1 / (1 + t) from 0 up, t / (1 + t)
// below. The textbook form would give NaN gradients where exp(-x) is infinite.
Value ExpressionImporter::sigmoid(Value x) {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1));
  Value positive =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, x, zero);
  Value falling = arith::SelectOp::create(
      builder, loc, positive, arith::NegFOp::create(builder, loc, x), x);
  Value t = math::ExpOp::create(builder, loc, falling);
  Value upper = arith::DivFOp::create(
      builder, loc, one, arith::AddFOp::create(builder, loc, one, t));
  Value lower = arith::MulFOp::create(builder, loc, t, upper);
  return arith::SelectOp::create(builder, loc, positive, upper, lower);
}

Value ExpressionImporter::comparison(const Node &node) {
  Value a = values[node.operands[0]], b = values[node.operands[1]];
  if (isa<FloatType>(a.getType())) {
    auto predicate = node.op == Op::Less        ? arith::CmpFPredicate::OLT
                     : node.op == Op::LessEqual ? arith::CmpFPredicate::OLE
                     : node.op == Op::Equal     ? arith::CmpFPredicate::OEQ
                                                : arith::CmpFPredicate::UNE;
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  auto predicate = node.op == Op::Less        ? arith::CmpIPredicate::slt
                   : node.op == Op::LessEqual ? arith::CmpIPredicate::sle
                   : node.op == Op::Equal     ? arith::CmpIPredicate::eq
                                              : arith::CmpIPredicate::ne;
  return arith::CmpIOp::create(builder, loc, predicate, a, b);
}
