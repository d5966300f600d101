//===- GradientTest.cpp - the reference against differences ---------------===//
//
// The gradient of sum(out * dout) + sum(lse * dlse) by every input, against
// central differences of the forward pass alone.
//
//===----------------------------------------------------------------------===//

#include "AttnModule.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace jacquard;
using attn::ReferenceArray;

namespace {
class GradientCheck {
public:
  GradientCheck(const Graph &graph, OwnedBindings owned, Random &random)
      : graph(graph), owned(std::move(owned)), module(graph),
        operands(this->owned.bindings.shape, random), random(random) {}

  void run() {
    const Bindings &bindings = owned.bindings;
    std::vector<ReferenceArray> forward = runForward();
    std::vector<ReferenceArray> results =
        module.run("backward",
                   {operands.q, operands.k, operands.v, forward[0], forward[1],
                    operands.dOut, operands.dLse, ReferenceArray({}, scale)},
                   bindings);
    compare("q", operands.q, results[0]);
    compare("k", operands.k, results[1]);
    compare("v", operands.v, results[2]);
    size_t next = 3;
    for (uint32_t i = 0; i < graph.tensors.size(); ++i)
      if (graph.tensors[i].grad && graph.sink != i)
        compareTensor(i, results[next++]);
    if (graph.sink)
      compareTensor(*graph.sink, results[next++]);
    EXPECT_EQ(results.size(), next);
  }

private:
  std::vector<ReferenceArray> runForward() {
    return module.run(
        "forward",
        {operands.q, operands.k, operands.v, ReferenceArray({}, scale)},
        owned.bindings);
  }

  double loss() {
    std::vector<ReferenceArray> results = runForward();
    double sum = 0;
    for (size_t i = 0; i < results[0].data.size(); ++i)
      sum += results[0].data[i] * operands.dOut.data[i];
    for (size_t i = 0; i < results[1].data.size(); ++i)
      if (std::isfinite(results[1].data[i])) // Of an empty row: nothing flows.
        sum += results[1].data[i] * operands.dLse.data[i];
    return sum;
  }

  /// Two central differences, extrapolated: the error is of the fourth order.
  template <typename T> double difference(T &value) {
    T original = value;
    auto central = [&](double step) {
      value = static_cast<T>(original + step);
      double high = value, above = loss();
      value = static_cast<T>(original - step);
      double low = value, below = loss();
      value = original;
      return (above - below) / (high - low);
    };
    constexpr double step = 1.0 / 512;
    return (4 * central(step) - central(2 * step)) / 3;
  }

  void expectNear(const std::string &name, size_t i, double expected,
                  double actual) {
    EXPECT_NEAR(expected, actual, 1e-5 * (1 + std::fabs(expected)))
        << "d" << name << " at " << i;
  }

  void compare(const std::string &name, ReferenceArray &input,
               const ReferenceArray &gradient) {
    ASSERT_EQ(input.shape, gradient.shape);
    for (int n = 0; n < 12 && !input.data.empty(); ++n) {
      size_t i = pick(random, 0, input.data.size() - 1);
      expectNear(name, i, difference(input.data[i]), gradient.data[i]);
    }
  }

  void compareTensor(uint32_t tensor, const ReferenceArray &gradient) {
    const ArrayView &view = owned.bindings.tensors[tensor];
    ASSERT_EQ(view.shape, gradient.shape);
    auto *data = const_cast<float *>(static_cast<const float *>(view.data));
    for (int n = 0; n < 12 && !gradient.data.empty(); ++n) {
      size_t i = pick(random, 0, gradient.data.size() - 1);
      expectNear(graph.tensors[tensor].name, i, difference(data[i]),
                 gradient.data[i]);
    }
  }

  static constexpr double scale = 0.7;
  const Graph &graph;
  OwnedBindings owned;
  AttnModule module;
  RandomOperands operands;
  Random &random;
};

void check(const Graph &graph, const std::string &what) {
  Random random(seedOfRun());
  SCOPED_TRACE(what + ", seed " + std::to_string(seedOfRun()));
  for (int i = 0; i < 3; ++i) {
    OwnedBindings owned = randomBindings(graph, random, 9);
    ProblemShape &shape = owned.bindings.shape;
    if (i == 2) // Lengths per batch element.
      for (int64_t b = 0; b < shape.batch; ++b) {
        shape.qLens.push_back(pick(random, 0, shape.qLen));
        shape.kLens.push_back(pick(random, 0, shape.kLen));
      }
    GradientCheck(graph, std::move(owned), random).run();
  }
}

TEST(Gradient, OfEveryLibraryScore) {
  for (const char *name : {"full", "causal", "window_sink", "alibi", "soft_cap",
                           "relative_bias", "pair_bias", "temperature",
                           "learned_sink", "documents", "row_intervals"})
    check(libraryGraph(name), name);
}

// Arguments stay clear of kinks and poles, where a difference says nothing.
TEST(Gradient, OfEveryFunction) {
  for (const char *score :
       {"s + t[h]", "t[h] - s", "s * t[h]", "s / (t[h] + 4.0)",
        "(t[h] + 1.0) / (s + 9.0)", "-s * t[h]",
        "abs(s + 20.0) + abs(t[h] - 20.0)", "min(s, t[h] + 20.0)",
        "max(t[h] - 20.0, s)", "min(t[h] + 20.0, s) + max(s, t[h] - 20.0)",
        "where(k % 2 == 0, s * t[h], s * 3.0)",
        "exp(s * 0.3) + exp(t[h] * 0.3)", "log(s + 9.0) * log(t[h] + 9.0)",
        "tanh(s) + tanh(s * t[h])", "sigmoid(s * t[h]) * 3.0",
        "sqrt(s + 9.0) * sqrt(t[h] + 9.0)", "s + (q - k) * t[h]",
        "s * s * t[h] + t[h] * t[h]"})
    check(graphOf("pattern f(t: float[heads] grad) { score " +
                  std::string(score) + " }"),
          score);
}

TEST(Gradient, OfATensorReadTwiceAddsUp) {
  check(graphOf("pattern twice(t: float[heads, 5] grad) {\n"
                "  keep k <= q + 2\n"
                "  score s * t[h, k % 5] + t[h, row] + t[0, 1]\n}"),
        "twice");
}

TEST(Gradient, OfASinkWithAScore) {
  check(
      graphOf("pattern both(t: float[heads] grad, slope: float[heads] grad) {\n"
              "  keep k <= q\n"
              "  score s - slope[h] * (q - k)\n  sink t\n}"),
      "both");
}

TEST(Gradient, OfASaturatedSigmoidIsFinite) {
  Graph graph = graphOf("pattern steep(t: float[heads] grad) {\n"
                        "  score s + sigmoid(t[h] * 1000.0)\n}");
  for (float value : {-1.0f, 1.0f}) {
    OwnedBindings owned;
    owned.bindings.shape = {1, 1, 1, 2, 2, {}, {}, {0}};
    owned.addTensor({1}, std::vector<float>{value});
    Random random(1);
    RandomOperands operands(owned.bindings.shape, random);
    AttnModule module(graph);
    ReferenceArray scale({}, 1);
    auto forward = module.run(
        "forward", {operands.q, operands.k, operands.v, scale}, owned.bindings);
    auto results = module.run("backward",
                              {operands.q, operands.k, operands.v, forward[0],
                               forward[1], operands.dOut, operands.dLse, scale},
                              owned.bindings);
    EXPECT_EQ(results[3].data[0], 0);
  }
}
} // namespace
