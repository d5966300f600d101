//===- Blas.cpp - the sgemm of this machine's BLAS ------------------------===//

#include "Blas.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

using namespace jacquard;

// The interface of the reference BLAS: everything by address.
using Sgemm = void (*)(const char *, const char *, const int *, const int *,
                       const int *, const float *, const float *, const int *,
                       const float *, const int *, const float *, float *,
                       const int *);
using SetThreads = void (*)(int);

namespace {
struct Blas {
  std::string name;
  Sgemm sgemm = nullptr;
  SetThreads setThreads = nullptr;
};
} // namespace

static const Blas &blas() {
  static const Blas found = [] {
    Blas blas;
    // On a processor newer than itself OpenBLAS falls back to kernels without
    // wide vectors, which would make the comparison a gift. What the processor
    // can do decides, unless the user has chosen.
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
      ::setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      ::setenv("OPENBLAS_CORETYPE", "Haswell", 0);
    for (const char *name : {"libopenblas.so.0", "libblas.so.3"})
      if (void *library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
        blas.sgemm = reinterpret_cast<Sgemm>(::dlsym(library, "sgemm_"));
        blas.setThreads = reinterpret_cast<SetThreads>(
            ::dlsym(library, "openblas_set_num_threads"));
        if (!blas.sgemm)
          continue;
        blas.name = name;
        using CoreName = const char *(*)();
        if (auto core = reinterpret_cast<CoreName>(
                ::dlsym(library, "openblas_get_corename")))
          blas.name += std::string(" (") + core() + ")";
        break;
      }
    return blas;
  }();
  return found;
}

std::string jacquard::blasName() { return blas().name; }

std::optional<double> jacquard::blasSpeed(int threads, int n, int repeats) {
  if (!blas().sgemm)
    return std::nullopt;
  if (blas().setThreads)
    blas().setThreads(threads);
  std::vector<float> a(static_cast<size_t>(n) * n, 0.5f), b = a, c = a;
  const float one = 1, zero = 0;
  std::vector<double> seconds;
  for (int i = 0; i < repeats + 1; ++i) {
    auto start = std::chrono::steady_clock::now();
    blas().sgemm("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero,
                 c.data(), &n);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count());
  }
  seconds.erase(seconds.begin()); // The first warms up.
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2,
                   seconds.end());
  double operations = 2.0 * n * n * n;
  return operations / seconds[repeats / 2] / 1e9;
}
