//===- Evaluator.cpp - a graph's value at one pair ------------------------===//

#include "patterns/Bindings.h"
#include "patterns/SaturatingMath.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace jacquard;

std::vector<int64_t> ArrayView::contiguous(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t next = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = next;
    next *= shape[i];
  }
  return strides;
}

namespace {
/// What a node depends on, innermost last.
enum Level : uint8_t { HeadLevel, RowLevel, KeyLevel };
} // namespace

Evaluator::Evaluator(const Graph &graph, const Bindings &bindings)
    : graph(graph), bindings(bindings), values(graph.nodes().size()),
      level(graph.nodes().size()), stamp(graph.nodes().size()) {
  for (NodeId id = 0; id < level.size(); ++id) {
    const Node &node = graph[id];
    uint8_t own = HeadLevel;
    if (node.op == Op::Query || node.op == Op::Row)
      own = RowLevel;
    else if (node.op == Op::Key || node.op == Op::Logit ||
             node.op == Op::Selected)
      own = KeyLevel;
    for (NodeId operand : node.operands)
      own = std::max(own, level[operand]);
    level[id] = own;
  }
}

// A change of an outer coordinate makes everything inside it stale: generations
// only grow, and a node is fresh if its stamp is its level's generation.
void Evaluator::setHead(int64_t batch, int64_t head) {
  b = batch;
  h = head;
  offset = bindings.shape.qOffsetOf(b);
  for (uint64_t &own : generation)
    ++own;
}

void Evaluator::setRow(int64_t newRow) {
  row = newRow;
  ++generation[RowLevel];
  ++generation[KeyLevel];
}

void Evaluator::setKey(int64_t key) {
  k = key;
  ++generation[KeyLevel];
}

void Evaluator::setLogit(double s) {
  logit = s;
  ++generation[KeyLevel];
}

int64_t Evaluator::evalInt(NodeId id) {
  run(id);
  return values[id].i;
}

double Evaluator::evalFloat(NodeId id) {
  run(id);
  return values[id].f;
}

void Evaluator::run(NodeId id) {
  auto fresh = [&](NodeId node) {
    return stamp[node] == generation[level[node]];
  };
  if (fresh(id))
    return;
  pending.assign(1, id);
  while (!pending.empty()) {
    NodeId top = pending.back();
    bool ready = true;
    for (NodeId operand : graph[top].operands)
      if (!fresh(operand)) {
        pending.push_back(operand);
        ready = false;
      }
    if (!ready)
      continue;
    pending.pop_back();
    if (fresh(top))
      continue;
    values[top] = compute(graph[top]);
    stamp[top] = generation[level[top]];
  }
}

/// The element at `offset` of a view, an int or a float by its type.
static void readElement(const ArrayView &view, int64_t offset, int64_t &i,
                        double &f) {
  switch (view.type) {
  case ElementType::I32:
    i = static_cast<const int32_t *>(view.data)[offset];
    return;
  case ElementType::F32:
    f = static_cast<const float *>(view.data)[offset];
    return;
  case ElementType::F16:
  case ElementType::BF16:
    f = decode16(static_cast<const uint16_t *>(view.data)[offset], view.type);
    return;
  }
}

