//===- DifferentialTest.cpp - the host target against the reference --------===//
//
// Library x forward and backward x three types x odd lengths, with the bounds that
// the reference derives from rounding. Inputs are fresh each run; the seed is printed.
//
//===----------------------------------------------------------------------===//

#include "tools/jacquard/RandomInputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace jacquard;

namespace {
uint64_t seedOfRun() {
  static uint64_t seed = [] {
    const char *given = std::getenv("TEST_SEED");
    return given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  }();
  return seed;
}

std::shared_ptr<Device> device() {
  static std::shared_ptr<Device> host = Device::host();
  return host;
}

struct Case {
  ElementType element = ElementType::F32;
  int64_t batch = 1, heads = 2, kvHeads = 2, qLen = 64, kLen = 64;
  int64_t headDim = 16, valueDim = 16;
};

void fillPoison(Array &array) {
  for (int64_t i = 0, count = array.size(); i < count; ++i)
    array.set(i, std::nan(""));
}

/// Worst element of `got` measured by its bound; reports the first that exceeds it.
void expectWithin(const std::string &what, const Array &got, const Bounded &expected) {
  ASSERT_EQ(got.size(), static_cast<int64_t>(expected.value.size())) << what;
  for (int64_t i = 0; i < got.size(); ++i) {
    double value = got.get(i), wanted = expected.value[i];
    if (value == wanted || (std::isnan(value) && std::isnan(wanted)))
      continue;
    double error = std::fabs(value - wanted);
    ASSERT_LE(error, expected.bound[i])
        << what << " element " << i << ": got " << value << ", expected " << wanted;
  }
}

void check(const Pattern &pattern, const Case &problemCase, uint64_t seed) {
  SCOPED_TRACE(pattern.graph().name + ", seed " + std::to_string(seed) + ", q_len " +
               std::to_string(problemCase.qLen) + ", k_len " +
               std::to_string(problemCase.kLen) + ", heads " +
               std::to_string(problemCase.heads) + "/" +
               std::to_string(problemCase.kvHeads) + ", type " +
               std::to_string(static_cast<int>(problemCase.element)));
  const Case &c = problemCase;
  RandomStream random(seed);
  Problem problem;
  problem.batch = c.batch;
  problem.heads = c.heads;
  problem.kvHeads = c.kvHeads;
  problem.qLen = c.qLen;
  problem.kLen = c.kLen;
  problem.align = Align::BottomRight;
  OwnedInputs owned;
  ASSERT_TRUE(addRandomInputs(pattern, problem, random, owned));
  auto make = [&](int64_t heads, int64_t length, int64_t dim) {
    return randomArray(c.element, {c.batch, heads, length, dim}, random);
  };
  Array q = make(c.heads, c.qLen, c.headDim), k = make(c.kvHeads, c.kLen, c.headDim);
  Array v = make(c.kvHeads, c.kLen, c.valueDim), dOut = make(c.heads, c.qLen, c.valueDim);
  Array out(c.element, dOut.shape), lse(ElementType::F32, {c.batch, c.heads, c.qLen});
  Array dLse = randomArray(ElementType::F32, lse.shape, random);
  Array dq(c.element, q.shape), dk(c.element, k.shape), dv(c.element, v.shape);
  for (Array *array : {&out, &lse, &dq, &dk, &dv})
    fillPoison(*array);
  std::map<std::string, Array> gradients;
  BackwardArgs args{q.view(), k.view(), v.view(), out.view(), lse.view(), dOut.view(),
                    dLse.view(), dq.view(), dk.view(), dv.view(), {}};
  const Graph &graph = pattern.graph();
  for (uint32_t i = 0; i < graph.tensors.size(); ++i)
    if (graph.tensors[i].grad || graph.sink == i) {
      const std::string &name = graph.tensors[i].name;
      gradients[name] = Array(ElementType::F32, owned.inputs.tensors[name].shape);
      fillPoison(gradients[name]);
      args.gradients[name] = gradients[name].view();
    }

  PrepareOptions options;
  options.element = c.element;
  options.headDim = c.headDim;
  options.valueDim = c.valueDim;
  auto op = device()->prepare(pattern, options);
  ASSERT_TRUE(op) << op.error().render();
  auto plan = (*op)->plan(problem, owned.inputs, {true});
  ASSERT_TRUE(plan) << plan.error().render();
  Status forward = (*op)->forward(*plan, {q.view(), k.view(), v.view(), out.view(),
                                          lse.view()});
  ASSERT_TRUE(forward) << forward.error().render();
  Status backward = (*op)->backward(*plan, args);
  ASSERT_TRUE(backward) << backward.error().render();
  auto expected = reference(pattern, problem, owned.inputs, args, true);
  ASSERT_TRUE(expected) << expected.error().render();
  expectWithin("out", out, expected->out);
  expectWithin("lse", lse, expected->lse);
  expectWithin("dq", dq, expected->dq);
  expectWithin("dk", dk, expected->dk);
  expectWithin("dv", dv, expected->dv);
  for (auto &[name, array] : gradients)
    expectWithin("gradient of " + name, array, expected->gradients[name]);
}

class Library : public testing::TestWithParam<std::string_view> {};

TEST_P(Library, AgreesWithTheReference) {
  Expected<Pattern> pattern = Pattern::library(GetParam());
  ASSERT_TRUE(pattern) << pattern.error().render();
  uint64_t seed = seedOfRun();
  for (ElementType element : {ElementType::F32, ElementType::F16, ElementType::BF16}) {
    // Lengths around tiles, one and none, different ones, head ratios.
    constexpr int64_t cases[][4] = {{127, 127, 2, 2}, {129, 129, 3, 1}, {1, 1, 2, 2},
                                    {0, 5, 2, 1},     {5, 0, 2, 1},     {1, 129, 8, 1},
                                    {129, 70, 2, 1},  {70, 200, 2, 2}};
    for (const auto &[qLen, kLen, heads, kvHeads] : cases) {
      Case c;
      c.element = element;
      c.qLen = qLen;
      c.kLen = kLen;
      c.heads = heads;
      c.kvHeads = kvHeads;
      c.batch = heads == 2 ? 2 : 1;
      check(*pattern, c, ++seed);
      if (HasFatalFailure())
        return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Library, testing::ValuesIn(libraryNames()),
    [](const auto &info) { return std::string(info.param); });

TEST(HeadDims, AnyAndDifferentOnes) {
  Expected<Pattern> pattern = Pattern::library("window_sink");
  ASSERT_TRUE(pattern);
  uint64_t seed = seedOfRun() + 1000;
  constexpr int64_t dims[][2] = {{1, 1},   {8, 24},   {31, 7},    {40, 72},
                                 {96, 96}, {128, 64}, {192, 128}, {256, 256}};
  for (const auto &[headDim, valueDim] : dims)
    for (ElementType element : {ElementType::F32, ElementType::BF16}) {
      Case c;
      c.element = element;
      c.qLen = c.kLen = 70;
      c.headDim = headDim;
      c.valueDim = valueDim;
      check(*pattern, c, ++seed);
    }
}
} // namespace
