//===- FiguresTest.cpp - the figures that the host target promises --------===//
//
// Ratios within one run, best of a few; absolute times only where the promise
// is one.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include "tools/jacquard/Blas.h"

#include <chrono>
#include <ctime>

using namespace jacquard;

namespace {
using Clock = std::chrono::steady_clock;

double milliseconds(const std::function<void()> &work) {
  Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

/// Best forward time of a library pattern, in milliseconds.
double forwardTime(std::string_view name, const Problem &problem,
                   int64_t headDim, const Inputs &inputs, int repeats) {
  Expected<Pattern> pattern = Pattern::library(name);
  EXPECT_TRUE(pattern);
  PrepareOptions options;
  options.headDim = headDim;
  options.backward = false;
  auto op = testDevice()->prepare(*pattern, options);
  EXPECT_TRUE(op);
  Trial trial;
  trial.problem = problem;
  trial.headDim = trial.valueDim = headDim;
  trial.owned.inputs = inputs;
  trial.make(*pattern, 1);
  auto plan = (*op)->plan(problem, trial.owned.inputs);
  EXPECT_TRUE(plan);
  double best = 1e30;
  for (int i = 0; i < repeats; ++i)
    best =
        std::min(best, milliseconds([&] {
                   EXPECT_TRUE((*op)->forward(
                       *plan, {trial.q.view(), trial.k.view(), trial.v.view(),
                               trial.out.view(), trial.lse.view()}));
                 }));
  return best;
}

TEST(Figures, AWindowOf65536TokensTakesATwentiethOfCausal) {
  Problem problem;
  problem.qLen = problem.kLen = 65536;
  Inputs window;
  window.params = {{"window", 1024}, {"sink", 64}};
  double causal = forwardTime("causal", problem, 64, {}, 1);
  double sparse = forwardTime("window_sink", problem, 64, window, 3);
  RecordProperty("ratio", std::to_string(causal / sparse));
  EXPECT_LE(sparse, causal / 20);
}

/// Of this thread: compiling is its work alone, and what else the machine does
/// at the time does not count.
double processorMilliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

TEST(Figures, ACardCompilesInUnderHalfASecond) {
  Expected<Pattern> pattern = Pattern::library("window_sink");
  ASSERT_TRUE(pattern);
  double best = 1e30;
  for (int i = 0; i < 3; ++i) {
    auto device = Device::host(1); // Its memory of kernels is empty.
    double start = processorMilliseconds();
    EXPECT_TRUE(device->prepare(*pattern, {.headDim = 128}));
    best = std::min(best, processorMilliseconds() - start);
  }
  EXPECT_LT(best, 500);
}

TEST(Figures, DenseForwardReachesAQuarterOfSgemm) {
  std::optional<double> sgemm = blasSpeed(testDevice()->threads(), 2048, 3);
  if (!sgemm)
    GTEST_SKIP() << "no BLAS library on this machine";
  Problem problem;
  problem.heads = problem.kvHeads = 2;
  problem.qLen = problem.kLen = 4096;
  double time = forwardTime("full", problem, 128, {}, 3);
  double gflops = 2 * 4.0 * 4096 * 4096 * 128 / time / 1e6;
  RecordProperty("fraction", std::to_string(gflops / *sgemm));
  EXPECT_GE(gflops, 0.25 * *sgemm);
}
} // namespace
