//===- HostPatternData.cpp - tensors and selections of the pattern --------===//

#include "compiler/KernelAbi.h"
#include "compiler/Lower/HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cstddef>

using namespace mlir;
using namespace jacquard;

static bool isWide(Value value) { return isa<VectorType>(value.getType()); }

/// Gives two values one type: vectors if one of them is.
static void match(function_ref<Value(Value)> broadcast, Value &a, Value &b) {
  if (isWide(a) || isWide(b)) {
    a = broadcast(a);
    b = broadcast(b);
  }
}

Value HostEmitter::linearIndex(Value arg, int64_t shapeOffset,
                               int64_t strideOffset, ValueRange indices) {
  auto wide = [&](Value value) { return broadcast(value); };
  Value sum = constant(0);
  for (auto [axis, given] : llvm::enumerate(indices)) {
    int64_t slot = static_cast<int64_t>(axis) * 8;
    Value last = load(i64, pointer(arg, shapeOffset + slot));
    last = arith::SubIOp::create(builder, loc, last, constant(1));
    Value stride = load(i64, pointer(arg, strideOffset + slot));
    Value index = given, low = constant(0);
    match(wide, index, last);
    index = arith::MinSIOp::create(builder, loc, index, last);
    match(wide, index, low);
    index = arith::MaxSIOp::create(builder, loc, index, low);
    match(wide, index, stride);
    index = mul(index, stride);
    match(wide, sum, index);
    sum = add(sum, index);
  }
  return sum;
}

Value HostEmitter::gather(Value base, Value index, Type element) {
  int64_t size = element.getIntOrFloatBitWidth() / 8;
  if (!isWide(index))
    return load(element, pointer(base, mul(index, constant(size))));
  auto addresses = vectorOf(pointerType, lanes);
  Value pointers = LLVM::GEPOp::create(builder, loc, addresses, element, base,
                                       ArrayRef<LLVM::GEPArg>{index});
  Value mask = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(vectorOf(i1, lanes), true));
  VectorType type = vectorOf(element, lanes);
  Value nothing = LLVM::PoisonOp::create(builder, loc, type);
  return LLVM::masked_gather::create(builder, loc, type, pointers, mask,
                                     ValueRange{nothing},
                                     static_cast<uint32_t>(size));
}

static SmallVector<Value> lookup(IRMapping &values, ValueRange operands) {
  SmallVector<Value> found;
  for (Value operand : operands)
    found.push_back(values.lookup(operand));
  return found;
}

Value HostEmitter::elementOf(tile::ElementOp op, IRMapping &values) {
  Value arg = pointer(argument(offsetof(KernelArgs, tensors), pointerType),
                      op.getTensor() * sizeof(TensorArg));
  Value index =
      linearIndex(arg, offsetof(TensorArg, shape), offsetof(TensorArg, strides),
                  lookup(values, op.getIndices()));
  Value stored = gather(load(pointerType, arg), index, op.getElement());
  if (isa<FloatType>(op.getElement()))
    return widen(stored);
  Type result = isWide(stored) ? Type(vectorOf(i64, lanes)) : i64;
  return arith::ExtSIOp::create(builder, loc, result, stored);
}

void HostEmitter::accumulate(tile::AccumulateOp op, IRMapping &values) {
  Value arg = pointer(argument(offsetof(KernelArgs, tensors), pointerType),
                      op.getTensor() * sizeof(TensorArg));
  Value base = load(pointerType, pointer(arg, offsetof(TensorArg, grad)));
  Value own =
      mul(lane, load(i64, pointer(arg, offsetof(TensorArg, gradLaneStride))));
  base = pointer(base, mul(own, constant(4)));
  Value index = linearIndex(arg, offsetof(TensorArg, shape),
                            offsetof(TensorArg, gradStrides),
                            lookup(values, op.getIndices()));
  Value value = values.lookup(op.getValue());
  auto addTo = [&](Value at, Value amount) {
    Value address = pointer(base, mul(at, constant(4)));
    Value sum = arith::AddFOp::create(builder, loc, load(f32, address), amount);
    LLVM::StoreOp::create(builder, loc, sum, address);
  };
  value = broadcast(value);
  if (!isWide(index)) {
    addTo(index, vector::ReductionOp::create(
                     builder, loc, vector::CombiningKind::ADD, value));
    return;
  }
  // Lane by lane: two lanes may name the same element.
  for (int64_t i = 0; i < lanes; ++i)
    addTo(vector::ExtractOp::create(builder, loc, index, i),
          vector::ExtractOp::create(builder, loc, value, i));
}

