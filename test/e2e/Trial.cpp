//===- Trial.cpp - one problem through a device, for tests ----------------===//

#include "Trial.h"

#include <cmath>
#include <random>

using namespace jacquard;

uint64_t jacquard::seedOfRun() {
  static uint64_t seed = [] {
    const char *given = std::getenv("TEST_SEED");
    return given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  }();
  return seed;
}

std::shared_ptr<Device> jacquard::testDevice() {
  static std::shared_ptr<Device> host = Device::host();
  return host;
}

Pattern jacquard::patternOf(const std::string &text) {
  Expected<Pattern> pattern = Pattern::fromText("test", text);
  EXPECT_TRUE(pattern) << pattern.error().render();
  return pattern ? *pattern : Pattern();
}

static void poison(Array &array) {
  for (int64_t i = 0, count = array.size(); i < count; ++i)
    array.set(i, std::nan(""));
}

void Trial::make(const Pattern &pattern, uint64_t seed) {
  RandomStream random(seed);
  ASSERT_TRUE(addRandomInputs(pattern, problem, random, owned));
  auto array = [&](bool ofKeys, int64_t dim) {
    bool packed = ofKeys ? !problem.cuK.empty() : !problem.cuQ.empty();
    int64_t length = packed   ? (ofKeys ? problem.cuK : problem.cuQ).back()
                     : ofKeys ? problem.kLen
                              : problem.qLen;
    return randomArray(element,
                       {packed ? 1 : problem.batch,
                        ofKeys ? problem.kvHeads : problem.heads, length, dim},
                       random);
  };
  q = array(false, headDim);
  k = array(true, headDim);
  v = array(true, valueDim);
  dOut = array(false, valueDim);
  std::vector<int64_t> rows(q.shape.begin(), q.shape.begin() + 3);
  dLse = randomArray(ElementType::F32, rows, random);
  out = Array(element, dOut.shape);
  lse = Array(ElementType::F32, rows);
  dq = Array(element, q.shape);
  dk = Array(element, k.shape);
  dv = Array(element, v.shape);
  for (Array *array : {&out, &lse, &dq, &dk, &dv})
    poison(*array);
  const Graph &graph = pattern.graph();
  for (uint32_t i = 0; i < graph.tensors.size(); ++i)
    if (graph.tensors[i].grad || graph.sink == i) {
      const std::string &name = graph.tensors[i].name;
      gradients[name] =
          Array(ElementType::F32, owned.inputs.tensors[name].shape);
      poison(gradients[name]);
    }
}

BackwardArgs Trial::args() {
  BackwardArgs args{q.view(),   k.view(),    v.view(),    out.view(),
                    lse.view(), dOut.view(), dLse.view(), dq.view(),
                    dk.view(),  dv.view(),   {}};
  for (auto &[name, array] : gradients)
    args.gradients[name] = array.view();
  return args;
}

void Trial::execute(const Pattern &pattern) {
  PrepareOptions options;
  options.element = element;
  options.headDim = headDim;
  options.valueDim = valueDim;
  auto op = testDevice()->prepare(pattern, options);
  ASSERT_TRUE(op) << op.error().render();
  auto plan = (*op)->plan(problem, owned.inputs);
  ASSERT_TRUE(plan) << plan.error().render();
  Status forward = (*op)->forward(
      *plan, {q.view(), k.view(), v.view(), out.view(), lse.view()});
  ASSERT_TRUE(forward) << forward.error().render();
  Status backward = (*op)->backward(*plan, args());
  ASSERT_TRUE(backward) << backward.error().render();
}

static void expectWithin(const std::string &what, const Array &got,
                         const Bounded &expected) {
  ASSERT_EQ(got.size(), static_cast<int64_t>(expected.value.size())) << what;
  for (int64_t i = 0; i < got.size(); ++i) {
    double value = got.get(i), wanted = expected.value[i];
    if (value == wanted || (std::isnan(value) && std::isnan(wanted)))
      continue;
    ASSERT_LE(std::fabs(value - wanted), expected.bound[i])
        << what << " element " << i << ": got " << value << ", expected "
        << wanted;
  }
}

void Trial::expectReference(const Pattern &pattern) {
  auto expected = reference(pattern, problem, owned.inputs, args(), true);
  ASSERT_TRUE(expected) << expected.error().render();
  expectWithin("out", out, expected->out);
  expectWithin("lse", lse, expected->lse);
  expectWithin("dq", dq, expected->dq);
  expectWithin("dk", dk, expected->dk);
  expectWithin("dv", dv, expected->dv);
  for (auto &[name, array] : gradients)
    expectWithin("gradient of " + name, array, expected->gradients[name]);
}
