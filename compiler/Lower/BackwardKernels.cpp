//===- BackwardKernels.cpp - preprocess, backward_dq, backward_dkv --------===//
//
// With p = exp(score - lse), dp = dout . v and delta = dout . out - dlse per
// row:
//   d score = p * (dp - delta),  d raw = its adjoint through `score`,
//   dq = scale * d raw . k,  dk = scale * d raw^T . q,  dv = p^T . dout.
// The two main kernels recompute p, each for the axis it owns: no atomics, so
// that results do not depend on the order of work.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace jacquard;

namespace {
class BackwardKernel : protected KernelBuilder {
public:
  using KernelBuilder::KernelBuilder;

protected:
  /// p and d raw of one tile. `axes` turns the map's (row, column) into (row,
  /// k); `statistics` gives lse and delta of a row there.
  struct Pair {
    Value row, k;
  };
  struct Statistics {
    Value lse, delta;
  };
  Values probabilities(const TileStep &step, Value s, Value dp,
                       ValueRange vectors, Value rows, Value cols, Value head,
                       Value kvHead, function_ref<Pair(Value, Value)> axes,
                       function_ref<Statistics(ValueRange, Value)> statistics,
                       bool accumulating) {
    Values inputs{s, dp};
    inputs.append(vectors.begin(), vectors.end());
    return map(
        inputs, rows, cols, {s.getType(), s.getType()},
        [&](ValueRange x, Value r, Value c) {
          Pair pair = axes(r, c);
          Statistics row = statistics(x, pair.row);
          ScoreResult result =
              score(x[0], head, kvHead, pair.row, pair.k, step.partial);
          Value p = expF(subF(result.score, safeLse(row.lse)));
          Value dScore = mulF(p, subF(x[1], row.delta));
          if (result.keep) {
            p = choose(result.keep, p, real(0));
            dScore = choose(result.keep, dScore, real(0));
          }
          Value keep = result.keep;
          if (accumulating && !keep) // Columns past the rows are computed too.
            keep = less(pair.row, qLen);
          Value dRaw = scoreGradient(x[0], dScore, head, kvHead, pair.row,
                                     pair.k, keep, accumulating);
          if (result.keep && dRaw != dScore)
            dRaw = choose(result.keep, dRaw, real(0));
          return Values{p, dRaw};
        });
  }

  /// A row that keeps nothing has lse = -inf; against +inf every p is 0.
  Value safeLse(Value lse) {
    double infinity = std::numeric_limits<double>::infinity();
    return choose(isEqual(lse, -infinity), real(infinity), lse);
  }

  Value zeros(Type type) { return fill(real(0), type); }
};

class Preprocess : BackwardKernel {
public:
  using BackwardKernel::BackwardKernel;

  void build() {
    begin("preprocess");
    Value zero = constant(0);
    Value row0 = mul(block, constant(problem.rows));
    Value valid = smaller(sub(qLen, row0), constant(problem.rows));
    auto columns = [&](tile::Operand operand) {
      return loadColumns(view(operand, h, qStart), row0, valid, valuePadded,
                         problem.rows);
    };
    auto vector = [&](tile::Operand operand, double filler) {
      return loadVector(view(operand, h, qStart), row0, valid, filler,
                        problem.rows);
    };
    Value product = columns(tile::Operand::Out);
    product = map({product, columns(tile::Operand::DOut)}, zero, zero,
                  product.getType(),
                  [&](ValueRange x, Value, Value) {
                    return Values{mulF(x[0], x[1])};
                  })
                  .front();
    Value start = mapVector(vector(tile::Operand::DLse, 0),
                            [&](ValueRange x, Value, Value) {
                              return Values{subF(real(0), x[0])};
                            });
    Value delta = tile::ReduceOp::create(builder, loc, start.getType(),
                                         tile::Combine::Add, product, start);
    tile::StoreOp::create(builder, loc, delta,
                          view(tile::Operand::Delta, h, qStart), row0, valid,
                          /*transposed=*/false);
    if (std::optional<StringRef> sink = problem.pattern.getSink())
      sinkGradient(*sink, delta, vector(tile::Operand::Lse, negative));
    end();
  }

private:
  static constexpr double negative = -std::numeric_limits<double>::infinity();

  /// d t = - sum over rows of exp(t - lse) * delta.
  void sinkGradient(StringRef name, Value delta, Value lse) {
    int64_t tensor = inliner.tensorIndex(name);
    Value sink = tile::ElementOp::create(builder, loc, builder.getF32Type(),
                                         tensor, inliner.elementOf(tensor), h);
    Value part = mapVector({lse, delta}, [&](ValueRange x, Value, Value) {
      Value weight = mulF(expF(subF(sink, x[0])), subF(real(0), x[1]));
      return Values{choose(isEqual(x[0], negative), real(0), weight)};
    });
    tile::StorePartialOp::create(builder, loc, part, b, h, block);
  }
};

class BackwardDq : BackwardKernel {
public:
  using BackwardKernel::BackwardKernel;