Value HostEmitter::selected(tile::SelectedOp op, IRMapping &values) {
  auto wide = [&](Value v) { return broadcast(v); };
  Value arg = pointer(argument(offsetof(KernelArgs, selections), pointerType),
                      op.getSelection() * sizeof(SelectionArg));
  auto slot = [&](int64_t offset) { return load(i64, pointer(arg, offset)); };
  auto block = [&](Value position, int64_t sizeOffset) {
    Value size = slot(sizeOffset);
    match(wide, position, size);
    return arith::DivSIOp::create(builder, loc, position, size).getResult();
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a,
                     Value b) -> Value {
    match(wide, a, b);
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };

  Value b = values.lookup(op.getB()), h = values.lookup(op.getH());
  Value g = values.lookup(op.getG()), row = values.lookup(op.getRow());
  Value k = values.lookup(op.getK());
  bool intervals = false;
  SmallVector<Value> indices;
  Value sought; // A block, or a position within an interval.
  switch (op.getChoice()) {
  case tile::Choice::Blocks:
    indices = {b, h, block(row, offsetof(SelectionArg, qBlock))};
    sought = block(k, offsetof(SelectionArg, kBlock));
    break;
  case tile::Choice::TokenBlocks:
    indices = {b, g, row};
    sought = block(k, offsetof(SelectionArg, kBlock));
    break;
  case tile::Choice::RowIntervals:
    indices = {b, h, row};
    sought = k;
    intervals = true;
    break;
  case tile::Choice::ColumnIntervals:
    indices = {b, h, k};
    sought = row;
    intervals = true;
    break;
  }
  Value list = linearIndex(arg, offsetof(SelectionArg, shape),
                           offsetof(SelectionArg, strides), indices);
  Value data = load(pointerType, arg);
  Value entryStride = slot(offsetof(SelectionArg, strides) + 3 * 8);
  auto entryAt = [&](Value offset) {
    Value at = list;
    match(wide, at, offset);
    Value stored = gather(data, add(at, offset), i32);
    Type type = isWide(stored) ? Type(vectorOf(i64, lanes)) : i64;
    return arith::ExtSIOp::create(builder, loc, type, stored).getResult();
  };

  bool wideResult = isWide(list) || isWide(sought);
  Value no = arith::ConstantIntOp::create(builder, loc, 0, 1);
  if (wideResult)
    no = broadcast(no);
  auto entries = scf::ForOp::create(builder, loc, constant(0),
                                    slot(offsetof(SelectionArg, shape) + 3 * 8),
                                    constant(1), ValueRange{no});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entries.getBody());
  Value offset = mul(entries.getInductionVar(), entryStride);
  Value hit;
  if (intervals) {
    Value pairStride = slot(offsetof(SelectionArg, strides) + 4 * 8);
    Value above = compare(arith::CmpIPredicate::sge, sought, entryAt(offset));
    Value below = compare(arith::CmpIPredicate::slt, sought,
                          entryAt(add(offset, pairStride)));
    match(wide, above, below);
    hit = arith::AndIOp::create(builder, loc, above, below);
  } else {
    hit = compare(arith::CmpIPredicate::eq, sought, entryAt(offset));
  }
  if (wideResult)
    hit = broadcast(hit);
  hit = arith::OrIOp::create(builder, loc, entries.getRegionIterArg(0), hit);
  scf::YieldOp::create(builder, loc, hit);
  return entries.getResult(0);
}
