//===- DenseDefinition.h - library patterns, pair by pair -------*- C++ -*-===//
//
// What each card of the library means, written once more in plain C++: the
// tests hold the cards against it. Reads run-time data by itself.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_TEST_UNIT_PATTERNS_DENSEDEFINITION_H
#define JACQUARD_TEST_UNIT_PATTERNS_DENSEDEFINITION_H

#include "patterns/Bindings.h"

#include <functional>

namespace jacquard {

/// One pair of a launch, and what may be asked about it.
struct Pair {
  const Graph &graph;
  const Bindings &bindings;
  int64_t b, h, row, k;
  double s;

  int64_t q() const { return row + bindings.shape.qOffsets[b]; }
  int64_t kLen() const { return bindings.shape.kLenOf(b); }
  int64_t param(const std::string &name) const;
  double real(const std::string &name) const;
  /// A tensor's element; indices are clamped, axes of size 1 broadcast.
  double at(const std::string &name, std::vector<int64_t> indices) const;
  /// Is `value` listed in the innermost axis of the only selection?
  bool listed(std::vector<int64_t> indices, int64_t value) const;
  /// Does one of the selection's half-open intervals hold `value`?
  bool within(std::vector<int64_t> indices, int64_t value) const;
};

struct DenseDefinition {
  std::function<bool(const Pair &)> keep;    ///< Empty: every pair.
  std::function<double(const Pair &)> score; ///< Empty: s.
};

const std::map<std::string, DenseDefinition> &denseDefinitions();

} // namespace jacquard

#endif // JACQUARD_TEST_UNIT_PATTERNS_DENSEDEFINITION_H
