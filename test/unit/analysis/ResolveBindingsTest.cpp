//===- ResolveBindingsTest.cpp - launches that don't fit are refused ------===//
//
// Each refusal names what is wrong, what was given and what is allowed.
//
//===----------------------------------------------------------------------===//

#include "RandomPattern.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace jacquard;

namespace {
/// A pattern with one declaration of each kind, and a launch that fits.
struct Launch {
  Graph graph;
  OwnedBindings owned;
  Bindings &bindings = owned.bindings;

  Launch() {
    Param param;
    param.name = "window";
    param.min = 1;
    param.max = 100;
    graph.params = {param};
    Tensor ids;
    ids.name = "doc";
    ids.shape = {{Extent::Batch, 0}, {Extent::KLen, 0}};
    ids.sorted = true;
    Tensor slopes;
    slopes.name = "slope";
    slopes.type = Scalar::Float;
    slopes.shape = {{Extent::Heads, 0}};
    graph.tensors = {ids, slopes};
    Selection blocks;
    blocks.name = "blocks";
    blocks.qBlock.literal = blocks.kBlock.literal = 16;
    graph.selections = {blocks};
    bindings.shape = {2, 4, 2, 40, 40, {}, {}, {}};
    bindings.params = {{8, 0}};
    std::vector<int32_t> data(80);
    for (int i = 0; i < 80; ++i)
      data[i] = i % 40 / 10;
    owned.addTensor({2, 40}, std::move(data));
    owned.addTensor({4}, std::vector<float>(4));
    owned.addSelection({1, 4, 3, 2}, std::vector<int32_t>(24));
  }

  Status resolve(Align align = Align::Unset, bool checked = false) {
    return resolveBindings(graph, bindings, align, checked);
  }

