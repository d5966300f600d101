//===- KernelBuilder.cpp - scalars, fragments, scores ---------------------===//

#include "compiler/Lower/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace jacquard;

/// Padded to the rows that a matrix product holds in registers.
static constexpr int64_t dimMultiple = 8;

KernelBuilder::KernelBuilder(const KernelProblem &problem,
                             const PatternInliner &inliner, OpBuilder builder,
                             Location loc)
    : problem(problem), inliner(inliner), builder(builder), loc(loc),
      dimPadded(llvm::alignTo(problem.headDim, dimMultiple)),
      valuePadded(llvm::alignTo(problem.valueDim, dimMultiple)) {}

void KernelBuilder::begin(StringRef name) {
  kernel = tile::KernelOp::create(builder, loc, name);
  Type i64 = builder.getI64Type();
  Block *body = builder.createBlock(&kernel.getBody(), {}, {i64, i64, i64, i64},
                                    {loc, loc, loc, loc});
  b = body->getArgument(0);
  h = body->getArgument(1);
  block = body->getArgument(2);
  lane = body->getArgument(3);
  auto length = [&](tile::LengthKind kind) {
    return tile::LengthOp::create(builder, loc, kind, b);
  };
  qLen = length(tile::LengthKind::QLen);
  kLen = length(tile::LengthKind::KLen);
  qStart = length(tile::LengthKind::QStart);
  kStart = length(tile::LengthKind::KStart);
  qOffset = length(tile::LengthKind::QOffset);
}

void KernelBuilder::end() { tile::ReturnOp::create(builder, loc); }

Value KernelBuilder::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

Value KernelBuilder::real(double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}

Value KernelBuilder::add(Value x, Value y) {
  return arith::AddIOp::create(builder, loc, x, y);
}

Value KernelBuilder::sub(Value x, Value y) {
  return arith::SubIOp::create(builder, loc, x, y);
}

Value KernelBuilder::mul(Value x, Value y) {
  return arith::MulIOp::create(builder, loc, x, y);
}

Value KernelBuilder::smaller(Value x, Value y) {
  return arith::MinSIOp::create(builder, loc, x, y);
}

Value KernelBuilder::larger(Value x, Value y) {
  return arith::MaxSIOp::create(builder, loc, x, y);
}

Value KernelBuilder::less(Value x, Value y) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, x, y);
}

Value KernelBuilder::choose(Value condition, Value x, Value y) {
  return arith::SelectOp::create(builder, loc, condition, x, y);
}

Value KernelBuilder::divide(Value x, int64_t positive) {
  return arith::DivSIOp::create(builder, loc, x, constant(positive));
}

Value KernelBuilder::scale() {
  return tile::ScalarOp::create(builder, loc, builder.getF32Type(),
                                tile::ScalarKind::Scale);
}

Type KernelBuilder::frag(int64_t rows, int64_t cols) {
  return tile::FragType::get(builder.getContext(), {rows, cols},
                             builder.getF32Type());
}

Type KernelBuilder::frag(int64_t cols) {
  return tile::FragType::get(builder.getContext(), {cols},
                             builder.getF32Type());
}

Value KernelBuilder::fill(Value value, Type type) {
  return tile::FillOp::create(builder, loc, type, value);
}

/// Columns of an operand's view (0: a scalar a row) and its element type.
static std::pair<int64_t, Type> shapeOf(const KernelProblem &problem,
                                        tile::Operand operand, Type f32) {
  switch (operand) {
  case tile::Operand::Q:
  case tile::Operand::K:
  case tile::Operand::DQ:
  case tile::Operand::DK:
    return {problem.headDim, problem.element};
  case tile::Operand::V:
  case tile::Operand::Out:
  case tile::Operand::DOut:
  case tile::Operand::DV:
    return {problem.valueDim, problem.element};
  case tile::Operand::Lse:
  case tile::Operand::DLse:
  case tile::Operand::Delta:
    return {0, f32};
  }
  llvm_unreachable("all operands are handled");
}

Value KernelBuilder::view(tile::Operand operand, Value head, Value start) {
  auto [cols, element] = shapeOf(problem, operand, builder.getF32Type());
  Type type = tile::ViewType::get(builder.getContext(), cols, element);
  return tile::ViewOp::create(builder, loc, type, operand, b, head, start);
}

Value KernelBuilder::loadColumns(Value source, Value row, Value valid,
                                 int64_t dims, int64_t count) {
  return tile::LoadOp::create(builder, loc, frag(dims, count), source, row,
                              valid, real(0), /*transposed=*/true);
}

Value KernelBuilder::loadVector(Value source, Value row, Value valid,
                                double fill, int64_t count) {
  return tile::LoadOp::create(builder, loc, frag(count), source, row, valid,
                              real(fill), /*transposed=*/false);
}

void KernelBuilder::storeColumns(Value frag, Value target, Value row,
                                 Value valid) {
  tile::StoreOp::create(builder, loc, frag, target, row, valid,
                        /*transposed=*/true);
}

