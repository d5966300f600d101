//===- SemanticsTest.cpp - what the language defines, on the reference ----===//

#include "AttnModule.h"

#include "dialects/Attn/Reference/ReferenceArray.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace jacquard;
using attn::ReferenceArray;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
const ReferenceArray unit({}, 1);

OwnedBindings boundTo(ProblemShape shape) {
  OwnedBindings owned;
  shape.qOffsets.assign(shape.batch, 0);
  owned.bindings.shape = shape;
  return owned;
}

bool allFinite(const ReferenceArray &array) {
  for (double value : array.data)
    if (!std::isfinite(value))
      return false;
  return true;
}

TEST(Semantics, ARowThatKeepsNothingIsZeroWithLseMinusInfinity) {
  Graph graph = graphOf("pattern later { keep k < q }");
  OwnedBindings owned = boundTo({1, 1, 1, 3, 3, {}, {}, {}});
  Random random(seedOfRun());
  RandomOperands operands(owned.bindings.shape, random);
  AttnModule module(graph);
  auto forward = module.run(
      "forward", {operands.q, operands.k, operands.v, unit}, owned.bindings);
  EXPECT_EQ(forward[1].at({0, 0, 0}), -infinity);
  for (int64_t d = 0; d < 3; ++d) {
    EXPECT_EQ(forward[0].at({0, 0, 0, d}), 0);
    EXPECT_DOUBLE_EQ(forward[0].at({0, 0, 1, d}), operands.v.at({0, 0, 0, d}));
  }
  auto results = module.run("backward",
                            {operands.q, operands.k, operands.v, forward[0],
                             forward[1], operands.dOut, operands.dLse, unit},
                            owned.bindings);
  for (int64_t d = 0; d < 5; ++d)
    EXPECT_EQ(results[0].at({0, 0, 0, d}), 0);
  for (const ReferenceArray &array : results)
    EXPECT_TRUE(allFinite(array));
}

TEST(Semantics, ARowThatKeepsNothingHasTheSinkAsLse) {
  Graph graph =
      graphOf("pattern none(t: float[heads] grad) { keep k > 100\n sink t }");
  OwnedBindings owned = boundTo({1, 2, 1, 2, 2, {}, {}, {}});
  owned.addTensor({2}, std::vector<float>{0.5f, -3.0f});
  Random random(seedOfRun());
  RandomOperands operands(owned.bindings.shape, random);
  AttnModule module(graph);
  auto forward = module.run(
      "forward", {operands.q, operands.k, operands.v, unit}, owned.bindings);
  EXPECT_EQ(forward[0].data, std::vector<double>(forward[0].data.size(), 0.0));
  EXPECT_EQ(forward[1].data, (std::vector<double>{0.5, 0.5, -3, -3}));
  // lse is the sink itself there, so that its gradient is that of lse.
  auto results = module.run("backward",
                            {operands.q, operands.k, operands.v, forward[0],
                             forward[1], operands.dOut, operands.dLse, unit},
                            owned.bindings);
  EXPECT_DOUBLE_EQ(results[3].at({0}),
                   operands.dLse.at({0, 0, 0}) + operands.dLse.at({0, 0, 1}));
}

TEST(Semantics, DataThatIsNotKeptNeverReachesAResult) {
  Graph graph = graphOf("pattern even { keep k % 2 == 0 }");
  ProblemShape shape{2, 2, 1, 4, 6, {3, 4}, {5, 2}, {}};
  OwnedBindings owned = boundTo(shape);
  Random random(seedOfRun());
  RandomOperands clean(shape, random), dirty = clean;
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t k = 0; k < 6; ++k)
      if (k % 2 == 1 || k >= shape.kLens[b])
        for (int64_t d = 0; d < 3; ++d) {
          dirty.k.at({b, 0, k, d}) = k % 2 ? NAN : infinity;
          dirty.v.at({b, 0, k, d}) = NAN;
        }
  for (int64_t d = 0; d < 3; ++d)
    dirty.q.at({0, 1, 3, d}) = dirty.dOut.at({0, 1, 3, d}) = NAN;
  AttnModule module(graph);
  std::vector<ReferenceArray> all[2];
  for (int i = 0; i < 2; ++i) {
    const RandomOperands &own = i ? dirty : clean;
    all[i] = module.run("forward", {own.q, own.k, own.v, unit}, owned.bindings);
    auto backward = module.run(
        "backward",
        {own.q, own.k, own.v, all[i][0], all[i][1], own.dOut, own.dLse, unit},
        owned.bindings);
    all[i].insert(all[i].end(), backward.begin(), backward.end());
  }
  for (size_t i = 0; i < all[0].size(); ++i)
    EXPECT_EQ(all[0][i].data, all[1][i].data) << "result " << i;
}

