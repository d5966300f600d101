//===- ReportedFaultsTest.cpp - kinds of faults that peers had reported ---===//
//
// Each test is named after a kind of fault: empty rows, lengths off the tile,
// captured tensors and their gradients, windows and alignment, non-finite data,
// strides, LSE.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace jacquard;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();

Trial square(int64_t length, int64_t heads = 2, int64_t kvHeads = 2) {
  Trial run;
  run.problem.heads = heads;
  run.problem.kvHeads = kvHeads;
  run.problem.qLen = run.problem.kLen = length;
  return run;
}

void runAndCheck(Trial &run, const Pattern &pattern, uint64_t offset) {
  SCOPED_TRACE("seed " + std::to_string(seedOfRun() + offset));
  run.make(pattern, seedOfRun() + offset);
  run.execute(pattern);
  if (!testing::Test::HasFatalFailure())
    run.expectReference(pattern);
}

TEST(EmptyRows, AreZeroWithMinusInfinityAndPassNoGradient) {
  Pattern pattern = patternOf("pattern p() { keep k <= q and q % 3 != 0 }");
  Trial run = square(130);
  runAndCheck(run, pattern, 1);
  for (int64_t row = 0; row < 130; row += 3) {
    EXPECT_EQ(run.lse.get(row), -infinity);
    for (int64_t d = 0; d < 16; ++d) {
      EXPECT_EQ(run.out.get(row * 16 + d), 0);
      EXPECT_EQ(run.dq.get(row * 16 + d), 0);
    }
  }
}

TEST(EmptyRows, WithASinkHaveItsLogitAsLse) {
  Pattern pattern = patternOf(
      "pattern p(t: float[heads] grad) { keep k <= q and q >= 70 sink t }");
  Trial run = square(100);
  runAndCheck(run, pattern, 2);
  float sink;
  std::memcpy(&sink, run.owned.inputs.tensors["t"].data, sizeof sink);
  EXPECT_FLOAT_EQ(run.lse.get(3), sink);
  EXPECT_EQ(run.out.get(3 * 16), 0);
}

TEST(EmptyTiles, FirstVisitedTileMayKeepNothing) {
  // The first tile of the walk is touched by some rows and kept by none of
  // others.
  Pattern pattern = patternOf("pattern p() { keep q - 8 < k and k <= q }");
  Trial run = square(300, 1, 1);
  runAndCheck(run, pattern, 3);
}

TEST(Lengths, OffTheTileWithScoreAndMask) {
  Pattern pattern = patternOf("pattern p() { keep q >= k score s + (q - k) }");
  for (int64_t length : {1, 17, 127, 128, 129, 257}) {
    Trial run = square(length, 1, 1);
    runAndCheck(run, pattern, 4);
  }
}

TEST(Lengths, PerBatchElementPackedOrPadded) {
  Pattern pattern = patternOf("pattern p() { keep k <= q }");
  Trial packed;
  packed.problem.batch = 4;
  packed.problem.heads = 9;
  packed.problem.kvHeads = 3;
  packed.problem.cuQ = {0, 0, 70, 71, 71};
  packed.problem.cuK = {0, 0, 70, 74, 79};
  packed.problem.align = Align::BottomRight;
  packed.make(pattern, seedOfRun() + 5);
  packed.execute(pattern);
  ASSERT_FALSE(HasFatalFailure());
  // The same as each element alone.
  for (int64_t b = 0; b < 4; ++b) {
    int64_t q0 = packed.problem.cuQ[b], k0 = packed.problem.cuK[b];
    Trial alone;
    alone.problem.heads = 9;
    alone.problem.kvHeads = 3;
    alone.problem.qLen = packed.problem.cuQ[b + 1] - q0;
    alone.problem.kLen = packed.problem.cuK[b + 1] - k0;
    alone.problem.align = Align::BottomRight;
    alone.make(pattern, 1);
    auto copy = [&](Array &to, const Array &from, int64_t start) {
      int64_t heads = to.shape[1], length = to.shape[2];
      int64_t dim = to.shape.size() == 4 ? to.shape[3] : 1;
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t i = 0; i < length * dim; ++i)
          to.set(h * length * dim + i,
                 from.get((h * from.shape[2] + start) * dim + i));
    };
    copy(alone.q, packed.q, q0);
    copy(alone.k, packed.k, k0);
    copy(alone.v, packed.v, k0);
    copy(alone.dOut, packed.dOut, q0);
    copy(alone.dLse, packed.dLse, q0);
    alone.execute(pattern);
    auto same = [&](const char *what, Array mine, const Array &all,
                    int64_t start) {
      Array part = mine;
      copy(part, all, start);
      EXPECT_EQ(part.bytes, mine.bytes) << what << " of element " << b;
    };
    same("out", alone.out, packed.out, q0);
    same("lse", alone.lse, packed.lse, q0);
    same("dq", alone.dq, packed.dq, q0);
    same("dk", alone.dk, packed.dk, k0);
    same("dv", alone.dv, packed.dv, k0);
  }
}

