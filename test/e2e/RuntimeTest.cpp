//===- RuntimeTest.cpp - compilations, plans, refusals --------------------===//

#include "Trial.h"

#include <cmath>
#include <thread>

using namespace jacquard;

namespace {
TEST(Compilations, OneForFiftyLengthsHeadsWindowsAndStrides) {
  auto device = Device::host();
  Pattern pattern =
      patternOf("pattern p(w: int = 8) { keep k <= q and q - k < w }");
  for (int64_t i = 0; i < 50; ++i) {
    auto op = device->prepare(pattern, {.headDim = 16});
    ASSERT_TRUE(op);
    Trial run;
    run.problem.heads = 1 + i % 4;
    run.problem.kvHeads = 1;
    run.problem.qLen = run.problem.kLen = 1000 + i;
    run.owned.inputs.params["w"] = 3 + i;
    run.make(pattern, i);
    auto plan = (*op)->plan(run.problem, run.owned.inputs);
    ASSERT_TRUE(plan);
    ASSERT_TRUE((*op)->forward(*plan, {run.q.view(), run.k.view(), run.v.view(),
                                       run.out.view(), run.lse.view()}));
  }
  EXPECT_EQ(device->counters().compiles, 1);
  EXPECT_EQ(device->counters().hits, 49);
}

TEST(Compilations, ThreadsThatAskAtOnceShareOne) {
  auto device = Device::host();
  Pattern pattern = patternOf("pattern p() { keep k <= q + 1 }");
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back(
        [&] { EXPECT_TRUE(device->prepare(pattern, {.headDim = 8})); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(device->counters().compiles, 1);
}

TEST(Plans, OfClosedFormsCostNothingAtAMillionTokens) {
  Expected<Pattern> pattern = Pattern::library("window_sink");
  ASSERT_TRUE(pattern);
  auto op = testDevice()->prepare(*pattern, {.headDim = 16});
  ASSERT_TRUE(op);
  Problem problem;
  problem.heads = problem.kvHeads = 8;
  problem.qLen = problem.kLen = 1 << 20;
  auto large = (*op)->plan(problem, {});
  ASSERT_TRUE(large);
  problem.qLen = problem.kLen = 64;
  auto small = (*op)->plan(problem, {});
  ASSERT_TRUE(small);
  EXPECT_EQ(large->bytes(), small->bytes());
  EXPECT_LT(large->milliseconds(), 1.0);
}

TEST(Refusals, NameTheOperandWhatWasGivenAndWhatIsAllowed) {
  Pattern pattern = patternOf("pattern p(doc: int[batch, k_len] sorted) { keep "
                              "doc[b, q] == doc[b, k] }");
  auto op = testDevice()->prepare(pattern, {.headDim = 16});
  ASSERT_TRUE(op);
  Trial run;
  run.problem.qLen = run.problem.kLen = 20;
  run.make(pattern, 1);
  auto refused = [&](const Inputs &inputs, const char *code, const char *word) {
    auto plan = (*op)->plan(run.problem, inputs, {true});
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, code);
    EXPECT_NE(plan.error().render().find(word), std::string::npos)
        << plan.error().render();
  };
  Inputs inputs = run.owned.inputs;
  refused({}, "E0306", "doc");
  inputs.tensors["dox"] = inputs.tensors["doc"];
  refused(inputs, "E0310", "did you mean `doc`");
  inputs = run.owned.inputs;
  inputs.tensors["doc"].shape = {1, 19};
  refused(inputs, "E0307", "expected 20");
  inputs = run.owned.inputs;
  inputs.tensors["doc"].type = ElementType::F32;
  refused(inputs, "E0308", "int32");
  std::vector<int32_t> falling(20);
  for (int i = 0; i < 20; ++i)
    falling[i] = i == 7 ? -1 : i;
  inputs.tensors["doc"] = {falling.data(), ElementType::I32, {1, 20}, {}};
  refused(inputs, "E0309", "[0, 7]");

  auto plan = (*op)->plan(run.problem, run.owned.inputs);
  ASSERT_TRUE(plan);
  ForwardArgs args{run.q.view(), run.k.view(), run.v.view(), run.out.view(),
                   run.lse.view()};
  auto status = (*op)->forward(*plan, args, std::nan(""));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "E0314");
  args.q.shape[3] = 12;
  status = (*op)->forward(*plan, args);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("`q` has head dim 12, expected 16"),
            std::string::npos)
      << status.error().message;
  auto large = testDevice()->prepare(pattern, {.headDim = 4096});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, "E0601");
}

TEST(Refusals, OfAnIndexOutsideItsTableNameTheExpression) {
  Pattern pattern = patternOf(
      "pattern p(table: float[heads, 8] grad) { keep k <= q score s + "
      "table[h, q - k] }");
  auto op = testDevice()->prepare(pattern, {.headDim = 16});
  ASSERT_TRUE(op);
  Trial run;
  run.problem.qLen = run.problem.kLen = 9;
  run.make(pattern, 1);
  // Unchecked, the index is clamped.
  EXPECT_TRUE((*op)->plan(run.problem, run.owned.inputs));
  auto plan = (*op)->plan(run.problem, run.owned.inputs, {true});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, "E0315");
  std::string text = plan.error().render();
  EXPECT_NE(text.find("`table` is read at 8 along axis 1"), std::string::npos)
      << text;
  EXPECT_NE(text.find("^~"), std::string::npos) << text;
  run.problem.qLen = run.problem.kLen = 8;
  EXPECT_TRUE((*op)->plan(run.problem, run.owned.inputs, {true}));
}

TEST(Outputs, AreWrittenWholeAndNothingBeside) {
  Pattern pattern = patternOf("pattern p() { keep k <= q and q < 40 }");
  Trial run;
  run.problem.heads = run.problem.kvHeads = 2;
  run.problem.qLen = run.problem.kLen = 50;
  run.make(pattern, 9);
  auto op = testDevice()->prepare(pattern, {.headDim = 16});
  ASSERT_TRUE(op);
  auto plan = (*op)->plan(run.problem, {});
  ASSERT_TRUE(plan);
  // Rows of 16 within rows of 24, heads apart: the gaps are guards.
  constexpr float guard = 12345;
  std::vector<float> wide(2 * 60 * 24, guard);
  TensorView out{
      wide.data(), ElementType::F32, {1, 2, 50, 16}, {0, 60 * 24, 24, 1}};
  ASSERT_TRUE((*op)->forward(
      *plan, {run.q.view(), run.k.view(), run.v.view(), out, run.lse.view()}));
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t row = 0; row < 60; ++row)
      for (int64_t d = 0; d < 24; ++d) {
        float value = wide[(h * 60 + row) * 24 + d];
        bool inside = row < 50 && d < 16;
        EXPECT_EQ(value == guard, !inside) << h << " " << row << " " << d;
      }
}
} // namespace