double jacquard::decode16(uint16_t bits, ElementType type) {
  if (type == ElementType::BF16)
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  int exponent = (bits >> 10) & 31;
  double fraction = bits & 1023, sign = bits >> 15 ? -1 : 1;
  if (exponent == 31)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

/// `index` within an axis; axes of size 1 broadcast, so that any index is
/// right.
static int64_t clampIndex(int64_t index, int64_t extent) {
  return std::clamp<int64_t>(index, 0, extent - 1);
}

static bool hasEmptyAxis(const ArrayView &view) {
  return std::find(view.shape.begin(), view.shape.end(), 0) != view.shape.end();
}

bool Evaluator::selected(const Selection &decl, const ArrayView &view) const {
  if (hasEmptyAxis(view))
    return false;
  auto size = [&](const SizeRef &ref) {
    return ref.param ? bindings.params[*ref.param].intValue : ref.literal;
  };
  int64_t group =
      bindings.shape.heads / std::max<int64_t>(bindings.shape.kvHeads, 1);
  int64_t second = h, third = row, sought = k;
  bool intervals = false;
  switch (decl.kind) {
  case Selection::Blocks:
    third = floorDivide(row, size(decl.qBlock)).quotient;
    sought = floorDivide(k, size(decl.kBlock)).quotient;
    break;
  case Selection::TokenBlocks:
    second = h / std::max<int64_t>(group, 1);
    sought = floorDivide(k, size(decl.kBlock)).quotient;
    break;
  case Selection::RowIntervals:
    intervals = true;
    break;
  case Selection::ColumnIntervals:
    intervals = true;
    third = k;
    sought = row;
    break;
  }
  int64_t start = clampIndex(b, view.shape[0]) * view.strides[0] +
                  clampIndex(second, view.shape[1]) * view.strides[1] +
                  clampIndex(third, view.shape[2]) * view.strides[2];
  const auto *data = static_cast<const int32_t *>(view.data) + start;
  for (int64_t n = 0; n < view.shape[3]; ++n) {
    const int32_t *entry = data + n * view.strides[3];
    if (intervals ? entry[0] <= sought && sought < entry[view.strides[4]]
                  : *entry == sought)
      return true;
  }
  return false;
}

Evaluator::Value Evaluator::compute(const Node &node) {
  Value result;
  auto in = [&](size_t i) -> const Value & { return values[node.operands[i]]; };
  bool isFloat = !node.operands.empty() &&
                 graph[node.operands.back()].type == Scalar::Float;
  auto number = [&](auto ints, auto floats) {
    if (isFloat)
      result.f = floats();
    else
      result.i = ints();
  };
  const ProblemShape &shape = bindings.shape;
  switch (node.op) {
  case Op::BoolConst:
  case Op::IntConst:
    result.i = node.intValue;
    break;
  case Op::FloatConst:
    result.f = node.floatValue;
    break;
  case Op::Batch:
    result.i = b;
    break;
  case Op::Head:
    result.i = h;
    break;
  case Op::KvHead:
    result.i = h / std::max<int64_t>(
                       shape.heads / std::max<int64_t>(shape.kvHeads, 1), 1);
    break;
  case Op::Query:
    result.i = row + offset;
    break;
  case Op::Key:
    result.i = k;
    break;
  case Op::Row:
    result.i = row;
    break;
  case Op::Logit:
    result.f = logit;
    break;
  case Op::QLen:
    result.i = shape.qLenOf(b);
    break;
  case Op::KLen:
    result.i = shape.kLenOf(b);
    break;
  case Op::Heads:
    result.i = shape.heads;
    break;
  case Op::KvHeads:
    result.i = shape.kvHeads;
    break;
  case Op::Param:
    result.i = bindings.params[node.ref].intValue;
    result.f = bindings.params[node.ref].floatValue;
    break;
  case Op::Load: {
    const ArrayView &view = bindings.tensors[node.ref];
    if (hasEmptyAxis(view))
      break;
    int64_t at = 0;
    for (size_t i = 0; i < node.operands.size(); ++i)
      at += clampIndex(in(i).i, view.shape[i]) * view.strides[i];
    readElement(view, at, result.i, result.f);
    break;
  }
  case Op::Selected:
    result.i =
        selected(graph.selections[node.ref], bindings.selections[node.ref]);
    break;
  case Op::Add:
    number([&] { return saturatingAdd(in(0).i, in(1).i); },
           [&] { return in(0).f + in(1).f; });
    break;
  case Op::Sub:
    number([&] { return saturatingSub(in(0).i, in(1).i); },
           [&] { return in(0).f - in(1).f; });
    break;
  case Op::Mul:
    number([&] { return saturatingMul(in(0).i, in(1).i); },
           [&] { return in(0).f * in(1).f; });
    break;
  case Op::FloorDiv:
    result.i = floorDivide(in(0).i, in(1).i).quotient;
    break;
  case Op::Mod:
    result.i = floorDivide(in(0).i, in(1).i).remainder;
    break;
  case Op::Div:
    result.f = in(0).f / in(1).f;
    break;
  case Op::Neg:
    number([&] { return saturatingSub(0, in(0).i); }, [&] { return -in(0).f; });
    break;
  case Op::Abs:
    number([&] { return in(0).i < 0 ? saturatingSub(0, in(0).i) : in(0).i; },
           [&] { return std::fabs(in(0).f); });
    break;
  case Op::Min:
    number([&] { return std::min(in(0).i, in(1).i); },
           [&] { return in(1).f < in(0).f ? in(1).f : in(0).f; });
    break;
  case Op::Max:
    number([&] { return std::max(in(0).i, in(1).i); },
           [&] { return in(1).f > in(0).f ? in(1).f : in(0).f; });
    break;
  case Op::Where:
    result = in(0).i ? in(1) : in(2);
    break;
  case Op::ToFloat:
    result.f = static_cast<double>(in(0).i);
    break;
  case Op::Exp:
    result.f = std::exp(in(0).f);
    break;
  case Op::Log:
    result.f = std::log(in(0).f);
    break;
  case Op::Tanh:
    result.f = std::tanh(in(0).f);
    break;
  case Op::Sigmoid:
    result.f = 1 / (1 + std::exp(-in(0).f));
    break;
  case Op::Sqrt:
    result.f = std::sqrt(in(0).f);
    break;
  case Op::Bit:
    result.i = in(1).i >= 0 && in(1).i < 32 && ((in(0).i >> in(1).i) & 1);
    break;
  case Op::Less:
    result.i = isFloat ? in(0).f < in(1).f : in(0).i < in(1).i;
    break;
  case Op::LessEqual:
    result.i = isFloat ? in(0).f <= in(1).f : in(0).i <= in(1).i;
    break;
  case Op::Equal:
    result.i = isFloat ? in(0).f == in(1).f : in(0).i == in(1).i;
    break;
  case Op::NotEqual:
    result.i = isFloat ? in(0).f != in(1).f : in(0).i != in(1).i;
    break;
  case Op::And:
    result.i = in(0).i && in(1).i;
    break;
  case Op::Or:
    result.i = in(0).i || in(1).i;
    break;
  case Op::Not:
    result.i = !in(0).i;
    break;
  case Op::LowerBound: {
    const ArrayView &view = bindings.tensors[node.ref];
    if (hasEmptyAxis(view)) { // Every element reads as 0.
      result.i = in(node.operands.size() - 1).i > 0 ? int64_t(1) << 40
                                                    : -(int64_t(1) << 40);
      break;
    }
    size_t last = view.shape.size() - 1;
    int64_t base = 0;
    for (size_t i = 0; i < last; ++i)
      base += clampIndex(in(i).i, view.shape[i]) * view.strides[i];
    int64_t value = in(node.operands.size() - 1).i, low = 0,
            high = view.shape[last];
    const auto *data = static_cast<const int32_t *>(view.data) + base;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      int64_t element = data[middle * view.strides[last]];
      if (element < value)
        low = middle + 1;
      else
        high = middle;
    }
    constexpr int64_t everywhere = int64_t(1) << 40;
    result.i = low == 0                  ? -everywhere
               : low == view.shape[last] ? everywhere
                                         : low;
    break;
  }
  }
  return result;
}
