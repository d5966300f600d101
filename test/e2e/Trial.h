//===- Trial.h - one problem through a device, for tests --------*- C++ -*-===//
#ifndef JACQUARD_TEST_E2E_TRIAL_H
#define JACQUARD_TEST_E2E_TRIAL_H

#include "tools/jacquard/RandomInputs.h"

#include <gtest/gtest.h>

namespace jacquard {

/// A seed from TEST_SEED or fresh; printed with failures.
uint64_t seedOfRun();

/// A host device that tests share.
std::shared_ptr<Device> testDevice();

/// All arrays of a forward and backward pass over random data, outputs
/// poisoned.
struct Trial {
  Problem problem;
  ElementType element = ElementType::F32;
  int64_t headDim = 16, valueDim = 16;
  OwnedInputs owned;
  Array q, k, v, out, lse, dOut, dLse, dq, dk, dv;
  std::map<std::string, Array> gradients;

  /// Makes the arrays for `problem`, and random inputs where `owned` has none.
  void make(const Pattern &pattern, uint64_t seed);
  BackwardArgs args();
  /// Prepares, plans and runs both passes; a test failure on any error.
  void execute(const Pattern &pattern);
  /// Fails where a result is further from the reference than rounding explains.
  void expectReference(const Pattern &pattern);
};

/// A pattern from its text form; a test failure on an error.
Pattern patternOf(const std::string &text);

} // namespace jacquard

#endif // JACQUARD_TEST_E2E_TRIAL_H
