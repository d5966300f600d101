//===- RandomPattern.cpp - a generator over the grammar -------------------===//

#include "RandomPattern.h"

#include <algorithm>
#include <cmath>

using namespace jacquard;

void OwnedBindings::addTensor(std::vector<int64_t> shape,
                              std::vector<int32_t> data) {
  ints.push_back(std::move(data));
  bindings.tensors.push_back({ints.back().data(), ElementType::I32, shape,
                              ArrayView::contiguous(shape)});
}

void OwnedBindings::addTensor(std::vector<int64_t> shape,
                              std::vector<float> data) {
  floats.push_back(std::move(data));
  bindings.tensors.push_back({floats.back().data(), ElementType::F32, shape,
                              ArrayView::contiguous(shape)});
}

void OwnedBindings::addSelection(std::vector<int64_t> shape,
                                 std::vector<int32_t> data) {
  ints.push_back(std::move(data));
  bindings.selections.push_back({ints.back().data(), ElementType::I32, shape,
                                 ArrayView::contiguous(shape)});
}

int64_t jacquard::pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

namespace {
class Generator {
public:
  explicit Generator(Random &random) : random(random) {}

  Graph run() {
    graph.name = "random";
    for (int i = 0, n = pick(random, 0, 2); i < n; ++i) {
      Param param;
      param.name = "p" + std::to_string(i);
      param.defaultValue = 4;
      if (one())
        param.min = pick(random, 0, 1);
      graph.params.push_back(param);
    }
    for (int i = 0, n = pick(random, 0, 2); i < n; ++i) {
      Tensor tensor;
      tensor.name = "t" + std::to_string(i);
      tensor.shape = {{Extent::Batch, 0}};
      tensor.shape.push_back({one() ? Extent::KLen : Extent::QLen, 0});
      tensor.sorted = one();
      graph.tensors.push_back(tensor);
    }
    if (pick(random, 0, 3) == 0) {
      Selection selection;
      selection.name = "sel";
      selection.kind = static_cast<Selection::Kind>(pick(random, 0, 3));
      selection.qBlock.literal = pick(random, 1, 40);
      selection.kBlock.literal = pick(random, 1, 40);
      graph.selections.push_back(selection);
    }
    graph.keep = condition(3);
    graph.score = graph.leaf(Op::Logit);
    return std::move(graph);
  }

private:
  bool one() { return pick(random, 0, 1) == 1; }

  NodeId positive() {
    for (uint32_t i = 0; i < graph.params.size(); ++i)
      if (graph.params[i].min.value_or(0) >= 1 && one())
        return graph.make(Op::Param, {}, i);
    return graph.integer(pick(random, 1, 40));
  }

  NodeId number(int depth) {
    switch (pick(random, 0, depth > 0 ? 12 : 5)) {
    case 0:
    case 1:
      return graph.leaf(Op::Query);
    case 2:
    case 3:
      return graph.leaf(Op::Key);
    case 4:
      return graph.integer(pick(random, -20, 120));
    case 5:
      return leaf();
    case 6:
      return graph.make(Op::Add, {number(depth - 1), number(depth - 1)});
    case 7:
      return graph.make(Op::Sub, {number(depth - 1), number(depth - 1)});
    case 8:
      return graph.make(Op::FloorDiv, {number(depth - 1), positive()});
    case 9:
      return graph.make(
          Op::Mul, {number(depth - 1),
                    one() ? positive() : graph.integer(pick(random, -3, 3))});
    case 10:
      return graph.make(one() ? Op::Min : Op::Max,
                        {number(depth - 1), number(depth - 1)});
    case 11:
      return graph.make(one() ? Op::Abs : Op::Neg, {number(depth - 1)});
    default:
      return one() ? graph.make(Op::Mod, {number(depth - 1), positive()})
                   : graph.make(Op::Where,
                                {condition(depth - 1), number(depth - 1),
                                 number(depth - 1)});
    }
  }

  NodeId leaf() {
    switch (pick(random, 0, 4)) {
    case 0:
      return graph.leaf(one() ? Op::QLen : Op::KLen);
    case 1:
      return graph.leaf(one() ? Op::Head : Op::Batch);
    case 2:
      return graph.leaf(Op::Row);
    case 3:
      if (!graph.params.empty())
        return graph.make(Op::Param, {},
                          pick(random, 0, graph.params.size() - 1));
      return graph.leaf(Op::Query);
    default:
      if (graph.tensors.empty())
        return graph.leaf(Op::Key);
      return graph.make(Op::Load,
                        {graph.leaf(Op::Batch), one()   ? graph.leaf(Op::Key)
                                                : one() ? graph.leaf(Op::Query)
                                                        : number(1)},
                        pick(random, 0, graph.tensors.size() - 1));
    }
  }

