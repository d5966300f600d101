//===- Magnitude.h - how large a value can become ---------------*- C++ -*-===//
#ifndef JACQUARD_PATTERNS_MAGNITUDE_H
#define JACQUARD_PATTERNS_MAGNITUDE_H

#include "patterns/Graph.h"

namespace jacquard {

/// Does the value of each node, and of all that it is computed from, stay far
/// enough inside 64 bits for any launch? Kernels compute ends without checks.
std::vector<bool> fitting(const Graph &graph);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_MAGNITUDE_H
