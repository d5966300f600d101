//===- RandomInputs.h - sensible random data for any pattern ----*- C++ -*-===//
//
// The same numbers on every machine: a counter-based generator, not the
// library's.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_TOOLS_JACQUARD_RANDOMINPUTS_H
#define JACQUARD_TOOLS_JACQUARD_RANDOMINPUTS_H

#include "Array.h"

#include <deque>

namespace jacquard {

class RandomStream {
public:
  explicit RandomStream(uint64_t seed)
      : state(seed * 0x9e3779b97f4a7c15u + 1) {}
  uint64_t next();
  /// Uniform in [low, high].
  int64_t integer(int64_t low, int64_t high);
  /// Standard normal.
  double normal();

private:
  uint64_t state;
};

/// Inputs together with the arrays that they show.
struct OwnedInputs {
  Inputs inputs;
  std::deque<Array> arrays;
};

/// Refuses more elements than a machine holds, before they are counted in 64
/// bits. Errors: E0512.
Status checkElements(double elements);

/// An array of normal values.
Array randomArray(ElementType type, std::vector<int64_t> shape,
                  RandomStream &random);

/// Data for every tensor and selection that `given` does not hold: sorted ids
/// for sorted tensors, small positive numbers for other ints, block lists
/// padded with -1, intervals that are mostly proper ones.
Status addRandomInputs(const Pattern &pattern, const Problem &problem,
                       RandomStream &random, OwnedInputs &given);

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_RANDOMINPUTS_H
