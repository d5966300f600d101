//===- TileWalk.cpp - loops over the tiles that a block touches -----------===//
//
// Runs come from the plan or, for closed forms, from interval ends computed
// here once a block. Each run is two loops with the same bounds, one of which
// is empty: the full body has no mask code, the partial one has.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace jacquard;

KernelBuilder::Values KernelBuilder::walk(tile::WalkAxis axis, Value head,
                                          Value ownFirst, Value ownLast,
                                          ValueRange init,
                                          const WalkBody &body) {
  attn::TilesOp tiles =
      axis == tile::WalkAxis::Keys ? problem.keysTiles : problem.queriesTiles;
  if (tiles.getSource() == attn::TileSourceKind::Interval)
    return walkIntervals(axis, tiles, head, ownFirst, ownLast, init, body);
  return walkPlan(axis, head, init, body);
}

KernelBuilder::Values KernelBuilder::walkRun(tile::WalkAxis axis, Value begin,
                                             Value end, Value full,
                                             ValueRange init,
                                             const WalkBody &body) {
  bool overKeys = axis == tile::WalkAxis::Keys;
  int64_t size = overKeys ? problem.keys : problem.rows;
  Value length = overKeys ? kLen : qLen;
  Values carried(init);
  for (bool partial : {false, true}) {
    Value last = partial ? choose(full, begin, end) : choose(full, end, begin);
    auto loop =
        scf::ForOp::create(builder, loc, begin, last, constant(1), carried);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    TileStep step;
    step.index = loop.getInductionVar();
    step.first = mul(step.index, constant(size));
    step.valid = smaller(sub(length, step.first), constant(size));
    step.partial = partial;
    Values next = body(step, loop.getRegionIterArgs());
    scf::YieldOp::create(builder, loc, next);
    carried = Values(loop.getResults());
  }
  return carried;
}

KernelBuilder::Values KernelBuilder::walkPlan(tile::WalkAxis axis, Value head,
                                              ValueRange init,
                                              const WalkBody &body) {
  auto range = tile::PlanRangeOp::create(builder, loc, axis, b, head, block);
  auto loop = scf::ForOp::create(builder, loc, range.getFirst(),
                                 range.getLast(), constant(1), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  auto run =
      tile::PlanRunOp::create(builder, loc, axis, loop.getInductionVar());
  Values next = walkRun(axis, run.getBegin(), run.getEnd(), run.getFull(),
                        loop.getRegionIterArgs(), body);
  scf::YieldOp::create(builder, loc, next);
  return Values(loop.getResults());
}

KernelBuilder::Values
KernelBuilder::walkIntervals(tile::WalkAxis axis, attn::TilesOp tiles,
                             Value head, Value ownFirst, Value ownLast,
                             ValueRange init, const WalkBody &body) {
  bool overKeys = axis == tile::WalkAxis::Keys;
  int64_t size = overKeys ? problem.keys : problem.rows;
  Value length = overKeys ? kLen : qLen;
  Value zero = constant(0);
  Value group = tile::ScalarOp::create(builder, loc, builder.getI64Type(),
                                       tile::ScalarKind::Group);
  Value kvHead = arith::DivSIOp::create(builder, loc, head, group);
  Values ends = inliner.clone(builder, tiles.getBody(),
                              {b, head, kvHead, ownFirst, ownLast}, b);

  struct TileInterval {
    Value begin, end; // In tiles; empty if begin == end.
  };
  auto round = [&](Value lo, Value hi, Value limit) {
    if (!overKeys) { // Ends are positions.
      lo = sub(lo, qOffset);
      hi = sub(hi, qOffset);
    }
    lo = larger(lo, zero);
    hi = smaller(hi, limit);
    Value begin = divide(lo, size);
    Value end = divide(add(hi, constant(size - 1)), size);
    return TileInterval{begin, choose(less(lo, hi), end, begin)};
  };
  auto intervals =
      cast<attn::IntervalsOp>(tiles.getBody().front().getTerminator());
  size_t keptEnds = intervals.getKept().size();
  SmallVector<TileInterval> kept, gaps;
  for (size_t i = 0; i < ends.size(); i += 2)
    (i < keptEnds ? kept : gaps).push_back(round(ends[i], ends[i + 1], length));
  // The tile that reaches past the length is partial.
  Value whole = divide(length, size);
  Value all = divide(add(length, constant(size - 1)), size);
  gaps.push_back({whole, all});

  // Boundaries cut the axis; no two runs meet without one between them.
  int64_t mostRuns = 2 * (kept.size() + gaps.size());
  Value never = constant(std::numeric_limits<int64_t>::max());
  Values carried{zero};
  carried.append(init.begin(), init.end());
  auto loop = scf::ForOp::create(builder, loc, zero, constant(mostRuns),
                                 constant(1), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value from = loop.getRegionIterArg(0);
  Value begin = never;
  for (TileInterval interval : kept) {
    Value start = larger(from, interval.begin);
    begin = smaller(begin, choose(less(start, interval.end), start, never));
  }
  Value full = arith::ConstantIntOp::create(builder, loc, 1, 1);
  Value end = never;
  for (bool gap : {false, true}) {
    for (TileInterval interval : gap ? gaps : kept) {
      Value after = less(begin, interval.begin);
      Value before = less(begin, interval.end);
      end = smaller(end, choose(after, interval.begin, never));
      end = smaller(end, choose(before, interval.end, never));
      if (!gap)
        continue;
      Value outside = arith::OrIOp::create(
          builder, loc, after,
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, begin,
                                interval.end));
      full = arith::AndIOp::create(builder, loc, full, outside);
    }
  }
  // Nothing left: an empty run at the end.
  Value found = less(begin, never);
  begin = choose(found, begin, all);
  end = choose(found, end, all);
  Values next{end};
  next.append(walkRun(axis, begin, end, full,
                      ValueRange(loop.getRegionIterArgs()).drop_front(), body));
  scf::YieldOp::create(builder, loc, next);
  return Values(ValueRange(loop.getResults()).drop_front());
}