TEST(Semantics, DisjointKeysCombineToTheWhole) {
  OwnedBindings owned = boundTo({1, 2, 2, 5, 9, {}, {}, {}});
  Random random(seedOfRun());
  RandomOperands operands(owned.bindings.shape, random);
  auto forward = [&](const char *keep) {
    AttnModule module(
        graphOf(std::string("pattern part { keep ") + keep + " }"));
    auto results = module.run(
        "forward", {operands.q, operands.k, operands.v, unit}, owned.bindings);
    return attn::Interpreter::Forward{results[0], results[1]};
  };
  auto whole = forward("k <= q");
  // The second part keeps nothing at all; what it holds must not matter.
  auto nothing = forward("k > 50");
  for (double &value : nothing.out.data)
    value = NAN;
  auto joined = attn::combine(
      {forward("k <= q and k < 2"), nothing, forward("k <= q and k >= 2")});
  for (size_t i = 0; i < whole.out.data.size(); ++i)
    EXPECT_NEAR(whole.out.data[i], joined.out.data[i], 1e-14);
  for (size_t i = 0; i < whole.lse.data.size(); ++i)
    EXPECT_NEAR(whole.lse.data[i], joined.lse.data[i], 1e-14);
}

TEST(Semantics, TilesAreSkippedPartialOrFull) {
  Graph graph = graphOf("pattern causal { keep k <= q }");
  OwnedBindings owned = boundTo({1, 1, 1, 5, 5, {}, {4}, {}});
  AttnModule module(graph);
  auto interpreter =
      attn::Interpreter::create(module.pattern(), owned.bindings);
  ASSERT_TRUE(interpreter);
  EXPECT_EQ(interpreter->classify(2, 2).data,
            (std::vector<double>{1, 0, 0, 2, 1, 0, 2, 2, 0}));
}

TEST(Semantics, PackedOperandsAreReadFromTheirStarts) {
  // Two sequences of 1 and 2 rows, packed, as bf16 and with a wide row.
  std::vector<uint16_t> data;
  for (uint16_t value :
       {0x3f80, 0x4000, 0x7fc0, 0x4040, 0x4080, 0x7fc0, 0x40a0, 0x40c0, 0x7fc0})
    data.push_back(value);
  attn::ReferenceOperand operand{data.data(), ElementType::BF16, 0, 0, 3,
                                 {0, 1}};
  ReferenceArray array = attn::gather(operand, 2, 1, 2, 2, {1, 2});
  EXPECT_EQ(array.data, (std::vector<double>{1, 2, 0, 0, 3, 4, 5, 6}));
}

TEST(Semantics, PositionsFollowFromTheOffset) {
  Graph graph = graphOf("pattern causal { keep k <= q }");
  OwnedBindings owned = boundTo({2, 1, 1, 2, 4, {}, {}, {}});
  owned.bindings.shape.qOffsets = {0, 2};
  AttnModule module(graph);
  auto interpreter =
      attn::Interpreter::create(module.pattern(), owned.bindings);
  ASSERT_TRUE(interpreter);
  EXPECT_EQ(
      interpreter->classify(1, 1).data,
      (std::vector<double>{2, 0, 0, 0, 2, 2, 0, 0, 2, 2, 2, 0, 2, 2, 2, 2}));
}
} // namespace
