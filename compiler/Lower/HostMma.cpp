//===- HostMma.cpp - register-blocked matrix products ---------------------===//
//
// acc (M x N) += a (M x K) * b (K x N), b and acc row-major in scratch, a with
// any strides. A block of `blockRows` rows and two vectors of columns is held
// in registers over the whole reduction: with 8 x 2 accumulators each step
// issues 16 fused multiply-adds for 2 vector loads and 8 broadcasts. Columns
// are the outer loop, so that the panel of b (K x 2 vectors) stays in the
// first-level cache.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace jacquard;

static int64_t largestDivisor(int64_t value, ArrayRef<int64_t> candidates) {
  for (int64_t candidate : candidates)
    if (value % candidate == 0)
      return candidate;
  return 1;
}

void HostEmitter::emitMma(tile::MmaOp op) {
  Value aBase;
  HostBuffer a;
  if (isa<tile::StageType>(op.getA().getType())) {
    aBase = stageBases.at(op.getA());
    a = stageShapes.at(op.getA());
  } else {
    a = buffers.of(op.getA());
    aBase = pointer(scratch, a.offset);
  }
  const HostBuffer &b = buffers.of(op.getB());
  const HostBuffer &acc = buffers.of(op.getAcc());
  const HostBuffer &result = buffers.of(op.getResult());
  if (acc.offset != result.offset)
    copyBuffer(acc, result);

  int64_t rowStride = op.getTransposed() ? 1 : a.pitch;
  int64_t depthStride = op.getTransposed() ? a.pitch : 1;
  int64_t rows = result.rows, cols = result.cols, depth = b.rows;
  int64_t blockRows = largestDivisor(rows, {8, 4, 2});
  int64_t vectors = cols % (2 * lanes) == 0 ? 2 : 1;
  int64_t unroll = largestDivisor(depth, {4, 2});
  VectorType vector = vectorOf(f32, lanes);

  auto at = [&](Value base, Value index) {
    return pointer(base, mul(index, constant(4)));
  };
  Value bBase = pointer(scratch, b.offset),
        cBase = pointer(scratch, result.offset);

  loop(cols, vectors * lanes, [&](Value col) {
    loop(rows, blockRows, [&](Value row) {
      Value cStart = at(cBase, add(mul(row, constant(result.pitch)), col));
      Value aStart = at(aBase, mul(row, constant(rowStride)));
      Value bStart = at(bBase, col);
      auto accAddress = [&](int64_t r, int64_t v) {
        return pointer(cStart, (r * result.pitch + v * lanes) * 4);
      };
      SmallVector<Value> sums;
      for (int64_t r = 0; r < blockRows; ++r)
        for (int64_t v = 0; v < vectors; ++v)
          sums.push_back(load(vector, accAddress(r, v)));
      auto reduction = scf::ForOp::create(
          builder, loc, constant(0), constant(depth), constant(unroll), sums);
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(reduction.getBody());
        Value k = reduction.getInductionVar();
        sums.assign(reduction.getRegionIterArgs().begin(),
                    reduction.getRegionIterArgs().end());
        Value aStep = at(aStart, mul(k, constant(depthStride)));
        Value bStep = at(bStart, mul(k, constant(b.pitch)));
        for (int64_t u = 0; u < unroll; ++u) {
          SmallVector<Value> factors, nonzero;
          for (int64_t v = 0; v < vectors; ++v) {
            factors.push_back(
                load(vector, pointer(bStep, (u * b.pitch + v * lanes) * 4)));
            if (op.getGuarded())
              nonzero.push_back(arith::CmpFOp::create(
                  builder, loc, arith::CmpFPredicate::UNE, factors.back(),
                  broadcast(constantFloat(0))));
          }
          for (int64_t r = 0; r < blockRows; ++r) {
            Value scalar = load(
                f32, pointer(aStep, (r * rowStride + u * depthStride) * 4));
            Value wide = broadcast(scalar);
            for (int64_t v = 0; v < vectors; ++v) {
              Value &sum = sums[r * vectors + v];
              Value next = LLVM::FMAOp::create(builder, loc, vector, wide,
                                               factors[v], sum);
              if (op.getGuarded())
                next = arith::SelectOp::create(builder, loc, nonzero[v], next,
                                               sum);
              sum = next;
            }
          }
        }
        scf::YieldOp::create(builder, loc, sums);
      }
      for (int64_t r = 0; r < blockRows; ++r)
        for (int64_t v = 0; v < vectors; ++v)
          LLVM::StoreOp::create(builder, loc,
                                reduction.getResult(r * vectors + v),
                                accAddress(r, v), 4);
    });
  });
}
