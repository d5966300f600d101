//===- KernelAbi.h - how a launch hands its arguments to a host kernel ----===//
//
// One flat block of 8-byte slots. The lowering reads slots by offset, the
// runtime fills the same structs; static_asserts keep the two together.
//
// Every host kernel is `void(const KernelArgs *, int64_t b, int64_t h, int64_t
// block, int64_t lane, void *scratch)`:
//   forward      one row block of one query head: out, lse
//   preprocess   one row block of one query head: delta, and the sink's partial
//   sum backward_dq  one row block of one query head: dq, and gradients of
//   tensors into
//                the accumulators of `lane`
//   backward_dkv one key block of one KV head (h counts KV heads): dk, dv,
//   summed
//                over the query heads of the group
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_COMPILER_KERNELABI_H
#define JACQUARD_COMPILER_KERNELABI_H

#include "patterns/TileForm.h"

namespace jacquard {

/// A [batch, heads, rows, dim] operand; strides in elements, that of `dim`
/// is 1. lse, dLse and delta have no dim. Row r of batch element b starts at
/// data + b * batchStride + h * headStride + (start[b] + r) * rowStride.
struct OperandArg {
  void *data = nullptr;
  int64_t batchStride = 0, headStride = 0, rowStride = 0;
};

/// Runs of a Bounds or List plan (see TilePlan); null for closed forms.
struct PlanArg {
  const int64_t *rowStart = nullptr;
  const TileRun *runs = nullptr;
  int64_t batchStride = 0, headStride = 0; ///< In blocks.
};

/// A tensor of the pattern: unused axes have extent 1 and stride 0, as have
/// axes that broadcast. Up to 4 axes.
struct TensorArg {
  const void *data = nullptr;
  int64_t shape[4] = {1, 1, 1, 1};
  int64_t strides[4] = {0, 0, 0, 0};
  float *grad =
      nullptr; ///< fp32 accumulators, one set a lane; null unless wanted.
  int64_t gradStrides[4] = {0, 0, 0, 0};
  int64_t gradLaneStride = 0;
};

/// A selection's int32 data, up to 5 axes, as TensorArg.
struct SelectionArg {
  const int32_t *data = nullptr;
  int64_t shape[5] = {1, 1, 1, 1, 1};
  int64_t strides[5] = {0, 0, 0, 0, 0};
  int64_t qBlock = 1, kBlock = 1;
};

struct KernelArgs {
  OperandArg q, k, v, out, lse, dOut, dLse, delta, dq, dk, dv;
  /// Per batch element, never null.
  const int64_t *qLens = nullptr, *kLens = nullptr;
  const int64_t *qStarts = nullptr, *kStarts = nullptr;
  const int64_t *qOffsets = nullptr;
  int64_t batch = 0, heads = 0, kvHeads = 0;
  int64_t group = 0; ///< heads / kvHeads
  double scale = 0;
  PlanArg keys, queries;
  /// One double per (b, h, row block): sum over rows of d(sink logit).
  double *sinkPartial = nullptr;
  int64_t rowBlocks = 0; ///< Row blocks per (b, h), for sinkPartial.
  /// Per parameter: the int (or bool) itself, or the bits of the double.
  const int64_t *params = nullptr;
  const TensorArg *tensors = nullptr;
  const SelectionArg *selections = nullptr;
};

static_assert(sizeof(OperandArg) == 32 && sizeof(PlanArg) == 32);
static_assert(sizeof(TileRun) == 24 && sizeof(TensorArg) == 15 * 8);
static_assert(sizeof(SelectionArg) == 13 * 8);

using HostEntry = void (*)(const KernelArgs *, int64_t b, int64_t h,
                           int64_t block, int64_t lane, void *scratch);

} // namespace jacquard

#endif // JACQUARD_COMPILER_KERNELABI_H
