//===- ForwardKernel.cpp - out and lse of one row block -------------------===//
//
// Online softmax over the walked keys: m is the running maximum of the scores,
// l the sum of exp(s - m), o the unnormalised output. All three start empty
// (-inf, 0, 0); while m is -inf, exp is taken against 0 and gives exactly 0.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace jacquard;

namespace {
class ForwardKernel : KernelBuilder {
public:
  using KernelBuilder::KernelBuilder;

  void build() {
    begin("forward");
    Value group = tile::ScalarOp::create(builder, loc, builder.getI64Type(),
                                         tile::ScalarKind::Group);
    Value kvHead = arith::DivSIOp::create(builder, loc, h, group);
    Value row0 = mul(block, constant(problem.rows));
    Value valid = smaller(sub(qLen, row0), constant(problem.rows));
    Value q = view(tile::Operand::Q, h, qStart);
    Value out = view(tile::Operand::Out, h, qStart);
    Value lse = view(tile::Operand::Lse, h, qStart);
    Walked keys =
        walked(tile::Operand::K, kvHead, kStart, dimPadded, problem.keys);
    Walked values =
        walked(tile::Operand::V, kvHead, kStart, valuePadded, problem.keys);
    Value qCols =
        scaled(loadColumns(q, row0, valid, dimPadded, problem.rows), scale());
    Value first = add(row0, qOffset);
    Value last = sub(add(first, valid), constant(1));

    Values init{fill(negativeInfinity(), frag(problem.rows)),
                fill(real(0), frag(problem.rows)),
                fill(real(0), frag(valuePadded, problem.rows))};
    Values state = walk(tile::WalkAxis::Keys, h, first, last, init,
                        [&](const TileStep &step, ValueRange carried) {
                          return accumulate(step, carried, qCols, keys, values,
                                            kvHead, row0);
                        });
    finish(state[0], state[1], state[2], out, lse, row0, valid);
    end();
  }

private:
  Values accumulate(const TileStep &step, ValueRange carried, Value qCols,
                    const Walked &keys, const Walked &values, Value kvHead,
                    Value row0) {
    Value m = carried[0], l = carried[1], o = carried[2];
    Type scores = frag(problem.keys, problem.rows);
    Value keyTile = fetch(keys, step.index, step.first, step.valid);
    Value s = mma(keyTile, qCols, fill(real(0), scores), false, false);
    release(keyTile);
    if (step.partial || hasScore())
      s = map(s, step.first, row0, scores,
              [&](ValueRange x, Value k, Value row) {
                ScoreResult result =
                    score(x[0], h, kvHead, row, k, step.partial);
                if (!result.keep)
                  return Values{result.score};
                return Values{
                    choose(result.keep, result.score, negativeInfinity())};
              })
              .front();

    Value next = tile::ReduceOp::create(builder, loc, m.getType(),
                                        tile::Combine::Max, s, m);
    Value p = map({s, next}, step.first, row0, scores,
                  [&](ValueRange x, Value, Value) {
                    return Values{expF(subF(x[0], finiteMax(x[1])))};
                  })
                  .front();
    Value rescale = mapVector({m, next}, [&](ValueRange x, Value, Value) {
      return Values{expF(subF(x[0], finiteMax(x[1])))};
    });
    auto times = [&](ValueRange x, Value, Value) {
      return Values{mulF(x[0], x[1])};
    };
    l = mapVector({l, rescale}, times);
    l = tile::ReduceOp::create(builder, loc, l.getType(), tile::Combine::Add, p,
                               l);
    Value zero = constant(0);
    o = map({o, rescale}, zero, zero, o.getType(), times).front();

    Value valueTile = fetch(values, step.index, step.first, step.valid);
    o = mma(valueTile, p, o, /*transposed=*/true, /*guarded=*/step.partial);
    release(valueTile);
    return {next, l, o};
  }

  /// Normalises, adds the sink to the denominator, stores.
  void finish(Value m, Value l, Value o, Value out, Value lse, Value row0,
              Value valid) {
    Value zero = constant(0);
    Type vector = m.getType();
    Value sink;
    if (std::optional<StringRef> name = problem.pattern.getSink()) {
      int64_t tensor = inliner.tensorIndex(*name);
      sink = tile::ElementOp::create(builder, loc, builder.getF32Type(), tensor,
                                     inliner.elementOf(tensor), h);
    }
    Values results = map(
        {m, l}, zero, zero, {vector, vector}, [&](ValueRange x, Value, Value) {
          Value top = x[0], sum = x[1], factor = real(1);
          if (sink) {
            Value higher = finiteMax(
                arith::MaxNumFOp::create(builder, loc, top, sink).getResult());
            factor = expF(subF(top, higher));
            sum = addF(mulF(sum, factor), expF(subF(sink, higher)));
            top = higher;
          }
          Value empty = isEqual(sum, 0);
          Value weight = arith::DivFOp::create(builder, loc, factor, sum);
          Value logarithm = addF(top, math::LogOp::create(builder, loc, sum));
          return Values{choose(empty, real(0), weight),
                        choose(empty, negativeInfinity(), logarithm)};
        });
    o = map({o, results[0]}, zero, zero, o.getType(),
            [&](ValueRange x, Value, Value) {
              return Values{mulF(x[0], x[1])};
            })
            .front();
    storeColumns(o, out, row0, valid);
    tile::StoreOp::create(builder, loc, results[1], lse, row0, valid,
                          /*transposed=*/false);
  }
};
} // namespace

void jacquard::buildForward(const KernelProblem &problem,
                            const PatternInliner &inliner, OpBuilder builder,
                            Location loc) {
  ForwardKernel(problem, inliner, builder, loc).build();
}
