//===- HostEmitter.cpp - the kernel function, its scalars and loops -------===//

#include "compiler/Lower/HostEmitter.h"

#include "compiler/KernelAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstddef>

using namespace mlir;
using namespace jacquard;

HostEmitter::HostEmitter(tile::KernelOp kernel, int64_t lanes)
    : kernel(kernel), lanes(lanes), buffers(kernel), builder(kernel),
      loc(kernel.getLoc()) {
  i64 = builder.getI64Type();
  i32 = builder.getI32Type();
  i1 = builder.getI1Type();
  f32 = builder.getF32Type();
  pointerType = LLVM::LLVMPointerType::get(builder.getContext());
}

LogicalResult HostEmitter::emit() {
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()),
      {pointerType, i64, i64, i64, i64, pointerType});
  function = LLVM::LLVMFuncOp::create(builder, loc, kernel.getSymName(), type);
  // Scratch is the worker's own: nothing else in reach points into it.
  function.setArgAttr(5, LLVM::LLVMDialect::getNoAliasAttrName(),
                      builder.getUnitAttr());
  function.setArgAttr(5, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(64));
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  args = entry->getArgument(0);
  scratch = entry->getArgument(5);
  lane = entry->getArgument(4);
  Block &body = kernel.getBody().front();
  for (unsigned i = 0; i < 4; ++i)
    scalars.map(body.getArgument(i), entry->getArgument(i + 1));
  return emitBlock(body);
}

LogicalResult HostEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(op)))
      return failure();
  return success();
}

LogicalResult HostEmitter::emitOp(Operation &op) {
  loc = op.getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](tile::ReturnOp) {
        LLVM::ReturnOp::create(builder, loc, ValueRange());
        return success();
      })
      .Case([&](scf::ForOp) { return emitFor(op); })
      .Case([&](scf::YieldOp) { return success(); }) // emitFor copies.
      .Case([&](tile::RingOp) { return success(); }) // HostBuffers placed it.
      .Case<tile::CommitOp, tile::ReleaseOp>(
          [&](auto) { return success(); }) // One thread: always in order.
      .Case([&](tile::AcquireOp use) {
        emitStage(op, use.getRing(), use.getUse(), use.getStage());
        return success();
      })
      .Case([&](tile::WaitOp use) {
        emitStage(op, use.getRing(), use.getUse(), use.getStage());
        return success();
      })
      .Case([&](tile::ViewOp view) { return emitView(view), success(); })
      .Case([&](tile::PlanRangeOp range) {
        return emitPlanRange(range), success();
      })
      .Case([&](tile::PlanRunOp run) { return emitPlanRun(run), success(); })
      .Case([&](tile::FillOp fill) { return emitFill(fill), success(); })
      .Case([&](tile::LoadOp loadOp) { return emitLoad(loadOp), success(); })
      .Case([&](tile::StoreOp store) { return emitStore(store), success(); })
      .Case([&](tile::CopyOp copy) { return emitCopy(copy), success(); })
      .Case([&](tile::MmaOp mma) { return emitMma(mma), success(); })
      .Case([&](tile::MapOp map) { return emitMap(map); })
      .Case(
          [&](tile::ReduceOp reduce) { return emitReduce(reduce), success(); })
      .Case([&](tile::StorePartialOp store) {
        return emitStorePartial(store), success();
      })
      .Default([&](Operation *) -> LogicalResult {
        Value value = scalarOp(op);
        if (!value)
          return op.emitOpError("has no place in a host kernel");
        scalars.map(op.getResult(0), value);
        return success();
      });
}

