//===- Comparison.h - results against the fp64 reference --------*- C++ -*-===//
//
// The bounds come with the reference: unit roundoff of the element type for
// what is stored, fp32 accumulation over head dims and keys for what is summed.
// They follow from the numbers of the problem, row by row; nothing is fitted.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_TOOLS_JACQUARD_COMPARISON_H
#define JACQUARD_TOOLS_JACQUARD_COMPARISON_H

#include "Operands.h"

namespace jacquard {

/// The element of one array that is worst when measured by its bound.
struct Comparison {
  std::string name;
  std::vector<int64_t> shape;
  int64_t worst = -1; ///< Element; -1: the array is empty.
  double got = 0, expected = 0, error = 0, bound = 0, ratio = 0;
  int64_t rows = 0, badRows = 0; ///< Rows: all axes but the last of 4.

  bool good() const { return badRows == 0; }
  /// "out: worst at b 0 h 1 row 17: error ..., bound ...".
  std::string describe() const;
};

Comparison compare(std::string name, const Array &got, const Bounded &expected);
std::vector<Comparison> compareAll(const Operands &operands,
                                   const Reference &expected, bool backward);
Json asJson(const Comparison &comparison);

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_COMPARISON_H
