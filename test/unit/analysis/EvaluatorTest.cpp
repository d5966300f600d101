//===- EvaluatorTest.cpp - values of expressions at one pair --------------===//

#include "RandomPattern.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace jacquard;

namespace {
/// One batch element and head, `qLen` x `kLen`, at position row + offset.
ProblemShape shapeOf(int64_t qLen, int64_t kLen, int64_t offset = 0) {
  return {1, 1, 1, qLen, kLen, {}, {}, {offset}};
}

Tensor intTensor(std::vector<Extent> shape, bool sorted = false) {
  Tensor tensor;
  tensor.name = "t";
  tensor.shape = std::move(shape);
  tensor.sorted = sorted;
  return tensor;
}

int64_t valueOf(Graph &graph, const Bindings &bindings, NodeId id,
                int64_t row = 0, int64_t k = 0) {
  Evaluator evaluator(graph, bindings);
  evaluator.setHead(0, 0);
  evaluator.setRow(row);
  evaluator.setKey(k);
  return evaluator.evalInt(id);
}

TEST(Evaluator, DividesTowardsMinusInfinityAndByZeroToZero) {
  // Parameters, so that nothing is folded.
  Graph graph;
  graph.params.resize(2);
  NodeId a = graph.make(Op::Param, {}, 0), b = graph.make(Op::Param, {}, 1);
  NodeId quotient = graph.make(Op::FloorDiv, {a, b});
  NodeId remainder = graph.make(Op::Mod, {a, b});
  struct {
    int64_t a, b, quotient, remainder;
  } cases[] = {{7, 2, 3, 1},    {-7, 2, -4, 1}, {7, -2, -4, -1},
               {-7, -2, 3, -1}, {6, 3, 2, 0},   {-6, 3, -2, 0},
               {5, 0, 0, 0},    {-5, 0, 0, 0},  {5, -1, -5, 0}};
  for (const auto &one : cases) {
    Bindings bindings;
    bindings.shape = shapeOf(1, 1);
    bindings.params = {{one.a, 0}, {one.b, 0}};
    EXPECT_EQ(valueOf(graph, bindings, quotient), one.quotient)
        << one.a << " // " << one.b;
    EXPECT_EQ(valueOf(graph, bindings, remainder), one.remainder)
        << one.a << " % " << one.b;
    Graph folded;
    NodeId constant = folded.make(
        Op::FloorDiv, {folded.integer(one.a), folded.integer(one.b)});
    EXPECT_EQ(folded[constant].op, Op::IntConst);
    EXPECT_EQ(folded[constant].intValue, one.quotient);
  }
}

TEST(Evaluator, ComputesIntsIn64BitsAndStaysAtTheEnds) {
  Graph graph;
  graph.params.resize(1);
  NodeId p = graph.make(Op::Param, {}, 0);
  NodeId square = graph.make(Op::Mul, {p, p});
  NodeId cube = graph.make(Op::Mul, {square, p});
  NodeId negative = graph.make(Op::Sub, {graph.make(Op::Neg, {cube}), cube});
  Bindings bindings;
  bindings.shape = shapeOf(1, 1);
  bindings.params = {{2147483647, 0}};
  EXPECT_EQ(valueOf(graph, bindings, square), 4611686014132420609);
  EXPECT_EQ(valueOf(graph, bindings, cube), INT64_MAX);
  EXPECT_EQ(valueOf(graph, bindings, negative), INT64_MIN);
}

TEST(Evaluator, ClampsEveryIndexAndBroadcastsAxesOfOne) {
  Graph graph;
  graph.tensors = {intTensor({{Extent::QLen, 0}, {Extent::KLen, 0}})};
  NodeId load =
      graph.make(Op::Load,
                 {graph.make(Op::Sub, {graph.leaf(Op::Row), graph.integer(5)}),
                  graph.make(Op::Add, {graph.leaf(Op::Key), graph.integer(1)})},
                 0);
  OwnedBindings owned;
  owned.bindings.shape = shapeOf(2, 3);
  owned.addTensor({2, 3}, std::vector<int32_t>{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(valueOf(graph, owned.bindings, load, 1, 0), 2); // [-4, 1]
  EXPECT_EQ(valueOf(graph, owned.bindings, load, 1, 2), 3); // [-4, 3]
  OwnedBindings row;
  row.bindings.shape = shapeOf(2, 3);
  row.addTensor({2, 1}, std::vector<int32_t>{7, 8});
  EXPECT_EQ(valueOf(graph, row.bindings, load, 1, 2), 7);
}

TEST(Evaluator, ReadsNothingFromEmptyAxes) {
  Graph graph;
  graph.tensors = {intTensor({{Extent::KLen, 0}})};
  NodeId load = graph.make(Op::Load, {graph.leaf(Op::Key)}, 0);
  OwnedBindings owned;
  owned.bindings.shape = shapeOf(1, 0);
  owned.addTensor({0}, std::vector<int32_t>{});
  EXPECT_EQ(valueOf(graph, owned.bindings, load), 0);
}

TEST(Evaluator, FollowsStrides) {
  Graph graph;
  graph.tensors = {intTensor({{Extent::KLen, 0}})};
  NodeId load = graph.make(Op::Load, {graph.leaf(Op::Key)}, 0);
  int32_t data[] = {0, 9, 1, 9, 2};
  Bindings bindings;
  bindings.shape = shapeOf(1, 3);
  bindings.tensors = {{data + 4, ElementType::I32, {3}, {-2}}};
  for (int64_t k = 0; k < 3; ++k)
    EXPECT_EQ(valueOf(graph, bindings, load, 0, k), 2 - k);
}

TEST(Evaluator, FindsTheFirstElementThatIsNotLess) {
  Graph graph;
  graph.params.resize(1);
  graph.tensors = {intTensor({{Extent::KLen, 0}}, /*sorted=*/true)};
  NodeId bound = graph.make(Op::LowerBound, {graph.make(Op::Param, {}, 0)}, 0);
  OwnedBindings owned;
  owned.bindings.shape = shapeOf(1, 5);
  owned.addTensor({5}, std::vector<int32_t>{2, 2, 4, 4, 7});
  constexpr int64_t far = int64_t(1) << 40;
  // Clamped indices repeat the first and the last element for ever.
  int64_t expected[][2] = {{2, -far}, {3, 2}, {4, 2}, {5, 4}, {7, 4}, {8, far}};
  for (auto [value, position] : expected) {
    owned.bindings.params = {{value, 0}};
    EXPECT_EQ(valueOf(graph, owned.bindings, bound), position) << value;
  }
}

TEST(Evaluator, DecodesHalvesExactly) {
  struct {
    uint16_t bits;
    ElementType type;
    double value;
  } cases[] = {
      {0x3c00, ElementType::F16, 1},
      {0xc000, ElementType::F16, -2},
      {0x7bff, ElementType::F16, 65504},
      {0x0001, ElementType::F16, 0x1p-24},
      {0x0400, ElementType::F16, 0x1p-14},
      {0x7c00, ElementType::F16, INFINITY},
      {0x3f80, ElementType::BF16, 1},
      {0xc040, ElementType::BF16, -3},
      {0x0001, ElementType::BF16, 0x1p-133},
      {0xff80, ElementType::BF16, -INFINITY},
  };
  for (const auto &one : cases)
    EXPECT_EQ(decode16(one.bits, one.type), one.value) << one.bits;
  EXPECT_TRUE(std::isnan(decode16(0x7e00, ElementType::F16)));
  EXPECT_TRUE(std::isnan(decode16(0x7fc0, ElementType::BF16)));
  EXPECT_TRUE(std::signbit(decode16(0x8000, ElementType::F16)));
}

TEST(Evaluator, KeepsNothingStaleWhenRowsAndKeysChange) {
  Graph graph;
  NodeId row2 =
      graph.make(Op::Mul, {graph.leaf(Op::Query), graph.integer(100)});
  NodeId sum = graph.make(Op::Add, {row2, graph.leaf(Op::Key)});
  Bindings bindings;
  bindings.shape = {2, 1, 1, 4, 4, {}, {}, {10, 20}};
  Evaluator evaluator(graph, bindings);
  for (int64_t b : {0, 1, 0})
    for (int64_t row : {0, 3, 1}) {
      evaluator.setHead(b, 0);
      evaluator.setRow(row);
      for (int64_t k : {2, 0, 3}) {
        evaluator.setKey(k);
        EXPECT_EQ(evaluator.evalInt(sum), (row + 10 + 10 * b) * 100 + k);
      }
    }
  evaluator.setPosition(13);
  evaluator.setKey(1);
  EXPECT_EQ(evaluator.evalInt(sum), 1301);
}

/// A selection of one kind with two entries a list, one query head of two.
struct Selected {
  Graph graph;
  OwnedBindings owned;
  NodeId node;

  Selected(Selection::Kind kind, ProblemShape shape, SizeRef qBlock,
           SizeRef kBlock, std::vector<int64_t> extents,
           std::vector<int32_t> data) {
    Selection selection;
    selection.kind = kind;
    selection.qBlock = qBlock;
    selection.kBlock = kBlock;
    graph.selections = {selection};
    node = graph.make(Op::Selected, {}, 0);
    owned.bindings.shape = shape;
    owned.addSelection(std::move(extents), std::move(data));
  }

  /// The kept keys of a row, as text.
  std::string keys(int64_t h, int64_t row) {
    Evaluator evaluator(graph, owned.bindings);
    evaluator.setHead(0, h);
    evaluator.setRow(row);
    std::string text;
    for (int64_t k = 0; k < owned.bindings.shape.kLen; ++k) {
      evaluator.setKey(k);
      text += evaluator.evalBool(node) ? 'x' : '.';
    }
    return text;
  }
};

TEST(Evaluator, SelectsBlocksByRowWhateverTheOffset) {
  Selected one(Selection::Blocks, shapeOf(3, 5, /*offset=*/100), {2, {}},
               {2, {}}, {1, 1, 2, 2}, {0, 2, -1, 1});
  EXPECT_EQ(one.keys(0, 0), "xx..x");
  EXPECT_EQ(one.keys(0, 1), "xx..x");
  EXPECT_EQ(one.keys(0, 2), "..xx.");
}

TEST(Evaluator, SelectsTokenBlocksByKvHead) {
  Selected one(Selection::TokenBlocks, {1, 4, 2, 1, 4, {}, {}, {0}}, {},
               {2, {}}, {1, 2, 1, 1}, {0, 1});
  EXPECT_EQ(one.keys(0, 0), "xx..");
  EXPECT_EQ(one.keys(1, 0), "xx..");
  EXPECT_EQ(one.keys(2, 0), "..xx");
  EXPECT_EQ(one.keys(3, 0), "..xx");
}

TEST(Evaluator, SelectsUnionsOfHalfOpenIntervals) {
  Selected rows(Selection::RowIntervals, shapeOf(1, 6), {}, {}, {1, 1, 1, 2, 2},
                {0, 3, 2, 5});
  EXPECT_EQ(rows.keys(0, 0), "xxxxx.");
  Selected columns(Selection::ColumnIntervals, shapeOf(3, 2, /*offset=*/7), {},
                   {}, {1, 1, 2, 1, 2}, {0, 1, 1, 3});
  EXPECT_EQ(columns.keys(0, 0), "x.");
  EXPECT_EQ(columns.keys(0, 1), ".x");
  EXPECT_EQ(columns.keys(0, 2), ".x");
}
} // namespace