/// A scalar value of the kernel: of the launch, of the pattern's data, or any
/// element-wise op on scalars. Null for anything else.
Value HostEmitter::scalarOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, Value>(&op)
      .Case([&](tile::ScalarOp scalar) -> Value {
        switch (scalar.getKind()) {
        case tile::ScalarKind::Heads:
          return argument(offsetof(KernelArgs, heads), i64);
        case tile::ScalarKind::KvHeads:
          return argument(offsetof(KernelArgs, kvHeads), i64);
        case tile::ScalarKind::Group:
          return argument(offsetof(KernelArgs, group), i64);
        case tile::ScalarKind::Scale:
          break;
        }
        Value scale =
            argument(offsetof(KernelArgs, scale), builder.getF64Type());
        return arith::TruncFOp::create(builder, loc, f32, scale);
      })
      .Case([&](tile::ParamOp param) -> Value {
        Value params = argument(offsetof(KernelArgs, params), pointerType);
        Value slot = pointer(params, param.getIndex() * 8);
        Type type = param.getType();
        if (type.isF32())
          return arith::TruncFOp::create(builder, loc, f32,
                                         load(builder.getF64Type(), slot));
        Value bits = load(i64, slot);
        if (type.isInteger(64))
          return bits;
        return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                     bits, constant(0));
      })
      .Case([&](tile::LengthOp length) -> Value {
        int64_t offset = 0;
        switch (length.getKind()) {
        case tile::LengthKind::QLen:
          offset = offsetof(KernelArgs, qLens);
          break;
        case tile::LengthKind::KLen:
          offset = offsetof(KernelArgs, kLens);
          break;
        case tile::LengthKind::QStart:
          offset = offsetof(KernelArgs, qStarts);
          break;
        case tile::LengthKind::KStart:
          offset = offsetof(KernelArgs, kStarts);
          break;
        case tile::LengthKind::QOffset:
          offset = offsetof(KernelArgs, qOffsets);
          break;
        }
        Value b = scalars.lookup(length.getB());
        return load(
            i64, pointer(argument(offset, pointerType), mul(b, constant(8))));
      })
      .Case(
          [&](tile::ElementOp element) { return elementOf(element, scalars); })
      .Case([&](tile::SelectedOp op) { return selected(op, scalars); })
      .Case([&](tile::PeekOp op) { return peek(op, scalars); })
      .Default([&](Operation *other) -> Value {
        StringRef dialect = other->getName().getDialectNamespace();
        if (other->getNumRegions() || other->getNumResults() != 1 ||
            (dialect != "arith" && dialect != "math"))
          return {};
        return builder.clone(*other, scalars)->getResult(0);
      });
}

LogicalResult HostEmitter::emitFor(Operation &op) {
  auto forOp = cast<scf::ForOp>(op);
  SmallVector<Value> inits;
  for (auto [init, arg] :
       llvm::zip_equal(forOp.getInitArgs(), forOp.getRegionIterArgs())) {
    if (!isa<tile::FragType>(init.getType()))
      inits.push_back(scalars.lookup(init));
    else if (buffers.of(init).offset != buffers.of(arg).offset)
      copyBuffer(buffers.of(init), buffers.of(arg));
  }
  auto emitted =
      scf::ForOp::create(builder, loc, scalars.lookup(forOp.getLowerBound()),
                         scalars.lookup(forOp.getUpperBound()),
                         scalars.lookup(forOp.getStep()), inits);
  unsigned next = 0;
  scalars.map(forOp.getInductionVar(), emitted.getInductionVar());
  for (Value arg : forOp.getRegionIterArgs())
    if (!isa<tile::FragType>(arg.getType()))
      scalars.map(arg, emitted.getRegionIterArg(next++));

  OpBuilder::InsertionGuard guard(builder);
  // Without loop-carried scalars the builder has made a terminator already.
  Block *body = emitted.getBody();
  if (!body->empty())
    body->back().erase();
  builder.setInsertionPointToEnd(body);
  if (failed(emitBlock(*forOp.getBody())))
    return failure();
  SmallVector<Value> yields;
  SmallVector<int64_t> written;
  for (auto [yielded, arg] : llvm::zip_equal(
           cast<scf::YieldOp>(forOp.getBody()->getTerminator()).getOperands(),
           forOp.getRegionIterArgs())) {
    if (!isa<tile::FragType>(arg.getType())) {
      yields.push_back(scalars.lookup(yielded));
      continue;
    }
    const HostBuffer &from = buffers.of(yielded), &to = buffers.of(arg);
    if (from.offset == to.offset)
      continue;
    if (llvm::is_contained(written, from.offset))
      return forOp.emitOpError("permutes the fragments it carries");
    copyBuffer(from, to);
    written.push_back(to.offset);
  }
  scf::YieldOp::create(builder, loc, yields);
  next = 0;
  for (Value result : forOp.getResults())
    if (!isa<tile::FragType>(result.getType()))
      scalars.map(result, emitted.getResult(next++));
  return success();
}