  void refused(const char *code, const std::string &message,
               bool checked = false) {
    Status status = resolve(Align::Unset, checked);
    ASSERT_FALSE(status) << "accepted; expected: " << message;
    EXPECT_EQ(status.error().code, code);
    EXPECT_EQ(status.error().kind, ErrorKind::Invalid);
    EXPECT_EQ(status.error().message, message);
  }
};

TEST(ResolveBindings, AcceptsWhatFits) {
  Launch launch;
  Status status = launch.resolve(Align::Unset, /*checked=*/true);
  EXPECT_TRUE(status) << status.error().render();
  EXPECT_EQ(launch.bindings.shape.qOffsets, (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(launch.bindings.params[0].floatValue, 8);
}

TEST(ResolveBindings, NamesBothHeadCounts) {
  Launch launch;
  launch.bindings.shape.kvHeads = 3;
  launch.refused("E0303", "4 query heads can't be shared by 3 KV heads: the "
                          "first must be a multiple of the second");
}

TEST(ResolveBindings, RefusesImpossibleSizes) {
  Launch negative;
  negative.bindings.shape.batch = -1;
  negative.refused("E0301", "batch is -1");
  Launch far;
  far.bindings.shape.kLen = int64_t(1) << 31;
  far.refused("E0302", "k_len is 2147483648; 0 to 1073741824 is allowed");
}

TEST(ResolveBindings, RefusesLengthsThatDoNotFitTheBatch) {
  Launch few;
  few.bindings.shape.qLens = {40};
  few.refused("E0302", "q_lens has 1 lengths for a batch of 2");
  Launch longer;
  longer.bindings.shape.kLens = {40, 41};
  longer.refused("E0302", "k_lens has a length of 41; 0 to 40 is allowed");
}

TEST(ResolveBindings, AsksWhereQueriesStandWhenLengthsDiffer) {
  Launch launch;
  launch.bindings.shape.qLens = {40, 30};
  launch.refused("E0304", "q_len 30 and k_len 40 differ: where do the queries "
                          "stand among the keys?");
  Launch given;
  given.bindings.shape.qOffsets = {1, 2, 3};
  given.refused("E0304", "q_offset has 3 values for a batch of 2");
}

TEST(ResolveBindings, ResolvesAlignmentPerBatchElement) {
  for (auto [align, second] :
       {std::pair(Align::TopLeft, 0), {Align::BottomRight, 10}}) {
    Launch launch;
    launch.bindings.shape.qLens = {40, 30};
    ASSERT_TRUE(launch.resolve(align));
    EXPECT_EQ(launch.bindings.shape.qOffsets,
              (std::vector<int64_t>{0, second}));
  }
  Launch own; // The card's, where the launch says nothing.
  own.graph.align = Align::BottomRight;
  own.bindings.shape.kLens = {40, 35};
  ASSERT_TRUE(own.resolve());
  EXPECT_EQ(own.bindings.shape.qOffsets, (std::vector<int64_t>{0, -5}));
  Launch one; // One offset for all.
  one.bindings.shape.qOffsets = {7};
  ASSERT_TRUE(one.resolve());
  EXPECT_EQ(one.bindings.shape.qOffsets, (std::vector<int64_t>{7, 7}));
}

TEST(ResolveBindings, RefusesParametersOutsideTheirLimits) {
  Launch low;
  low.bindings.params[0].intValue = 0;
  low.refused("E0305", "parameter `window` must be >= 1, got 0");
  Launch high;
  high.bindings.params[0].intValue = 101;
  high.refused("E0305", "parameter `window` must be <= 100, got 101");
  Launch wide;
  wide.bindings.params[0].intValue = int64_t(1) << 40;
  wide.refused("E0305",
               "parameter `window` is 1099511627776, which is no 32-bit int");
  Launch nan;
  nan.graph.params[0].type = Scalar::Float;
  nan.bindings.params[0].floatValue = NAN;
  nan.refused("E0305", "parameter `window` is not a number");
}

TEST(ResolveBindings, NamesTheTensorItsTypeAndItsAxes) {
  Launch type;
  type.bindings.tensors[0].type = ElementType::F16;
  type.refused("E0308", "tensor `doc` holds floats, expected int32");
  Launch ints;
  ints.bindings.tensors[1].type = ElementType::I32;
  ints.refused("E0308", "tensor `slope` holds int32, expected a float type");
  Launch rank;
  rank.bindings.tensors[0].shape = {40};
  rank.refused("E0307", "tensor `doc` has 1 axes, expected 2");
  Launch axis;
  axis.bindings.tensors[0].shape = {2, 39};
  axis.refused("E0307",
               "tensor `doc` has 39 along axis 1 (k_len), expected 40 or 1");
  Launch missing;
  missing.bindings.tensors[0].data = nullptr;
  missing.refused("E0306", "tensor `doc` is not given");
  Launch broadcast;
  broadcast.bindings.tensors[0].shape = {1, 1};
  EXPECT_TRUE(broadcast.resolve());
}

TEST(ResolveBindings, NamesTheSelectionAndItsAxes) {
  Launch blocks;
  blocks.bindings.selections[0].shape = {1, 4, 2, 2};
  blocks.refused("E0307", "selection `blocks` has 2 along axis 2 (query "
                          "blocks), expected 3 or 1");
  Launch type;
  type.bindings.selections[0].type = ElementType::F32;
  type.refused("E0308", "selection `blocks` must hold int32");
  Launch size;
  size.graph.selections[0].kBlock = {0, 0}; // The parameter.
  size.graph.params[0].min.reset();
  size.bindings.params[0].intValue = 0;
  size.refused("E0305",
               "selection `blocks`: k_block is 0, at least 1 is needed");
  Launch ends;
  ends.graph.selections[0].kind = Selection::RowIntervals;
  ends.bindings.selections[0].shape = {1, 4, 40, 1, 3};
  ends.refused("E0307", "selection `blocks` has 3 along axis 4 (begin, end), "
                        "expected 2");
}

TEST(ResolveBindings, FindsTheFirstDisorderOnlyInTheCheckedMode) {
  Launch launch;
  launch.owned.ints[0][40 + 25] = 1;
  EXPECT_TRUE(launch.resolve());
  launch.refused("E0309",
                 "tensor `doc` is declared sorted, but at [1, 25] 1 follows 2",
                 /*checked=*/true);
}
} // namespace