  NodeId condition(int depth) {
    switch (pick(random, 0, depth > 0 ? 9 : 4)) {
    case 5:
    case 6:
      return graph.make(Op::And, {condition(depth - 1), condition(depth - 1)});
    case 7:
    case 8:
      return graph.make(Op::Or, {condition(depth - 1), condition(depth - 1)});
    case 9:
      return graph.make(Op::Not, {condition(depth - 1)});
    case 0:
      if (!graph.selections.empty())
        return graph.make(Op::Selected, {}, 0);
      [[fallthrough]];
    default: {
      constexpr Op ops[] = {Op::Less,      Op::LessEqual, Op::Less,
                            Op::LessEqual, Op::Equal,     Op::NotEqual};
      return graph.make(ops[pick(random, 0, 5)], {number(2), number(1)});
    }
    }
  }

  Random &random;
  Graph graph;
};
} // namespace

Graph jacquard::randomGraph(Random &random) { return Generator(random).run(); }

OwnedBindings jacquard::randomBindings(const Graph &graph, Random &random,
                                       int64_t longest) {
  OwnedBindings owned;
  ProblemShape &shape = owned.bindings.shape;
  shape.batch = pick(random, 1, 2);
  shape.heads = 2 * pick(random, 1, 2);
  shape.kvHeads = pick(random, 0, 1) ? shape.heads : shape.heads / 2;
  shape.qLen = pick(random, 0, longest);
  shape.kLen = pick(random, 0, 1) ? shape.qLen : pick(random, 0, longest);
  for (int64_t b = 0; b < shape.batch; ++b)
    shape.qOffsets.push_back(pick(random, 0, 2) ? 0 : pick(random, -50, 100));
  for (const Param &param : graph.params) {
    int64_t least = static_cast<int64_t>(std::ceil(param.min.value_or(-5)));
    int64_t value = pick(random, least, std::max<int64_t>(least, 100));
    owned.bindings.params.push_back({value, static_cast<double>(value)});
  }
  for (const Tensor &tensor : graph.tensors) {
    std::vector<int64_t> extents;
    int64_t count = 1;
    for (const Extent &extent : tensor.shape) {
      bool broadcast = extent.kind != Extent::Number && pick(random, 0, 5) == 0;
      extents.push_back(broadcast ? 1 : shape.measure(extent));
      count *= extents.back();
    }
    if (tensor.type == Scalar::Float) {
      std::vector<float> data(count);
      for (float &value : data)
        value = static_cast<float>(pick(random, -1000, 1000)) / 500;
      owned.addTensor(extents, std::move(data));
      continue;
    }
    std::vector<int32_t> data(count);
    for (int32_t &value : data)
      value = static_cast<int32_t>(pick(random, 0, longest));
    if (tensor.sorted && count) {
      for (auto at = data.begin(); at != data.end(); at += extents.back()) {
        int32_t id = 0;
        for (int64_t i = 0; i < extents.back(); ++i)
          at[i] = id += pick(random, 0, 9) == 0 ? pick(random, 1, 3) : 0;
      }
    }
    owned.addTensor(extents, std::move(data));
  }
  for (const Selection &selection : graph.selections) {
    int64_t rows =
        selection.kind == Selection::ColumnIntervals ? shape.kLen : shape.qLen;
    int64_t heads = shape.heads, n = pick(random, 0, 4);
    auto literal = [&](const SizeRef &size) {
      return size.param ? owned.bindings.params[*size.param].intValue
                        : size.literal;
    };
    if (selection.kind == Selection::TokenBlocks)
      heads = shape.kvHeads;
    bool blocks = selection.kind == Selection::Blocks ||
                  selection.kind == Selection::TokenBlocks;
    if (selection.kind == Selection::Blocks)
      rows = (rows + literal(selection.qBlock) - 1) / literal(selection.qBlock);
    std::vector<int64_t> extents{pick(random, 0, 1) ? shape.batch : 1,
                                 pick(random, 0, 1) ? heads : 1, rows, n};
    if (!blocks)
      extents.push_back(2);
    int64_t count = 1;
    for (int64_t extent : extents)
      count *= extent;
    std::vector<int32_t> data(count);
    int64_t across =
        selection.kind == Selection::ColumnIntervals ? shape.qLen : shape.kLen;
    for (int64_t i = 0; i < count; ++i) {
      if (blocks)
        data[i] = pick(random, -1, across / literal(selection.kBlock));
      else
        data[i] = pick(random, -5, across + 5);
    }
    owned.addSelection(extents, std::move(data));
  }
  return owned;
}
