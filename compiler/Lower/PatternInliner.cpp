//===- PatternInliner.cpp - cloning scalar code into kernels --------------===//

#include "compiler/Lower/PatternInliner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace jacquard;

PatternInliner::PatternInliner(attn::PatternOp pattern, ArrayRef<Type> elements)
    : elements(elements) {
  for (Operation &op : pattern.getBody().front()) {
    if (auto param = dyn_cast<attn::ParamOp>(op)) {
      params.try_emplace(param.getSymName(), params.size());
    } else if (auto tensor = dyn_cast<attn::TensorOp>(op)) {
      tensors.try_emplace(tensor.getSymName(), tensors.size());
    } else if (auto selection = dyn_cast<attn::SelectionOp>(op)) {
      kinds[selection.getSymName()] = selection.getKind();
      selections.try_emplace(selection.getSymName(), selections.size());
    }
  }
}

namespace {
/// Arithmetic at one place.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value isZero(Value value) {
    return compare(arith::CmpIPredicate::eq, value, constant(0));
  }
};
} // namespace

/// a / b rounded to minus infinity, 0 where b is 0. The remainder comes with
/// it.
static std::pair<Value, Value> floorDivide(Arithmetic emit, Value a, Value b) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  llvm::APInt known;
  if (matchPattern(b, m_ConstantInt(&known)) && known.isStrictlyPositive() &&
      known.isPowerOf2()) {
    Value quotient = arith::ShRSIOp::create(builder, loc, a,
                                            emit.constant(known.logBase2()));
    Value remainder = arith::AndIOp::create(
        builder, loc, a, emit.constant(known.getSExtValue() - 1));
    return {quotient, remainder};
  }
  Value zero = emit.constant(0);
  Value none = emit.isZero(b);
  Value divisor = emit.select(none, emit.constant(1), b);
  Value quotient = arith::DivSIOp::create(builder, loc, a, divisor);
  Value remainder = arith::SubIOp::create(
      builder, loc, a, arith::MulIOp::create(builder, loc, quotient, divisor));
  Value inexact = emit.compare(arith::CmpIPredicate::ne, remainder, zero);
  Value signs = emit.compare(
      arith::CmpIPredicate::slt,
      arith::XOrIOp::create(builder, loc, remainder, divisor), zero);
  Value down = arith::AndIOp::create(builder, loc, inexact, signs);
  quotient = emit.select(
      down, arith::SubIOp::create(builder, loc, quotient, emit.constant(1)),
      quotient);
  remainder = emit.select(
      down, arith::AddIOp::create(builder, loc, remainder, divisor), remainder);
  return {emit.select(none, zero, quotient),
          emit.select(none, zero, remainder)};
}

/// Bit i of x as 32 bits; false outside [0, 32).
static Value testBit(Arithmetic emit, Value x, Value i) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Value inside = arith::AndIOp::create(
      builder, loc,
      emit.compare(arith::CmpIPredicate::sge, i, emit.constant(0)),
      emit.compare(arith::CmpIPredicate::slt, i, emit.constant(32)));
  Value amount = emit.select(inside, i, emit.constant(0));
  Value bit = arith::AndIOp::create(
      builder, loc, arith::ShRSIOp::create(builder, loc, x, amount),
      emit.constant(1));
  return arith::AndIOp::create(
      builder, loc, inside,
      emit.compare(arith::CmpIPredicate::ne, bit, emit.constant(0)));
}

static tile::Choice choiceOf(attn::SelectionKind kind) {
  switch (kind) {
  case attn::SelectionKind::Blocks:
    return tile::Choice::Blocks;
  case attn::SelectionKind::TokenBlocks:
    return tile::Choice::TokenBlocks;
  case attn::SelectionKind::RowIntervals:
    return tile::Choice::RowIntervals;
  case attn::SelectionKind::ColumnIntervals:
    return tile::Choice::ColumnIntervals;
  }
  llvm_unreachable("all kinds are handled");
}

Value PatternInliner::convert(OpBuilder &builder, Operation &op,
                              IRMapping &values, Value b) const {
  Location loc = op.getLoc();
  Arithmetic emit{builder, loc};
  auto operand = [&](unsigned i) { return values.lookup(op.getOperand(i)); };
  auto operands = [&](unsigned count) {
    SmallVector<Value> list;
    for (unsigned i = 0; i < count; ++i)
      list.push_back(operand(i));
    return list;
  };
  return llvm::TypeSwitch<Operation *, Value>(&op)
      .Case([&](attn::GetOp get) {
        return tile::ParamOp::create(builder, loc, get.getType(),
                                     params.lookup(get.getParam()));
      })
      .Case([&](attn::SizeOp size) -> Value {
        switch (size.getKind()) {
        case attn::SizeKind::QLen:
          return tile::LengthOp::create(builder, loc, tile::LengthKind::QLen,
                                        b);
        case attn::SizeKind::KLen:
          return tile::LengthOp::create(builder, loc, tile::LengthKind::KLen,
                                        b);
        case attn::SizeKind::Heads:
          return tile::ScalarOp::create(builder, loc, builder.getI64Type(),
                                        tile::ScalarKind::Heads);
        case attn::SizeKind::KvHeads:
          return tile::ScalarOp::create(builder, loc, builder.getI64Type(),
                                        tile::ScalarKind::KvHeads);
        }
        llvm_unreachable("all kinds are handled");
      })
      .Case([&](attn::LoadOp load) {
        int64_t tensor = tensors.lookup(load.getTensor());
        return tile::ElementOp::create(builder, loc, load.getType(), tensor,
                                       elements[tensor],
                                       operands(op.getNumOperands()));
      })
      .Case([&](attn::SelectedOp selected) {
        StringRef name = selected.getSelection();
        return tile::SelectedOp::create(
            builder, loc, selections.lookup(name), choiceOf(kinds.lookup(name)),
            operand(0), operand(1), operand(2), operand(3), operand(4));
      })
      .Case([&](attn::FloorDivOp) {
        return floorDivide(emit, operand(0), operand(1)).first;
      })
      .Case([&](attn::ModOp) {
        return floorDivide(emit, operand(0), operand(1)).second;
      })
      .Case([&](attn::BitOp) { return testBit(emit, operand(0), operand(1)); })
      .Default([&](Operation *other) {
        return builder.clone(*other, values)->getResult(0);
      });
}

SmallVector<Value> PatternInliner::clone(OpBuilder &builder, Region &region,
                                         ValueRange arguments, Value b,
                                         Value lane, Value keep) const {
  IRMapping values;
  Block &block = region.front();
  values.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    auto accumulate = dyn_cast<attn::AccumulateOp>(op);
    if (!accumulate) {
      values.map(op.getResult(0), convert(builder, op, values, b));
      continue;
    }
    if (!lane) // Another kernel accumulates them.
      continue;
    Location loc = op.getLoc();
    SmallVector<Value> indices;
    for (Value index : accumulate.getIndices())
      indices.push_back(values.lookup(index));
    Value value = values.lookup(accumulate.getValue());
    if (keep) {
      Value zero =
          arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
      value = arith::SelectOp::create(builder, loc, keep, value, zero);
    }
    tile::AccumulateOp::create(builder, loc,
                               tensors.lookup(accumulate.getTensor()), indices,
                               value, lane);
  }
  SmallVector<Value> results;
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(values.lookup(operand));
  return results;
}
