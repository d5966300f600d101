//===- TileRanges.cpp - interval arithmetic -------------------------------===//

#include "patterns/TileRanges.h"
#include "patterns/SaturatingMath.h"

#include <algorithm>
#include <limits>

using namespace jacquard;

static constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
static constexpr int64_t highest = std::numeric_limits<int64_t>::max();

Truth TileRanges::over(NodeId id, int64_t row0, int64_t row1, int64_t k0,
                       int64_t k1) {
  Rectangle tile{row0, row1, k0, k1};
  for (NodeId i = 0; i <= id; ++i)
    ranges[i] = compute(graph[i], tile);
  const Range &range = ranges[id];
  if (range.hi == 0)
    return Truth::Never;
  return range.lo == 1 ? Truth::Always : Truth::Mixed;
}

/// Elements that are looked at for one load over one tile, at most: no more
/// than the pairs that would be looked at instead.
static constexpr int64_t mostScanned = 4096;

TileRanges::Range TileRanges::load(const Node &node) const {
  constexpr Range anything{std::numeric_limits<int32_t>::min(),
                           std::numeric_limits<int32_t>::max()};
  const ArrayView &view = bindings.tensors[node.ref];
  if (std::find(view.shape.begin(), view.shape.end(), 0) != view.shape.end())
    return {0, 0};
  if (view.type != ElementType::I32)
    return anything;
  // The elements of a box of indices; of a sorted axis, its two ends do.
  struct Axis {
    int64_t count, step;
  };
  std::vector<Axis> box;
  int64_t base = 0, elements = 1;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    const Range &index = ranges[node.operands[i]];
    int64_t lo = std::clamp<int64_t>(index.lo, 0, view.shape[i] - 1);
    int64_t hi = std::clamp<int64_t>(index.hi, 0, view.shape[i] - 1);
    base += lo * view.strides[i];
    if (lo == hi)
      continue;
    bool ends = graph.tensors[node.ref].sorted && i + 1 == node.operands.size();
    box.push_back(ends ? Axis{2, (hi - lo) * view.strides[i]}
                       : Axis{hi - lo + 1, view.strides[i]});
    elements *= box.back().count;
    if (elements > mostScanned)
      return anything;
  }
  const auto *data = static_cast<const int32_t *>(view.data) + base;
  Range found{anything.hi, anything.lo};
  for (int64_t n = 0; n < elements; ++n) {
    int64_t rest = n, at = 0;
    for (const Axis &axis : box) {
      at += rest % axis.count * axis.step;
      rest /= axis.count;
    }
    found = {std::min<int64_t>(found.lo, data[at]),
             std::max<int64_t>(found.hi, data[at])};
  }
  return found;
}

