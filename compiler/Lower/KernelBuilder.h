//===- KernelBuilder.h - the pieces that attention kernels are made of ----===//
//
// The *pipelined* builder: every worker does everything for one block. A block
// owns one axis of the score matrix (query rows in forward and backward_dq,
// keys in backward_dkv) and walks the other, tile by tile. Scores are kept
// walked x owned: the owned axis lies along the columns of fragments, so that
// the operands that are walked are used as they lie in memory, reductions over
// the walked axis need no exchange between columns, and row statistics are
// vectors along the columns.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_COMPILER_LOWER_KERNELBUILDER_H
#define JACQUARD_COMPILER_LOWER_KERNELBUILDER_H

#include "compiler/Lower/PatternInliner.h"

#include <functional>
#include <limits>

namespace jacquard {

/// What a kernel is built from.
struct KernelProblem {
  attn::PatternOp pattern;
  attn::TilesOp keysTiles, queriesTiles;
  mlir::Type element; ///< Of q, k, v, out and their gradients.
  int64_t headDim = 0, valueDim = 0;
  int64_t rows = 0, keys = 0; ///< The tile.
};

class KernelBuilder {
public:
  KernelBuilder(const KernelProblem &problem, const PatternInliner &inliner,
                mlir::OpBuilder builder, mlir::Location loc);

protected:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;

  /// Starts a kernel and fills in b, h, block, lane and the lengths of b.
  void begin(llvm::StringRef name);
  void end();

  // Scalars.
  Value constant(int64_t value);
  Value real(double value);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value smaller(Value a, Value b);
  Value larger(Value a, Value b);
  Value less(Value a, Value b);
  Value choose(Value condition, Value a, Value b);
  Value divide(Value a, int64_t positive);
  Value scale();
  Value negativeInfinity() {
    return real(-std::numeric_limits<double>::infinity());
  }

  // Fragments.
  mlir::Type frag(int64_t rows, int64_t cols);
  mlir::Type frag(int64_t cols);
  Value fill(Value value, mlir::Type type);
  Value view(tile::Operand operand, Value head, Value start);
  /// `count` rows of `source` from `row` on as columns; the rows of the
  /// fragment are its dims, padded to `dims`.
  Value loadColumns(Value source, Value row, Value valid, int64_t dims,
                    int64_t count);
  Value loadVector(Value source, Value row, Value valid, double fill,
                   int64_t count);
  void storeColumns(Value frag, Value target, Value row, Value valid);
  Value mma(Value a, Value b, Value acc, bool transposed, bool guarded);
  /// A map whose body gets the elements and the (row, column) position.
  using MapBody =
      std::function<Values(mlir::ValueRange elements, Value row, Value col)>;
  Values map(mlir::ValueRange inputs, Value rows, Value cols,
             mlir::TypeRange results, const MapBody &body);
  Value mapVector(mlir::ValueRange inputs, const MapBody &body);
  Value scaled(Value frag, Value factor);

  // Element-wise arithmetic in a map.
  Value addF(Value a, Value b);
  Value subF(Value a, Value b);
  Value mulF(Value a, Value b);
  Value expF(Value a);
  Value isEqual(Value a, double value);
  /// `m`, or 0 where m is -inf: so that (-inf) - m stays -inf.
  Value finiteMax(Value m);

  /// A walked operand: rows of a view, one tile at a time through a ring.
  struct Walked {
    Value source, ring;
    mlir::Type stage;
  };
  Walked walked(tile::Operand operand, Value head, Value start, int64_t dim,
                int64_t tileRows);
  /// Copies tile `index` and waits for it.
  Value fetch(const Walked &operand, Value index, Value row, Value valid);
  void release(Value stage);

  /// One tile of a walk: its number, its first row or key, how many are valid.
  struct TileStep {
    Value index, first, valid;
    bool partial = false;
  };
  using WalkBody =
      std::function<Values(const TileStep &, mlir::ValueRange carried)>;
  /// Walks the tiles of this block along `axis`, full ones with a body of their
  /// own. `head` is the query head; `ownFirst`, `ownLast`: the block's first
  /// and last position (q or k).
  Values walk(tile::WalkAxis axis, Value head, Value ownFirst, Value ownLast,
              mlir::ValueRange init, const WalkBody &body);

  /// s = score(raw) at (head, q position, k) and, for a partial tile, keep.
  struct ScoreResult {
    Value score;
    Value keep; ///< Null in a full tile.
  };
  ScoreResult score(Value raw, Value head, Value kvHead, Value row, Value k,
                    bool partial);
  /// The adjoint of `score`: d raw, given d score. Accumulates gradients of
  /// tensors where `accumulating`.
  Value scoreGradient(Value raw, Value dScore, Value head, Value kvHead,
                      Value row, Value k, Value keep, bool accumulating);
  bool hasScore() { return hasRegion<attn::ScoreOp>(); }
  bool accumulates();

  KernelProblem problem;
  const PatternInliner &inliner;
  mlir::OpBuilder builder;
  mlir::Location loc;
  tile::KernelOp kernel;
  int64_t dimPadded, valuePadded; ///< Head dims rounded up to a multiple of 8.
  Value b, h, block, lane;
  Value qLen, kLen, qStart, kStart, qOffset;

private:
  template <typename Op> bool hasRegion() {
    return !problem.pattern.getBody().front().template getOps<Op>().empty();
  }
  template <typename Op> mlir::Region &regionOf() {
    return (*problem.pattern.getBody().front().template getOps<Op>().begin())
        .getBody();
  }
  Values walkPlan(tile::WalkAxis axis, Value head, mlir::ValueRange init,
                  const WalkBody &body);
  Values walkIntervals(tile::WalkAxis axis, attn::TilesOp tiles, Value head,
                       Value ownFirst, Value ownLast, mlir::ValueRange init,
                       const WalkBody &body);
  /// The tiles of one run, [begin, end), in the full or in the partial body.
  Values walkRun(tile::WalkAxis axis, Value begin, Value end, Value full,
                 mlir::ValueRange init, const WalkBody &body);
};

/// Adds the kernels to the module at the builder's place.
void buildForward(const KernelProblem &problem, const PatternInliner &inliner,
                  mlir::OpBuilder builder, mlir::Location loc);
void buildPreprocess(const KernelProblem &problem,
                     const PatternInliner &inliner, mlir::OpBuilder builder,
                     mlir::Location loc);
void buildBackwardDq(const KernelProblem &problem,
                     const PatternInliner &inliner, mlir::OpBuilder builder,
                     mlir::Location loc);
void buildBackwardDkv(const KernelProblem &problem,
                      const PatternInliner &inliner, mlir::OpBuilder builder,
                      mlir::Location loc);

} // namespace jacquard

#endif // JACQUARD_COMPILER_LOWER_KERNELBUILDER_H
