//===- HostMap.cpp - element-wise regions as loops over vectors -----------===//
//
// A map becomes a loop over vectors of columns and, inside it, a loop over
// rows. Each op of the region is emitted once, at the outermost place where its
// operands are known: before the loops, in the column loop (as a vector), or in
// the row loop (as a scalar if it depends on the row alone, else as a vector).
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace jacquard;

namespace {
/// What a value of the region varies with.
struct Varies {
  bool row = false, col = false;
};
} // namespace

Value HostEmitter::broadcast(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, loc,
                                     vectorOf(value.getType(), lanes), value);
}

static llvm::DenseMap<Value, Varies> analyze(tile::MapOp op) {
  llvm::DenseMap<Value, Varies> varies;
  Block &body = op.getBody().front();
  size_t inputs = op.getInputs().size();
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    bool vector = cast<tile::FragType>(input.getType()).isVector();
    varies[body.getArgument(i)] = {!vector, true};
  }
  varies[body.getArgument(inputs)].row = true;
  varies[body.getArgument(inputs + 1)].col = true;
  for (Operation &inner : body) {
    Varies own;
    for (Value operand : inner.getOperands()) {
      Varies of = varies.lookup(operand);
      own.row |= of.row;
      own.col |= of.col;
    }
    for (Value result : inner.getResults())
      varies[result] = own;
  }
  return varies;
}

LogicalResult HostEmitter::emitMap(tile::MapOp op) {
  llvm::DenseMap<Value, Varies> varies = analyze(op);
  Block &body = op.getBody().front();
  size_t inputs = op.getInputs().size();
  int64_t rows = 1, cols = 0;
  for (Type type : llvm::concat<const Type>(op.getInputs().getTypes(),
                                            op.getResults().getTypes())) {
    auto frag = cast<tile::FragType>(type);
    cols = frag.getCols();
    rows = std::max(rows, frag.getRows());
  }

  IRMapping values(scalars);
  bool failed = false;
  // Emits the ops of one place; those with effects belong to the innermost.
  auto emitWhere = [&](bool row, bool col) {
    for (Operation &inner : body.without_terminator()) {
      Varies of;
      if (inner.getNumResults())
        of = varies.lookup(inner.getResult(0));
      else
        of = {true, true};
      if (of.row == row && of.col == col &&
          mlir::failed(emitMapOp(inner, values)))
        failed = true;
    }
  };
  auto inputAt = [&](size_t i, Value row, Value col) {
    const HostBuffer &buffer = buffers.of(op.getInputs()[i]);
    values.map(body.getArgument(i),
               load(vectorOf(f32, lanes), element(buffer, row, col)));
  };

  emitWhere(false, false);
  loop(cols, lanes, [&](Value col) {
    SmallVector<int64_t> steps(lanes);
    for (int64_t i = 0; i < lanes; ++i)
      steps[i] = i;
    Value first = add(scalars.lookup(op.getCols()), col);
    Value iota = arith::ConstantOp::create(builder, loc,
                                           builder.getI64VectorAttr(steps));
    values.map(body.getArgument(inputs + 1), add(broadcast(first), iota));
    for (size_t i = 0; i < inputs; ++i)
      if (!varies.lookup(body.getArgument(i)).row)
        inputAt(i, constant(0), col);
    emitWhere(false, true);
    loop(rows, 1, [&](Value row) {
      values.map(body.getArgument(inputs),
                 add(scalars.lookup(op.getRows()), row));
      for (size_t i = 0; i < inputs; ++i)
        if (varies.lookup(body.getArgument(i)).row)
          inputAt(i, row, col);
      emitWhere(true, false);
      emitWhere(true, true);
      auto yield = cast<tile::YieldOp>(body.getTerminator());
      for (auto [value, result] :
           llvm::zip_equal(yield.getValues(), op.getResults()))
        LLVM::StoreOp::create(builder, loc, broadcast(values.lookup(value)),
                              element(buffers.of(result), row, col), 4);
    });
  });
  return failure(failed);
}

LogicalResult HostEmitter::emitMapOp(Operation &op, IRMapping &values) {
  loc = op.getLoc();
  if (auto elementOp = dyn_cast<tile::ElementOp>(op))
    return values.map(elementOp, elementOf(elementOp, values)), success();
  if (auto selectedOp = dyn_cast<tile::SelectedOp>(op))
    return values.map(selectedOp, selected(selectedOp, values)), success();
  if (auto accumulateOp = dyn_cast<tile::AccumulateOp>(op))
    return accumulate(accumulateOp, values), success();
  if (auto peekOp = dyn_cast<tile::PeekOp>(op)) {
    if (isa<VectorType>(values.lookup(peekOp.getRow()).getType()))
      return peekOp.emitOpError(
          "row must not vary along the columns on the host");
    return values.map(peekOp, peek(peekOp, values)), success();
  }
  if (op.getNumOperands() == 0 || op.getNumResults() != 1) {
    Value value = scalarOp(op);
    if (!value)
      return op.emitOpError("has no place in a map on the host");
    return values.map(op.getResult(0), value), success();
  }

  SmallVector<Value> operands;
  bool wide = false;
  for (Value operand : op.getOperands()) {
    operands.push_back(values.lookup(operand));
    wide |= isa<VectorType>(operands.back().getType());
  }
  if (!wide) {
    values.map(op.getResult(0), builder.clone(op, values)->getResult(0));
    return success();
  }
  for (Value &operand : operands)
    operand = broadcast(operand);
  OperationState state(loc, op.getName().getStringRef(), operands,
                       {vectorOf(op.getResult(0).getType(), lanes)},
                       op.getAttrs());
  values.map(op.getResult(0), builder.create(state)->getResult(0));
  return success();
}

void HostEmitter::emitFill(tile::FillOp op) {
  const HostBuffer &to = buffers.of(op.getResult());
  Value value = broadcast(scalars.lookup(op.getValue()));
  loop(to.rows, 1, [&](Value row) {
    loop(to.cols, lanes, [&](Value col) {
      LLVM::StoreOp::create(builder, loc, value, element(to, row, col), 4);
    });
  });
}

void HostEmitter::emitReduce(tile::ReduceOp op) {
  const HostBuffer &from = buffers.of(op.getFrag());
  const HostBuffer &init = buffers.of(op.getInit());
  const HostBuffer &to = buffers.of(op.getResult());
  VectorType type = vectorOf(f32, lanes);
  loop(from.cols, lanes, [&](Value col) {
    Value start = load(type, element(init, constant(0), col));
    auto rows =
        scf::ForOp::create(builder, loc, constant(0), constant(from.rows),
                           constant(1), ValueRange{start});
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(rows.getBody());
      Value next = load(type, element(from, rows.getInductionVar(), col));
      Value sum = rows.getRegionIterArg(0);
      if (op.getCombine() == tile::Combine::Max)
        sum = arith::MaxNumFOp::create(builder, loc, sum, next);
      else
        sum = arith::AddFOp::create(builder, loc, sum, next);
      scf::YieldOp::create(builder, loc, sum);
    }
    LLVM::StoreOp::create(builder, loc, rows.getResult(0),
                          element(to, constant(0), col), 4);
  });
}
