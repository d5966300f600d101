//===- Reference.h - what the fp64 reference reads --------------*- C++ -*-===//
#ifndef JACQUARD_RUNTIME_REFERENCE_REFERENCE_H
#define JACQUARD_RUNTIME_REFERENCE_REFERENCE_H

#include "runtime/Jacquard.h"

namespace jacquard {

/// The caller's arrays, and where each batch element starts when packed.
struct ReferenceOperands {
  TensorView q, k, v, dOut, dLse;
  std::vector<int64_t> qStarts, kStarts;
};

} // namespace jacquard

#endif // JACQUARD_RUNTIME_REFERENCE_REFERENCE_H
