//===- DifferentialTest.cpp - the host target against the reference -------===//
//
// Library x forward and backward x three types x odd lengths, with the bounds
// that the reference derives from rounding. Inputs are fresh each run.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

using namespace jacquard;

namespace {
void check(const Pattern &pattern, Trial &run, uint64_t seed) {
  SCOPED_TRACE(pattern.graph().name + ", seed " + std::to_string(seed) +
               ", q_len " + std::to_string(run.problem.qLen) + ", k_len " +
               std::to_string(run.problem.kLen) + ", heads " +
               std::to_string(run.problem.heads) + "/" +
               std::to_string(run.problem.kvHeads) + ", type " +
               std::to_string(static_cast<int>(run.element)));
  run.problem.align = Align::BottomRight;
  run.make(pattern, seed);
  run.execute(pattern);
  if (!testing::Test::HasFatalFailure())
    run.expectReference(pattern);
}

class Library : public testing::TestWithParam<std::string_view> {};

TEST_P(Library, AgreesWithTheReference) {
  Expected<Pattern> pattern = Pattern::library(GetParam());
  ASSERT_TRUE(pattern) << pattern.error().render();
  uint64_t seed = seedOfRun();
  // Lengths around tiles, one and none, different ones; ratios 1, 2, 3 and 8.
  constexpr int64_t cases[][4] = {
      {127, 127, 2, 2}, {129, 129, 3, 1}, {1, 1, 2, 2},    {0, 5, 2, 1},
      {5, 0, 2, 1},     {1, 129, 8, 1},   {129, 70, 2, 1}, {70, 200, 2, 2}};
  for (ElementType element :
       {ElementType::F32, ElementType::F16, ElementType::BF16})
    for (const auto &[qLen, kLen, heads, kvHeads] : cases) {
      Trial run;
      run.element = element;
      run.problem.batch = heads == 2 ? 2 : 1;
      run.problem.heads = heads;
      run.problem.kvHeads = kvHeads;
      run.problem.qLen = qLen;
      run.problem.kLen = kLen;
      check(*pattern, run, ++seed);
      if (HasFatalFailure())
        return;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Library, testing::ValuesIn(libraryNames()),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

TEST(HeadDims, AnyAndDifferentOnes) {
  Expected<Pattern> pattern = Pattern::library("window_sink");
  ASSERT_TRUE(pattern);
  uint64_t seed = seedOfRun() + 1000;
  constexpr int64_t dims[][2] = {{1, 1},   {8, 24},   {31, 7},    {40, 72},
                                 {96, 96}, {128, 64}, {192, 128}, {256, 256}};
  for (const auto &[headDim, valueDim] : dims)
    for (ElementType element : {ElementType::F32, ElementType::BF16}) {
      Trial run;
      run.element = element;
      run.problem.heads = run.problem.kvHeads = 2;
      run.problem.qLen = run.problem.kLen = 70;
      run.headDim = headDim;
      run.valueDim = valueDim;
      check(*pattern, run, ++seed);
      if (HasFatalFailure())
        return;
    }
}
} // namespace