Value KernelBuilder::mma(Value a, Value bFrag, Value acc, bool transposed,
                         bool guarded) {
  return tile::MmaOp::create(builder, loc, acc.getType(), a, bFrag, acc,
                             transposed, guarded);
}

KernelBuilder::Values KernelBuilder::map(ValueRange inputs, Value rows,
                                         Value cols, TypeRange results,
                                         const MapBody &body) {
  auto op = tile::MapOp::create(builder, loc, results, inputs, rows, cols);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(inputs.size(), builder.getF32Type());
  types.append(2, builder.getI64Type());
  SmallVector<Location> locations(types.size(), loc);
  Block *region = builder.createBlock(&op.getBody(), {}, types, locations);
  size_t count = inputs.size();
  Values values =
      body(region->getArguments().take_front(count), region->getArgument(count),
           region->getArgument(count + 1));
  tile::YieldOp::create(builder, loc, values);
  return Values(op.getResults());
}

Value KernelBuilder::mapVector(ValueRange inputs, const MapBody &body) {
  Value zero = constant(0);
  return map(inputs, zero, zero, inputs.front().getType(), body).front();
}

Value KernelBuilder::scaled(Value input, Value factor) {
  Value zero = constant(0);
  return map(input, zero, zero, input.getType(),
             [&](ValueRange x, Value, Value) {
               return Values{mulF(x[0], factor)};
             })
      .front();
}

Value KernelBuilder::addF(Value x, Value y) {
  return arith::AddFOp::create(builder, loc, x, y);
}

Value KernelBuilder::subF(Value x, Value y) {
  return arith::SubFOp::create(builder, loc, x, y);
}

Value KernelBuilder::mulF(Value x, Value y) {
  return arith::MulFOp::create(builder, loc, x, y);
}

Value KernelBuilder::expF(Value x) {
  return math::ExpOp::create(builder, loc, x);
}

Value KernelBuilder::isEqual(Value x, double value) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, x,
                               real(value));
}

Value KernelBuilder::finiteMax(Value m) {
  return choose(isEqual(m, -std::numeric_limits<double>::infinity()), real(0),
                m);
}

KernelBuilder::Walked KernelBuilder::walked(tile::Operand operand, Value head,
                                            Value start, int64_t dim,
                                            int64_t tileRows) {
  MLIRContext *context = builder.getContext();
  Type f32 = builder.getF32Type();
  Walked result;
  result.source = view(operand, head, start);
  result.ring = tile::RingOp::create(
      builder, loc, tile::RingType::get(context, 1, tileRows, dim, f32));
  result.stage = tile::StageType::get(context, tileRows, dim, f32);
  return result;
}

Value KernelBuilder::fetch(const Walked &operand, Value index, Value row,
                           Value valid) {
  Value stage =
      tile::AcquireOp::create(builder, loc, operand.stage, operand.ring, index);
  tile::CopyOp::create(builder, loc, operand.source, row, valid, stage);
  tile::CommitOp::create(builder, loc, stage);
  return tile::WaitOp::create(builder, loc, operand.stage, operand.ring, index);
}

void KernelBuilder::release(Value stage) {
  tile::ReleaseOp::create(builder, loc, stage);
}

KernelBuilder::ScoreResult KernelBuilder::score(Value raw, Value head,
                                                Value kvHead, Value row,
                                                Value k, bool partial) {
  Value q = add(row, qOffset);
  ScoreResult result{raw, {}};
  if (hasScore())
    result.score = inliner
                       .clone(builder, regionOf<attn::ScoreOp>(),
                              {raw, b, head, kvHead, q, k, row}, b)
                       .front();
  if (!partial)
    return result;
  // The block's own tail needs no test: what it computes is not stored. The
  // walked tail does.
  Value inside =
      arith::AndIOp::create(builder, loc, less(row, qLen), less(k, kLen));
  result.keep = inside;
  if (hasRegion<attn::KeepOp>()) {
    Value keep = inliner
                     .clone(builder, regionOf<attn::KeepOp>(),
                            {b, head, kvHead, q, k, row}, b)
                     .front();
    result.keep = arith::AndIOp::create(builder, loc, inside, keep);
  }
  return result;
}

bool KernelBuilder::accumulates() {
  if (!hasRegion<attn::ScoreGradOp>())
    return false;
  return !regionOf<attn::ScoreGradOp>()
              .front()
              .getOps<attn::AccumulateOp>()
              .empty();
}

Value KernelBuilder::scoreGradient(Value raw, Value dScore, Value head,
                                   Value kvHead, Value row, Value k, Value keep,
                                   bool accumulating) {
  if (!hasRegion<attn::ScoreGradOp>())
    return dScore;
  Value q = add(row, qOffset);
  Region &region = regionOf<attn::ScoreGradOp>();
  Values arguments{raw, dScore, b, head, kvHead, q, k, row};
  if (accumulating)
    return inliner.clone(builder, region, arguments, b, lane, keep).front();
  return inliner.clone(builder, region, arguments, b).front();
}
