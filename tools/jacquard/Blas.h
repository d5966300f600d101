//===- Blas.h - the sgemm of this machine's BLAS ----------------*- C++ -*-===//
#ifndef JACQUARD_TOOLS_JACQUARD_BLAS_H
#define JACQUARD_TOOLS_JACQUARD_BLAS_H

#include <optional>
#include <string>

namespace jacquard {

/// The library that would be used, with its kernels' name; empty if there is
/// none.
std::string blasName();

/// GFLOP/s of its sgemm of n x n matrices: the median of `repeats`. Nothing if
/// there is no library.
std::optional<double> blasSpeed(int threads, int n, int repeats);

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_BLAS_H
