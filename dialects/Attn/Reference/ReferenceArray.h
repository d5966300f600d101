//===- ReferenceArray.h - dense fp64 arrays of the reference ----*- C++ -*-===//
//
// What the reference computes with: row-major doubles. Inputs are gathered from
// strided (and packed) memory, only where the lengths say there is data: what
// lies past a length reads as 0 and can't reach a result.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_DIALECTS_ATTN_REFERENCE_REFERENCEARRAY_H
#define JACQUARD_DIALECTS_ATTN_REFERENCE_REFERENCEARRAY_H

#include "patterns/Bindings.h"

#include <initializer_list>

namespace jacquard::attn {

struct ReferenceArray {
  std::vector<int64_t> shape;
  std::vector<double> data;

  ReferenceArray() = default;
  explicit ReferenceArray(std::vector<int64_t> shape, double value = 0);

  int64_t dim(size_t axis) const { return shape[axis]; }
  double &at(std::initializer_list<int64_t> index) {
    return data[offsetOf(index)];
  }
  double at(std::initializer_list<int64_t> index) const {
    return data[offsetOf(index)];
  }

private:
  size_t offsetOf(std::initializer_list<int64_t> index) const;
};

/// A [batch, heads, rows, dim] operand in memory, or without `dim` a statistic.
/// Row r of batch element b starts at data + b * batchStride + h * headStride +
/// (starts[b] + r) * rowStride; strides count elements, that of `dim` is 1.
/// `starts` may be empty: all 0.
struct ReferenceOperand {
  const void *data = nullptr;
  ElementType type = ElementType::F32;
  int64_t batchStride = 0, headStride = 0, rowStride = 0;
  std::vector<int64_t> starts;
};

/// [batch, heads, rows, dim] (without `dim`: [batch, heads, rows]) with the
/// first `lengths[b]` rows of each batch element read and the others 0.
ReferenceArray gather(const ReferenceOperand &operand, int64_t batch,
                      int64_t heads, int64_t rows, std::optional<int64_t> dim,
                      const std::vector<int64_t> &lengths);

/// Element `offset` of a float array.
double readFloat(const void *data, ElementType type, int64_t offset);

} // namespace jacquard::attn

#endif // JACQUARD_DIALECTS_ATTN_REFERENCE_REFERENCEARRAY_H
