//===- ProblemOptions.h - a problem from the command line -------*- C++ -*-===//
#ifndef JACQUARD_TOOLS_JACQUARD_PROBLEMOPTIONS_H
#define JACQUARD_TOOLS_JACQUARD_PROBLEMOPTIONS_H

#include "RandomInputs.h"
#include "Session.h"

namespace jacquard {

/// Element type of q, k, v and head dims: what --dtype and the like say.
struct TypeOptions {
  std::string dtype = "f32";
  int64_t headDim = 64, valueDim = 0;

  void declare(CLI::App &command, int64_t defaultHeadDim);
  ElementType element() const;
};

/// A problem with everything that the pattern reads.
struct LoadedProblem {
  Pattern pattern;
  Problem problem;
  OwnedInputs owned;
  std::vector<std::string> randomNames; ///< Tensors and selections not given.
  std::map<std::string, ElementType> tensorElements;
};

/// Sizes, parameters, tensors: the options of show, explain, run and bench.
struct ProblemOptions {
  std::string card;
  int64_t batch = 1, heads = 4, kvHeads = 0, q = 256, k = -1;
  std::vector<int64_t> qLens, kLens, qOffsets;
  std::string align;
  std::vector<std::string> params, tensors;
  uint64_t seed = 0;

  void declare(CLI::App &command, int64_t defaultLength);
  /// Reads the card, the values and the files. With `fill`, what is not given
  /// is random; without, the binding will miss it. Errors: of cards and files,
  /// E0504 to E0506.
  Expected<LoadedProblem> load(bool bf16, bool fill) const;
};

/// A stream of its own for each name: giving one array leaves the others as
/// they are.
RandomStream streamOf(uint64_t seed, std::string_view name);

/// Says which data were made up, where any were.
void sayRandom(const LoadedProblem &loaded, uint64_t seed);

Json asJson(const Problem &problem);

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_PROBLEMOPTIONS_H