TileRanges::Range TileRanges::compute(const Node &node,
                                      const Rectangle &tile) const {
  constexpr Range either{0, 1};
  auto in = [&](size_t i) { return ranges[node.operands[i]]; };
  auto one = [](int64_t value) { return Range{value, value}; };
  auto hull = [](Range a, Range b) {
    return Range{std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
  };
  if (node.type == Scalar::Float)
    return {lowest, highest};
  bool floats = !node.operands.empty() &&
                graph[node.operands.back()].type == Scalar::Float;
  const ProblemShape &shape = bindings.shape;
  int64_t offset = shape.qOffsetOf(b);
  switch (node.op) {
  case Op::BoolConst:
  case Op::IntConst:
    return one(node.intValue);
  case Op::Batch:
    return one(b);
  case Op::Head:
    return one(h);
  case Op::KvHead:
    return one(h / (shape.heads / shape.kvHeads));
  case Op::Query:
    return {tile.row0 + offset, tile.row1 - 1 + offset};
  case Op::Row:
    return {tile.row0, tile.row1 - 1};
  case Op::Key:
    return {tile.k0, tile.k1 - 1};
  case Op::QLen:
    return one(shape.qLenOf(b));
  case Op::KLen:
    return one(shape.kLenOf(b));
  case Op::Heads:
    return one(shape.heads);
  case Op::KvHeads:
    return one(shape.kvHeads);
  case Op::Param:
    return one(bindings.params[node.ref].intValue);
  case Op::Load:
    return load(node);
  case Op::Add:
    return {saturatingAdd(in(0).lo, in(1).lo),
            saturatingAdd(in(0).hi, in(1).hi)};
  case Op::Sub:
    return {saturatingSub(in(0).lo, in(1).hi),
            saturatingSub(in(0).hi, in(1).lo)};
  case Op::Neg:
    return {saturatingSub(0, in(0).hi), saturatingSub(0, in(0).lo)};
  case Op::Mul: {
    int64_t ends[] = {
        saturatingMul(in(0).lo, in(1).lo), saturatingMul(in(0).lo, in(1).hi),
        saturatingMul(in(0).hi, in(1).lo), saturatingMul(in(0).hi, in(1).hi)};
    return {*std::min_element(ends, ends + 4),
            *std::max_element(ends, ends + 4)};
  }
  case Op::FloorDiv:
    if (in(1).lo <= 0)
      return {lowest, highest};
    return {std::min(floorDivide(in(0).lo, in(1).lo).quotient,
                     floorDivide(in(0).lo, in(1).hi).quotient),
            std::max(floorDivide(in(0).hi, in(1).lo).quotient,
                     floorDivide(in(0).hi, in(1).hi).quotient)};
  case Op::Mod:
    if (in(1).lo <= 0)
      return {lowest, highest};
    if (in(1).lo == in(1).hi) { // No wrap inside: a stretch of remainders.
      FloorQuotient low = floorDivide(in(0).lo, in(1).lo);
      FloorQuotient high = floorDivide(in(0).hi, in(1).lo);
      if (low.quotient == high.quotient)
        return {low.remainder, high.remainder};
    }
    return {0, in(1).hi - 1};
  case Op::Abs: {
    Range x = in(0);
    if (x.lo >= 0)
      return x;
    Range turned{saturatingSub(0, x.hi), saturatingSub(0, x.lo)};
    return x.hi <= 0 ? turned : Range{0, std::max(turned.hi, x.hi)};
  }
  case Op::Min:
    return {std::min(in(0).lo, in(1).lo), std::min(in(0).hi, in(1).hi)};
  case Op::Max:
    return {std::max(in(0).lo, in(1).lo), std::max(in(0).hi, in(1).hi)};
  case Op::Where:
    if (in(0).lo == 1)
      return in(1);
    return in(0).hi == 0 ? in(2) : hull(in(1), in(2));
  case Op::Less:
    if (floats)
      return either;
    return in(0).hi < in(1).lo    ? one(1)
           : in(0).lo >= in(1).hi ? one(0)
                                  : either;
  case Op::LessEqual:
    if (floats)
      return either;
    return in(0).hi <= in(1).lo  ? one(1)
           : in(0).lo > in(1).hi ? one(0)
                                 : either;
  case Op::Equal:
  case Op::NotEqual: {
    if (floats)
      return either;
    bool equal = node.op == Op::Equal;
    if (in(0).hi < in(1).lo || in(0).lo > in(1).hi)
      return one(!equal);
    bool single = in(0).lo == in(0).hi && in(1).lo == in(1).hi;
    return single ? one(equal) : either;
  }
  case Op::And:
    return {std::min(in(0).lo, in(1).lo), std::min(in(0).hi, in(1).hi)};
  case Op::Or:
    return {std::max(in(0).lo, in(1).lo), std::max(in(0).hi, in(1).hi)};
  case Op::Not:
    return {1 - in(0).hi, 1 - in(0).lo};
  case Op::Bit: { // Bits of one word that are all alike.
    Range word = in(0), index = in(1);
    if (word.lo != word.hi || index.lo < 0 || index.hi > 31)
      return either;
    uint64_t mask = (uint64_t(2) << index.hi) - (uint64_t(1) << index.lo);
    uint64_t bits = static_cast<uint64_t>(word.lo) & mask;
    return bits == 0 ? one(0) : bits == mask ? one(1) : either;
  }
  case Op::Selected:
    return either;
  default:
    return {lowest, highest};
  }
}
