//===- SaturatingMath.h - 64-bit sums that stay at the ends -----*- C++ -*-===//
//
// What is computed past 64 bits stays at the nearest end, so that order is
// kept: a threshold that is far away remains far away.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_SATURATINGMATH_H
#define JACQUARD_PATTERNS_SATURATINGMATH_H

#include <algorithm>
#include <cstdint>
#include <limits>

namespace jacquard {

inline int64_t saturate(__int128 value) {
  return static_cast<int64_t>(
      std::clamp<__int128>(value, std::numeric_limits<int64_t>::min(),
                           std::numeric_limits<int64_t>::max()));
}
inline int64_t saturatingAdd(int64_t a, int64_t b) {
  return saturate(static_cast<__int128>(a) + b);
}
inline int64_t saturatingSub(int64_t a, int64_t b) {
  return saturate(static_cast<__int128>(a) - b);
}
inline int64_t saturatingMul(int64_t a, int64_t b) {
  return saturate(static_cast<__int128>(a) * b);
}

} // namespace jacquard

#endif // JACQUARD_PATTERNS_SATURATINGMATH_H