  void build() {
    begin("backward_dq");
    Value group = tile::ScalarOp::create(builder, loc, builder.getI64Type(),
                                         tile::ScalarKind::Group);
    Value kvHead = arith::DivSIOp::create(builder, loc, h, group);
    Value row0 = mul(block, constant(problem.rows));
    Value valid = smaller(sub(qLen, row0), constant(problem.rows));
    auto columns = [&](tile::Operand operand, int64_t dims) {
      return loadColumns(view(operand, h, qStart), row0, valid, dims,
                         problem.rows);
    };
    auto vector = [&](tile::Operand operand, double filler) {
      return loadVector(view(operand, h, qStart), row0, valid, filler,
                        problem.rows);
    };
    Value q = scaled(columns(tile::Operand::Q, dimPadded), scale());
    Value dOut = columns(tile::Operand::DOut, valuePadded);
    Value lse =
        vector(tile::Operand::Lse, -std::numeric_limits<double>::infinity());
    Value delta = vector(tile::Operand::Delta, 0);
    Walked keys =
        walked(tile::Operand::K, kvHead, kStart, dimPadded, problem.keys);
    Walked values =
        walked(tile::Operand::V, kvHead, kStart, valuePadded, problem.keys);
    Value first = add(row0, qOffset);
    Value last = sub(add(first, valid), constant(1));
    Type scores = frag(problem.keys, problem.rows);

    Value dq =
        walk(tile::WalkAxis::Keys, h, first, last,
             Values{zeros(frag(dimPadded, problem.rows))},
             [&](const TileStep &step, ValueRange carried) {
               Value keyTile = fetch(keys, step.index, step.first, step.valid);
               Value valueTile =
                   fetch(values, step.index, step.first, step.valid);
               Value s = mma(keyTile, q, zeros(scores), false, false);
               Value dp = mma(valueTile, dOut, zeros(scores), false, false);
               release(valueTile);
               Value dRaw = probabilities(
                   step, s, dp, {lse, delta}, step.first, row0, h, kvHead,
                   [](Value k, Value row) { return Pair{row, k}; },
                   [](ValueRange x, Value) { return Statistics{x[2], x[3]}; },
                   accumulates())[1];
               Value sum = mma(keyTile, dRaw, carried[0], /*transposed=*/true,
                               /*guarded=*/step.partial);
               release(keyTile);
               return Values{sum};
             })
            .front();
    storeColumns(scaled(dq, scale()), view(tile::Operand::DQ, h, qStart), row0,
                 valid);
    end();
  }
};

class BackwardDkv : BackwardKernel {
public:
  using BackwardKernel::BackwardKernel;

  void build() {
    begin("backward_dkv");
    Value kvHead = h; // This kernel counts KV heads.
    Value group = tile::ScalarOp::create(builder, loc, builder.getI64Type(),
                                         tile::ScalarKind::Group);
    Value key0 = mul(block, constant(problem.keys));
    Value valid = smaller(sub(kLen, key0), constant(problem.keys));
    auto columns = [&](tile::Operand operand, int64_t dims) {
      return loadColumns(view(operand, kvHead, kStart), key0, valid, dims,
                         problem.keys);
    };
    Value k = scaled(columns(tile::Operand::K, dimPadded), scale());
    Value v = columns(tile::Operand::V, valuePadded);
    Value last = sub(add(key0, valid), constant(1));

    Values init{zeros(frag(dimPadded, problem.keys)),
                zeros(frag(valuePadded, problem.keys))};
    auto heads =
        scf::ForOp::create(builder, loc, constant(0), group, constant(1), init);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(heads.getBody());
      Value head = add(mul(kvHead, group), heads.getInductionVar());
      Values sums =
          oneHead(head, kvHead, k, v, key0, last, heads.getRegionIterArgs());
      scf::YieldOp::create(builder, loc, sums);
    }
    storeColumns(scaled(heads.getResult(0), scale()),
                 view(tile::Operand::DK, kvHead, kStart), key0, valid);
    storeColumns(heads.getResult(1), view(tile::Operand::DV, kvHead, kStart),
                 key0, valid);
    end();
  }

private:
  Values oneHead(Value head, Value kvHead, Value k, Value v, Value key0,
                 Value last, ValueRange init) {
    Walked rows =
        walked(tile::Operand::Q, head, qStart, dimPadded, problem.rows);
    Walked dRows =
        walked(tile::Operand::DOut, head, qStart, valuePadded, problem.rows);
    Value lse = view(tile::Operand::Lse, head, qStart);
    Value delta = view(tile::Operand::Delta, head, qStart);
    Type scores = frag(problem.rows, problem.keys);
    return walk(
        tile::WalkAxis::Queries, head, key0, last, init,
        [&](const TileStep &step, ValueRange carried) {
          Value qTile = fetch(rows, step.index, step.first, step.valid);
          Value dTile = fetch(dRows, step.index, step.first, step.valid);
          Value s = mma(qTile, k, zeros(scores), false, false);
          Value dp = mma(dTile, v, zeros(scores), false, false);
          Values pair = probabilities(
              step, s, dp, {}, step.first, key0, head, kvHead,
              [](Value row, Value key) { return Pair{row, key}; },
              [&](ValueRange, Value row) {
                Value none = negativeInfinity();
                return Statistics{
                    tile::PeekOp::create(builder, loc, lse, row, qLen, none),
                    tile::PeekOp::create(builder, loc, delta, row, qLen,
                                         real(0))};
              },
              /*accumulating=*/false);
          Value dv = mma(dTile, pair[0], carried[1], /*transposed=*/true,
                         /*guarded=*/step.partial);
          Value dk = mma(qTile, pair[1], carried[0], /*transposed=*/true,
                         /*guarded=*/step.partial);
          release(qTile);
          release(dTile);
          return Values{dk, dv};
        });
  }
};
} // namespace

void jacquard::buildPreprocess(const KernelProblem &problem,
                               const PatternInliner &inliner, OpBuilder builder,
                               Location loc) {
  Preprocess(problem, inliner, builder, loc).build();
}

void jacquard::buildBackwardDq(const KernelProblem &problem,
                               const PatternInliner &inliner, OpBuilder builder,
                               Location loc) {
  BackwardDq(problem, inliner, builder, loc).build();
}

void jacquard::buildBackwardDkv(const KernelProblem &problem,
                                const PatternInliner &inliner,
                                OpBuilder builder, Location loc) {
  BackwardDkv(problem, inliner, builder, loc).build();
}
