//===- TileRanges.cpp - interval arithmetic -------------------------------===//

#include "patterns/TileRanges.h"

#include <algorithm>

using namespace jacquard;

/// Ranges past this are unbounded; sums and products of bounded ones fit 64
/// bits.
static constexpr int64_t unbounded = int64_t(1) << 62;

static int64_t clampWide(__int128 value) {
  return static_cast<int64_t>(
      std::clamp<__int128>(value, -unbounded, unbounded));
}

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

TileRanges::Range TileRanges::load(const Node &node) const {
  constexpr Range anything{-2147483648LL, 2147483647LL};
  const ArrayView &view = bindings.tensors[node.ref];
  if (std::find(view.shape.begin(), view.shape.end(), 0) != view.shape.end())
    return {0, 0};
  if (view.type != ElementType::I32)
    return anything;
  // One element, or a stretch of a sorted axis: its ends.
  int64_t base = 0;
  size_t last = node.operands.size();
  const auto *data = static_cast<const int32_t *>(view.data);
  Range index{0, 0};
  for (size_t i = 0; i < last; ++i) {
    Range range = ranges[node.operands[i]];
    range.lo = std::clamp<int64_t>(range.lo, 0, view.shape[i] - 1);
    range.hi = std::clamp<int64_t>(range.hi, 0, view.shape[i] - 1);
    if (i + 1 == last)
      index = {range.lo * view.strides[i], range.hi * view.strides[i]};
    else if (range.lo == range.hi)
      base += range.lo * view.strides[i];
    else
      return anything;
  }
  if (index.lo != index.hi && !graph.tensors[node.ref].sorted)
    return anything;
  return {data[base + index.lo], data[base + index.hi]};
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
    return {-unbounded, unbounded};
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
    return {clampWide(__int128(in(0).lo) + in(1).lo),
            clampWide(__int128(in(0).hi) + in(1).hi)};
  case Op::Sub:
    return {clampWide(__int128(in(0).lo) - in(1).hi),
            clampWide(__int128(in(0).hi) - in(1).lo)};
  case Op::Neg:
    return {clampWide(-__int128(in(0).hi)), clampWide(-__int128(in(0).lo))};
  case Op::Mul: {
    __int128 ends[] = {
        __int128(in(0).lo) * in(1).lo, __int128(in(0).lo) * in(1).hi,
        __int128(in(0).hi) * in(1).lo, __int128(in(0).hi) * in(1).hi};
    return {clampWide(*std::min_element(ends, ends + 4)),
            clampWide(*std::max_element(ends, ends + 4))};
  }
  case Op::FloorDiv:
    if (in(1).lo <= 0)
      return {-unbounded, unbounded};
    return {std::min(floorDivide(in(0).lo, in(1).lo).quotient,
                     floorDivide(in(0).lo, in(1).hi).quotient),
            std::max(floorDivide(in(0).hi, in(1).lo).quotient,
                     floorDivide(in(0).hi, in(1).hi).quotient)};
  case Op::Mod:
    if (in(1).lo <= 0)
      return {-unbounded, unbounded};
    if (in(1).lo == in(1).hi) { // No wrap inside: a stretch of remainders.
      FloorQuotient low = floorDivide(in(0).lo, in(1).lo);
      FloorQuotient high = floorDivide(in(0).hi, in(1).lo);
      if (low.quotient == high.quotient)
        return {low.remainder, high.remainder};
    }
    return {0, in(1).hi - 1};
  case Op::Abs: {
    Range x = in(0);
    int64_t most = std::max(std::abs(x.lo), std::abs(x.hi));
    bool crosses = x.lo <= 0 && x.hi >= 0;
    return {crosses ? 0 : std::min(std::abs(x.lo), std::abs(x.hi)), most};
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
  case Op::Selected:
  case Op::Bit:
    return either;
  default:
    return {-unbounded, unbounded};
  }
}
