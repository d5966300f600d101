//===- HostMemory.cpp - moving rows between operands and scratch ----------===//

#include "compiler/KernelAbi.h"
#include "compiler/Lower/HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cstddef>

using namespace mlir;
using namespace jacquard;

/// `type` with `element` in place of its element type.
static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

static Value splat(OpBuilder &builder, Location loc, Type type, int64_t value) {
  Attribute attr = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(attr));
}

Value HostEmitter::widen(Value stored) {
  Type element = getElementTypeOrSelf(stored.getType());
  if (element.isF32())
    return stored;
  Type result = withElement(stored.getType(), f32);
  if (element.isF16())
    return arith::ExtFOp::create(builder, loc, result, stored);
  // bf16 is the upper half of fp32.
  Type half = withElement(stored.getType(), builder.getI16Type());
  Type word = withElement(stored.getType(), i32);
  Value bits = arith::BitcastOp::create(builder, loc, half, stored);
  bits = arith::ExtUIOp::create(builder, loc, word, bits);
  bits =
      arith::ShLIOp::create(builder, loc, bits, splat(builder, loc, word, 16));
  return arith::BitcastOp::create(builder, loc, result, bits);
}

Value HostEmitter::narrow(Value value, Type element) {
  if (element.isF32())
    return value;
  Type type = value.getType();
  if (element.isF16())
    return arith::TruncFOp::create(builder, loc, withElement(type, element),
                                   value);
  // To nearest even by adding half a unit (less one where the kept part is
  // even); a NaN keeps its upper bits and is made quiet. Written out because a
  // call into a support library stands behind the truncation on machines
  // without bf16.
  Type word = withElement(type, i32),
       half = withElement(type, builder.getI16Type());
  auto constantOf = [&](int64_t bits) {
    return splat(builder, loc, word, bits);
  };
  Value bits = arith::BitcastOp::create(builder, loc, word, value);
  Value upper = arith::ShRUIOp::create(builder, loc, bits, constantOf(16));
  Value odd = arith::AndIOp::create(builder, loc, upper, constantOf(1));
  Value rounded = arith::AddIOp::create(
      builder, loc, bits,
      arith::AddIOp::create(builder, loc, odd, constantOf(0x7fff)));
  rounded = arith::ShRUIOp::create(builder, loc, rounded, constantOf(16));
  Value quiet = arith::OrIOp::create(builder, loc, upper, constantOf(0x40));
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      value, value);
  Value result = arith::SelectOp::create(builder, loc, isNan, quiet, rounded);
  result = arith::TruncIOp::create(builder, loc, half, result);
  return arith::BitcastOp::create(builder, loc, withElement(type, element),
                                  result);
}

Value HostEmitter::viewElement(const View &view, Value row, Value col) {
  Value index = mul(row, view.rowStride);
  if (col)
    index = add(index, col);
  int64_t size = view.element.getIntOrFloatBitWidth() / 8;
  return pointer(view.base, mul(index, constant(size)));
}

Value HostEmitter::peek(tile::PeekOp op, IRMapping &values) {
  const View &view = views.at(op.getView());
  Value row = values.lookup(op.getRow());
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       row, values.lookup(op.getValid()));
  // Row 0 exists whenever the kernel runs.
  Value safe = arith::SelectOp::create(builder, loc, inside, row, constant(0));
  Value value = widen(load(view.element, viewElement(view, safe, Value())));
  return arith::SelectOp::create(builder, loc, inside, value,
                                 values.lookup(op.getFill()));
}

void HostEmitter::emitLoad(tile::LoadOp op) {
  const View &view = views.at(op.getView());
  const HostBuffer &to = buffers.of(op.getResult());
  Value row = scalars.lookup(op.getRow());
  Value fill = scalars.lookup(op.getFill());
  bool vector = view.cols == 0;
  // A vector lies along the columns, as the rows of a transposed load do.
  bool across = vector || op.getTransposed();
  int64_t held = across ? to.cols : to.rows;
  Value valid = smaller(scalars.lookup(op.getValid()), constant(held));

  loop(to.rows, 1, [&](Value r) {
    loop(to.cols, lanes, [&](Value c) {
      LLVM::StoreOp::create(builder, loc, broadcast(fill), element(to, r, c),
                            4);
    });
  });
  loop(valid, 1, [&](Value r) {
    Value source = add(row, r);
    if (vector) {
      Value value = load(view.element, viewElement(view, source, Value()));
      LLVM::StoreOp::create(builder, loc, widen(value),
                            element(to, constant(0), r));
      return;
    }
    loop(view.cols, 1, [&](Value c) {
      Value value = widen(load(view.element, viewElement(view, source, c)));
      Value address =
          op.getTransposed() ? element(to, c, r) : element(to, r, c);
      LLVM::StoreOp::create(builder, loc, value, address);
    });
  });
}

