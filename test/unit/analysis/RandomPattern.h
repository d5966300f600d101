//===- RandomPattern.h - patterns and data for property tests ---*- C++ -*-===//
#ifndef JACQUARD_TEST_UNIT_ANALYSIS_RANDOMPATTERN_H
#define JACQUARD_TEST_UNIT_ANALYSIS_RANDOMPATTERN_H

#include "patterns/Bindings.h"

#include <deque>
#include <random>

namespace jacquard {

/// Bindings together with the data that their views show.
struct OwnedBindings {
  Bindings bindings;
  std::deque<std::vector<int32_t>> ints;
  std::deque<std::vector<float>> floats;

  void addTensor(std::vector<int64_t> shape, std::vector<int32_t> data);
  void addTensor(std::vector<int64_t> shape, std::vector<float> data);
  void addSelection(std::vector<int64_t> shape, std::vector<int32_t> data);
};

using Random = std::mt19937_64;

/// A uniform int in [low, high].
int64_t pick(Random &random, int64_t low, int64_t high);

/// A pattern over the whole grammar: `keep` only.
Graph randomGraph(Random &random);

/// Data for every declaration, lengths up to `longest`.
OwnedBindings randomBindings(const Graph &graph, Random &random,
                             int64_t longest);

} // namespace jacquard

#endif // JACQUARD_TEST_UNIT_ANALYSIS_RANDOMPATTERN_H
