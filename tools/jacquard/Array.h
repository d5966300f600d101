//===- Array.h - arrays that own their data ---------------------*- C++ -*-===//
#ifndef JACQUARD_TOOLS_JACQUARD_ARRAY_H
#define JACQUARD_TOOLS_JACQUARD_ARRAY_H

#include "runtime/Jacquard.h"

namespace jacquard {

/// A contiguous array.
struct Array {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  Array() = default;
  Array(ElementType type, std::vector<int64_t> shape);

  int64_t size() const;
  TensorView view();
  /// Element i as fp64, and its writer (rounded to nearest even).
  double get(int64_t i) const;
  void set(int64_t i, double value);
};

/// Reads and writes .npy files (format 1 to 3, C order, little endian) of f32,
/// f16, int32 (also from int64 whose values fit) and, as <u2 with `bf16`, bf16.
/// Errors (E0501 to E0503) name the file and what is wrong with it.
Expected<Array> readNpy(const std::string &path, bool bf16);
Status writeNpy(const std::string &path, const Array &array);

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_ARRAY_H