void HostEmitter::emitStore(tile::StoreOp op) {
  const View &view = views.at(op.getView());
  const HostBuffer &from = buffers.of(op.getFrag());
  Value row = scalars.lookup(op.getRow());
  bool vector = view.cols == 0;
  int64_t held = vector || op.getTransposed() ? from.cols : from.rows;
  Value valid = smaller(scalars.lookup(op.getValid()), constant(held));
  loop(valid, 1, [&](Value r) {
    Value target = add(row, r);
    if (vector) {
      Value value = load(f32, element(from, constant(0), r));
      LLVM::StoreOp::create(builder, loc, narrow(value, view.element),
                            viewElement(view, target, Value()));
      return;
    }
    loop(view.cols, 1, [&](Value c) {
      Value address =
          op.getTransposed() ? element(from, c, r) : element(from, r, c);
      LLVM::StoreOp::create(builder, loc,
                            narrow(load(f32, address), view.element),
                            viewElement(view, target, c));
    });
  });
}

void HostEmitter::emitStage(Operation &op, Value ring, Value use, Value stage) {
  auto type = cast<tile::RingType>(ring.getType());
  HostBuffer shape = buffers.of(ring);
  shape.rows = type.getRows();
  Value base = pointer(scratch, shape.offset);
  if (type.getStages() > 1) {
    Value index = arith::RemSIOp::create(builder, loc, scalars.lookup(use),
                                         constant(type.getStages()));
    base = pointer(base, mul(index, constant(shape.rows * shape.pitch * 4)));
  }
  stageBases[stage] = base;
  stageShapes[stage] = shape;
}

void HostEmitter::emitCopy(tile::CopyOp op) {
  const View &view = views.at(op.getView());
  HostBuffer shape = stageShapes.at(op.getStage());
  Value base = stageBases.at(op.getStage());
  Value row = scalars.lookup(op.getRow());
  Value valid = smaller(scalars.lookup(op.getValid()), constant(shape.rows));
  auto target = [&](Value r, Value c) {
    Value index = add(mul(r, constant(shape.pitch)), c);
    return pointer(base, mul(index, constant(4)));
  };
  auto zero = [&](Value address, int64_t count) {
    VectorType type = vectorOf(f32, count);
    Value zeros =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    LLVM::StoreOp::create(builder, loc, zeros, address, 4);
  };
  int64_t whole = view.cols / lanes * lanes, tail = view.cols - whole;
  loop(valid, 1, [&](Value r) {
    Value source = add(row, r);
    auto move = [&](Value c, int64_t count) {
      Value value =
          load(vectorOf(view.element, count), viewElement(view, source, c));
      LLVM::StoreOp::create(builder, loc, widen(value), target(r, c), 4);
    };
    if (whole)
      loop(whole, lanes, [&](Value c) { move(c, lanes); });
    if (tail)
      move(constant(whole), tail);
    if (shape.cols > view.cols)
      zero(target(r, constant(view.cols)), shape.cols - view.cols);
  });
  // Zero rows past the valid ones: they take part in products.
  auto rest = scf::ForOp::create(builder, loc, valid, constant(shape.rows),
                                 constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(rest.getBody());
  int64_t chunk = std::min(lanes, shape.cols);
  int64_t covered = shape.cols / chunk * chunk;
  loop(covered, chunk,
       [&](Value c) { zero(target(rest.getInductionVar(), c), chunk); });
  if (covered < shape.cols)
    zero(target(rest.getInductionVar(), constant(covered)),
         shape.cols - covered);
}

void HostEmitter::copyBuffer(const HostBuffer &from, const HostBuffer &to) {
  Value bytes = constant(from.rows * from.pitch * 4);
  LLVM::MemcpyOp::create(builder, loc, pointer(scratch, to.offset),
                         pointer(scratch, from.offset), bytes,
                         /*isVolatile=*/false);
}

void HostEmitter::emitStorePartial(tile::StorePartialOp op) {
  const HostBuffer &from = buffers.of(op.getFrag());
  Type f64 = builder.getF64Type();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(0));
  auto sum = scf::ForOp::create(builder, loc, constant(0), constant(from.cols),
                                constant(1), ValueRange{zero});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(sum.getBody());
    Value value = load(f32, element(from, constant(0), sum.getInductionVar()));
    value = arith::ExtFOp::create(builder, loc, f64, value);
    value = arith::AddFOp::create(builder, loc, sum.getRegionIterArg(0), value);
    scf::YieldOp::create(builder, loc, value);
  }
  Value row = mul(scalars.lookup(op.getB()),
                  argument(offsetof(KernelArgs, heads), i64));
  row = mul(add(row, scalars.lookup(op.getH())),
            argument(offsetof(KernelArgs, rowBlocks), i64));
  row = add(row, scalars.lookup(op.getBlock()));
  Value base = argument(offsetof(KernelArgs, sinkPartial), pointerType);
  LLVM::StoreOp::create(builder, loc, sum.getResult(0),
                        pointer(base, mul(row, constant(8))));
}
