//===- ReferenceArray.cpp - reading operands into dense arrays ------------===//

#include "dialects/Attn/Reference/ReferenceArray.h"

using namespace jacquard;
using namespace jacquard::attn;

ReferenceArray::ReferenceArray(std::vector<int64_t> extents, double value)
    : shape(std::move(extents)) {
  size_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  data.assign(count, value);
}

size_t ReferenceArray::offsetOf(std::initializer_list<int64_t> index) const {
  size_t offset = 0, axis = 0;
  for (int64_t i : index)
    offset = offset * shape[axis++] + i;
  return offset;
}

double jacquard::attn::readFloat(const void *data, ElementType type,
                                 int64_t offset) {
  if (type == ElementType::F32)
    return static_cast<const float *>(data)[offset];
  return decode16(static_cast<const uint16_t *>(data)[offset], type);
}

ReferenceArray jacquard::attn::gather(const ReferenceOperand &operand,
                                      int64_t batch, int64_t heads,
                                      int64_t rows, std::optional<int64_t> dim,
                                      const std::vector<int64_t> &lengths) {
  std::vector<int64_t> shape{batch, heads, rows};
  if (dim)
    shape.push_back(*dim);
  ReferenceArray result(shape);
  int64_t width = dim.value_or(1);
  for (int64_t b = 0; b < batch; ++b) {
    int64_t start = operand.starts.empty() ? 0 : operand.starts[b];
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t r = 0; r < lengths[b]; ++r)
        for (int64_t d = 0; d < width; ++d) {
          int64_t from = b * operand.batchStride + h * operand.headStride +
                         (start + r) * operand.rowStride + d;
          result.data[((b * heads + h) * rows + r) * width + d] =
              readFloat(operand.data, operand.type, from);
        }
  }
  return result;
}