TEST(Lengths, OfPaddedElementsLeaveZerosBehind) {
  Pattern pattern = patternOf("pattern p() { keep k <= q }");
  Trial run;
  run.problem.batch = 3;
  run.problem.heads = run.problem.kvHeads = 2;
  run.problem.qLen = run.problem.kLen = 130;
  run.problem.qLens = run.problem.kLens = {0, 130, 65};
  runAndCheck(run, pattern, 17);
}

TEST(NonFinite, MaskedKeysAndValuesNeverReachAResult) {
  Pattern pattern = patternOf("pattern p() { keep k <= q and k % 5 != 0 }");
  Trial clean = square(140, 2, 1);
  clean.make(pattern, seedOfRun() + 6);
  Trial dirty = clean;
  double bad[] = {std::nan(""), infinity, -infinity};
  for (int64_t key = 0; key < 140; key += 5)
    for (int64_t d = 0; d < 16; ++d) {
      dirty.k.set(key * 16 + d, bad[(key + d) % 3]);
      dirty.v.set(key * 16 + d, bad[(key + d + 1) % 3]);
    }
  clean.execute(pattern);
  dirty.execute(pattern);
  for (auto [what, a, b] : {std::tuple("out", &clean.out, &dirty.out),
                            {"lse", &clean.lse, &dirty.lse},
                            {"dq", &clean.dq, &dirty.dq},
                            {"dk", &clean.dk, &dirty.dk},
                            {"dv", &clean.dv, &dirty.dv}})
    EXPECT_EQ(a->bytes, b->bytes) << what;
}

TEST(NonFinite, ScoresFarBelowAnyConstantStayFinite) {
  Pattern pattern = patternOf("pattern p() { keep k <= q score s - 120000.0 }");
  Trial run = square(70, 1, 1);
  run.make(pattern, seedOfRun() + 7);
  run.execute(pattern);
  for (int64_t i = 0; i < run.dq.size(); ++i)
    ASSERT_TRUE(std::isfinite(run.dq.get(i)) && std::isfinite(run.out.get(i)));
}

TEST(Windows, KeepExactlyWhatTheExpressionSays) {
  Pattern pattern =
      patternOf("pattern p(w: int = 4) { keep k <= q and q - k < w }");
  // Values of v count keys: v = 1 and equal scores give lse = log(count).
  Trial run = square(10, 1, 1);
  run.make(pattern, 1);
  for (int64_t i = 0; i < run.q.size(); ++i)
    run.q.set(i, 0);
  run.execute(pattern);
  for (int64_t row = 0; row < 10; ++row)
    EXPECT_NEAR(std::exp(run.lse.get(row)), std::min<int64_t>(row + 1, 4),
                1e-5);
}

TEST(Windows, TwoSidedWithDifferentLengthsBothAlignments) {
  Pattern pattern =
      patternOf("pattern p() { keep q - 32 <= k and k <= q + 64 }");
  for (Align align : {Align::TopLeft, Align::BottomRight})
    for (int64_t kLen : {1, 32, 33, 64, 65, 128, 129}) {
      Trial run = square(129, 1, 1);
      run.problem.kLen = kLen;
      run.problem.align = align;
      runAndCheck(run, pattern, 8);
    }
}

TEST(Alignment, OfDifferentLengthsMustBeSaid) {
  Pattern pattern = patternOf("pattern p() { keep k <= q }");
  Problem problem;
  problem.qLen = 2;
  problem.kLen = 5;
  auto op = testDevice()->prepare(pattern, {.headDim = 16});
  ASSERT_TRUE(op);
  auto plan = (*op)->plan(problem, {});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, "E0304");
}

TEST(Alignment, ADecodeQueryStandsWhereItsOffsetSays) {
  Pattern pattern = patternOf("pattern p() { keep k <= q }");
  Trial run = square(1, 1, 1);
  run.problem.kLen = 100;
  run.problem.qOffsets = {63};
  runAndCheck(run, pattern, 9);
  Trial all = run;
  all.problem.qOffsets = {99};
  all.execute(pattern);
  EXPECT_NE(all.lse.get(0), run.lse.get(0));
}

TEST(Gradients, OfATensorReadTwiceAddUp) {
  Pattern pattern = patternOf("pattern p(t: float[k_len] grad) { keep k <= q "
                              "score s + t[q] + t[k] }");
  Trial run = square(90);
  runAndCheck(run, pattern, 10);
}

TEST(Gradients, OfASinkThatTheScoreReadsTooAddUp) {
  Pattern pattern = patternOf("pattern p(t: float[heads] grad) { keep k <= q "
                              "score s + t[h] * k sink t }");
  Trial run = square(50);
  runAndCheck(run, pattern, 16);
}