void HostEmitter::emitView(tile::ViewOp op) {
  static constexpr int64_t offsets[] = {
      offsetof(KernelArgs, q),    offsetof(KernelArgs, k),
      offsetof(KernelArgs, v),    offsetof(KernelArgs, out),
      offsetof(KernelArgs, lse),  offsetof(KernelArgs, dOut),
      offsetof(KernelArgs, dLse), offsetof(KernelArgs, delta),
      offsetof(KernelArgs, dq),   offsetof(KernelArgs, dk),
      offsetof(KernelArgs, dv)};
  int64_t arg = offsets[static_cast<int64_t>(op.getOperand())];
  tile::ViewType type = op.getType();
  View view;
  view.cols = type.getCols();
  view.element = type.getElement();
  view.rowStride = argument(arg + offsetof(OperandArg, rowStride), i64);
  Value batch = mul(scalars.lookup(op.getB()),
                    argument(arg + offsetof(OperandArg, batchStride), i64));
  Value head = mul(scalars.lookup(op.getH()),
                   argument(arg + offsetof(OperandArg, headStride), i64));
  Value start = mul(scalars.lookup(op.getStart()), view.rowStride);
  int64_t size = view.element.getIntOrFloatBitWidth() / 8;
  view.base = pointer(argument(arg, pointerType),
                      mul(add(add(batch, head), start), constant(size)));
  views[op] = view;
}

/// Offset of the PlanArg of an axis.
static int64_t planOffset(tile::WalkAxis axis) {
  return axis == tile::WalkAxis::Keys ? offsetof(KernelArgs, keys)
                                      : offsetof(KernelArgs, queries);
}

void HostEmitter::emitPlanRange(tile::PlanRangeOp op) {
  int64_t plan = planOffset(op.getAxis());
  Value batch = mul(scalars.lookup(op.getB()),
                    argument(plan + offsetof(PlanArg, batchStride), i64));
  Value head = mul(scalars.lookup(op.getH()),
                   argument(plan + offsetof(PlanArg, headStride), i64));
  Value row = add(add(batch, head), scalars.lookup(op.getBlock()));
  Value slot =
      pointer(argument(plan + offsetof(PlanArg, rowStart), pointerType),
              mul(row, constant(8)));
  scalars.map(op.getFirst(), load(i64, slot));
  scalars.map(op.getLast(), load(i64, pointer(slot, 8)));
}

void HostEmitter::emitPlanRun(tile::PlanRunOp op) {
  int64_t plan = planOffset(op.getAxis());
  Value slot =
      pointer(argument(plan + offsetof(PlanArg, runs), pointerType),
              mul(scalars.lookup(op.getRun()), constant(sizeof(TileRun))));
  scalars.map(op.getBegin(), load(i64, slot));
  scalars.map(op.getEnd(), load(i64, pointer(slot, offsetof(TileRun, end))));
  Value full =
      load(builder.getI8Type(), pointer(slot, offsetof(TileRun, full)));
  scalars.map(op.getFull(), arith::TruncIOp::create(builder, loc, i1, full));
}

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

Value HostEmitter::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

Value HostEmitter::constantFloat(double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}

Value HostEmitter::pointer(Value base, Value bytes) {
  return LLVM::GEPOp::create(builder, loc, pointerType, builder.getI8Type(),
                             base, ArrayRef<LLVM::GEPArg>{bytes});
}

Value HostEmitter::pointer(Value base, int64_t bytes) {
  return LLVM::GEPOp::create(
      builder, loc, pointerType, builder.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value HostEmitter::load(Type type, Value address) {
  unsigned alignment = 0;
  if (auto vector =
          dyn_cast<VectorType>(type)) // Any element's address will do.
    alignment = vector.getElementTypeBitWidth() / 8;
  return LLVM::LoadOp::create(builder, loc, type, address, alignment);
}

Value HostEmitter::argument(int64_t offset, Type type) {
  return load(type, pointer(args, offset));
}

Value HostEmitter::mul(Value a, Value b) {
  return arith::MulIOp::create(builder, loc, a, b);
}

Value HostEmitter::add(Value a, Value b) {
  return arith::AddIOp::create(builder, loc, a, b);
}

Value HostEmitter::smaller(Value a, Value b) {
  return arith::MinSIOp::create(builder, loc, a, b);
}

VectorType HostEmitter::vectorOf(Type element, int64_t count) {
  return VectorType::get({count}, element);
}

void HostEmitter::loop(Value count, int64_t step,
                       const std::function<void(Value)> &body) {
  auto forOp =
      scf::ForOp::create(builder, loc, constant(0), count, constant(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  body(forOp.getInductionVar());
}

void HostEmitter::loop(int64_t count, int64_t step,
                       const std::function<void(Value)> &body) {
  if (count == step) // One trip: no loop.
    return body(constant(0));
  loop(constant(count), step, body);
}

Value HostEmitter::element(const HostBuffer &buffer, Value row, Value col) {
  Value index = add(mul(row, constant(buffer.pitch)), col);
  return pointer(pointer(scratch, buffer.offset), mul(index, constant(4)));
}