TEST(Gradients, OfAScalarAndOfBroadcastAxes) {
  Pattern pattern = patternOf("pattern p(a: float[] grad, bias: float[batch, "
                              "heads, q_len, k_len] grad) { "
                              "score s * a + bias[b, h, row, k] }");
  Trial run = square(70);
  run.problem.batch = 2;
  RandomStream random(3);
  run.owned.arrays.push_back(
      randomArray(ElementType::F32, {1, 2, 1, 70}, random));
  run.owned.inputs.tensors["bias"] = run.owned.arrays.back().view();
  runAndCheck(run, pattern, 11);
}

TEST(Gradients, ComeOutTheSameForAnyNumberOfThreads) {
  Expected<Pattern> pattern = Pattern::library("relative_bias");
  ASSERT_TRUE(pattern);
  std::vector<std::vector<char>> results;
  for (int threads : {1, 2, 5}) {
    Trial run = square(300);
    run.make(*pattern, 77);
    auto device = Device::host(threads);
    auto op = device->prepare(*pattern, {.headDim = 16});
    ASSERT_TRUE(op);
    auto plan = (*op)->plan(run.problem, run.owned.inputs);
    ASSERT_TRUE(plan);
    ASSERT_TRUE((*op)->forward(*plan, {run.q.view(), run.k.view(), run.v.view(),
                                       run.out.view(), run.lse.view()}));
    ASSERT_TRUE((*op)->backward(*plan, run.args()));
    results.push_back(run.gradients["table"].bytes);
    results.back().insert(results.back().end(), run.dk.bytes.begin(),
                          run.dk.bytes.end());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Strides, OfZeroAndOfSlicesAreAsCopies) {
  Pattern pattern = patternOf("pattern p() { keep k <= q }");
  Trial run = square(100, 4, 4);
  run.make(pattern, seedOfRun() + 12);
  // All heads share the keys of one; dout is one number.
  for (int64_t h = 1; h < 4; ++h)
    std::memcpy(run.k.bytes.data() + h * 100 * 16 * 4, run.k.bytes.data(),
                100 * 16 * 4);
  for (int64_t i = 0; i < run.dOut.size(); ++i)
    run.dOut.set(i, 0.5);
  Trial copy = run;
  copy.execute(pattern);
  auto op = testDevice()->prepare(pattern, {.headDim = 16});
  ASSERT_TRUE(op);
  auto plan = (*op)->plan(run.problem, {});
  ASSERT_TRUE(plan);
  TensorView k = run.k.view();
  k.strides = {0, 0, 16, 1};
  ASSERT_TRUE((*op)->forward(
      *plan, {run.q.view(), k, run.v.view(), run.out.view(), run.lse.view()}));
  BackwardArgs args = run.args();
  args.k = k;
  std::vector<float> half(16, 0.5f);
  args.dOut = {half.data(), ElementType::F32, run.dOut.shape, {0, 0, 0, 1}};
  Status status = (*op)->backward(*plan, args);
  ASSERT_TRUE(status) << status.error().render();
  EXPECT_EQ(run.out.bytes, copy.out.bytes);
  EXPECT_EQ(run.dk.bytes, copy.dk.bytes);
  EXPECT_EQ(run.dq.bytes, copy.dq.bytes);
}

TEST(Parameters, ChangeTheResultAndCompileNothing) {
  Pattern pattern =
      patternOf("pattern p(cap: float = 15.0, w: int = 8) { "
                "keep k <= q and q - k < w score cap * tanh(s / cap) }");
  for (double cap : {15.0, 0.5})
    for (double window : {8.0, 3.0}) {
      Trial run = square(60, 1, 1);
      run.owned.inputs.params = {{"cap", cap}, {"w", window}};
      runAndCheck(run, pattern, 13);
    }
}

TEST(Selections, PaddedWithMinusOneReadNothing) {
  Pattern pattern =
      patternOf("pattern p(x: token_blocks(k_block = 16)) { keep x }");
  Trial run = square(100, 4, 2);
  Array lists(ElementType::I32, {1, 2, 100, 8});
  for (int64_t i = 0; i < lists.size(); ++i)
    lists.set(i, i % 8 == 5 && i / 8 % 3 ? static_cast<double>(i / 8 % 7) : -1);
  run.owned.arrays.push_back(lists);
  run.owned.inputs.selections["x"] = run.owned.arrays.back().view();
  runAndCheck(run, pattern, 14);
}

TEST(Heads, AnyRatioAndOthersAreRefusedWithBothNumbers) {
  Pattern pattern = patternOf("pattern p() { keep k <= q }");
  for (auto [heads, kvHeads] :
       {std::pair(12, 2), std::pair(9, 3), std::pair(40, 4)}) {
    Trial run = square(33, heads, kvHeads);
    runAndCheck(run, pattern, 15);
  }
  auto op = testDevice()->prepare(pattern, {.headDim = 16});
  ASSERT_TRUE(op);
  Problem problem;
  problem.heads = 33;
  problem.kvHeads = 2;
  auto plan = (*op)->plan(problem, {});
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("33"), std::string::npos);
  EXPECT_NE(plan.error().message.find("2"), std::string::npos);
}
} // namespace
