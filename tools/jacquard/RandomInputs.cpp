//===- RandomInputs.cpp - sensible random data for any pattern ------------===//

#include "RandomInputs.h"

#include <cmath>

using namespace jacquard;

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators).
uint64_t RandomStream::next() {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int64_t RandomStream::integer(int64_t low, int64_t high) {
  uint64_t range = static_cast<uint64_t>(high - low) + 1;
  return low + static_cast<int64_t>(next() % range);
}

double RandomStream::normal() { // Box and Muller.
  double a = (static_cast<double>(next() >> 11) + 1) / 9007199254740993.0;
  double b = static_cast<double>(next() >> 11) / 9007199254740992.0;
  return std::sqrt(-2 * std::log(a)) * std::cos(6.283185307179586 * b);
}

Status jacquard::checkElements(double elements) {
  if (elements <= static_cast<double>(int64_t(1) << 40))
    return {};
  return makeError(ErrorKind::Environment, "E0512",
                   "an array of " + std::to_string(elements) +
                       " elements is more than this machine holds");
}

Array jacquard::randomArray(ElementType type, std::vector<int64_t> shape,
                            RandomStream &random) {
  Array array(type, std::move(shape));
  for (int64_t i = 0, count = array.size(); i < count; ++i)
    array.set(i, random.normal());
  return array;
}

/// Is the tensor only asked whether it is 0? Then it marks positions.
static bool isMark(const Graph &graph, uint32_t tensor) {
  bool marks = false;
  for (const Node &node : graph.nodes())
    for (NodeId operand : node.operands) {
      if (graph[operand].op != Op::Load || graph[operand].ref != tensor)
        continue;
      if (node.op != Op::Equal && node.op != Op::NotEqual)
        return false;
      NodeId other = node.operands[node.operands[0] == operand ? 1 : 0];
      if (graph[other].op != Op::IntConst || graph[other].intValue != 0)
        return false;
      marks = true;
    }
  return marks;
}

static Array randomTensor(const Tensor &decl, const ProblemShape &shape,
                          bool mark, RandomStream &random) {
  std::vector<int64_t> extents;
  for (const Extent &extent : decl.shape)
    extents.push_back(shape.measure(extent));
  if (decl.type == Scalar::Float) {
    Array array(ElementType::F32, extents);
    for (int64_t i = 0, count = array.size(); i < count; ++i)
      array.set(i, 0.3 * random.normal());
    return array;
  }
  Array array(ElementType::I32, extents);
  int64_t count = array.size(), last = extents.empty() ? 1 : extents.back();
  int64_t longest = std::max<int64_t>(std::max(shape.qLen, shape.kLen), 1);
  // A table of choices has numbers for axes; others count positions.
  bool table = false;
  for (const Extent &extent : decl.shape)
    table = table || extent.kind == Extent::Number;
  int64_t id = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (decl.sorted) {
      id = i % last == 0 ? 0 : id + (random.integer(0, longest + 16) < 8);
      array.set(i, static_cast<double>(id));
    } else if (table) {
      // As bits of words or as truth: half of them.
      array.set(i, static_cast<double>(static_cast<int32_t>(
                       random.integer(0, 1) ? random.next() : 0)));
    } else if (mark) {
      array.set(i, random.integer(0, 7) == 0);
    } else {
      array.set(i, static_cast<double>(random.integer(0, longest)));
    }
  }
  return array;
}

static Array randomSelection(const Selection &decl, const Bindings &bindings,
                             RandomStream &random) {
  const ProblemShape &shape = bindings.shape;
  auto size = [&](const SizeRef &ref) {
    return ref.param ? bindings.params[*ref.param].intValue : ref.literal;
  };
  bool intervals = decl.kind == Selection::RowIntervals ||
                   decl.kind == Selection::ColumnIntervals;
  bool byKey = decl.kind == Selection::ColumnIntervals;
  int64_t rows = byKey ? shape.kLen : shape.qLen;
  int64_t across = byKey ? shape.qLen : shape.kLen;
  if (decl.kind == Selection::Blocks)
    rows = (rows + size(decl.qBlock) - 1) / size(decl.qBlock);
  int64_t heads =
      decl.kind == Selection::TokenBlocks ? shape.kvHeads : shape.heads;
  constexpr int64_t entries = 3;
  std::vector<int64_t> extents{shape.batch, heads, rows, entries};
  if (intervals)
    extents.push_back(2);
  Array array(ElementType::I32, extents);
  for (int64_t i = 0, count = array.size(); i < count; i += intervals ? 2 : 1) {
    if (intervals) {
      int64_t begin = random.integer(0, std::max<int64_t>(across - 1, 0));
      array.set(i, static_cast<double>(begin));
      array.set(i + 1,
                static_cast<double>(begin + random.integer(0, across / 4 + 1)));
      continue;
    }
    int64_t blocks = (across + size(decl.kBlock) - 1) / size(decl.kBlock);
    array.set(i, static_cast<double>(
                     random.integer(-1, std::max<int64_t>(blocks - 1, 0))));
  }
  return array;
}

Status jacquard::addRandomInputs(const Pattern &pattern, const Problem &problem,
                                 RandomStream &random, OwnedInputs &given) {
  const Graph &graph = pattern.graph();
  // What is needed of the sizes, with the declarations' data still missing.
  Bindings bindings;
  bindings.shape.batch = problem.batch;
  bindings.shape.heads = problem.heads;
  bindings.shape.kvHeads = problem.kvHeads;
  bindings.shape.qLen = problem.qLen;
  bindings.shape.kLen = problem.kLen;
  for (const Param &param : graph.params) {
    auto found = given.inputs.params.find(param.name);
    double value = found != given.inputs.params.end()
                       ? found->second
                       : param.defaultValue.value_or(1);
    bindings.params.push_back({static_cast<int64_t>(value), value});
  }
  for (const Tensor &decl : graph.tensors) {
    if (given.inputs.tensors.count(decl.name))
      continue;
    double elements = 1;
    for (const Extent &extent : decl.shape)
      elements *= static_cast<double>(bindings.shape.measure(extent));
    if (Status status = checkElements(elements); !status)
      return status;
    given.arrays.push_back(randomTensor(
        decl, bindings.shape,
        isMark(graph, static_cast<uint32_t>(&decl - graph.tensors.data())),
        random));
    given.inputs.tensors[decl.name] = given.arrays.back().view();
  }
  for (const Selection &decl : graph.selections) {
    if (given.inputs.selections.count(decl.name))
      continue;
    for (const SizeRef *size : {&decl.qBlock, &decl.kBlock})
      if (size->param && bindings.params[*size->param].intValue < 1)
        return makeError(ErrorKind::Invalid, "E0305",
                         "a block size of `" + decl.name +
                             "` must be at least 1");
    double elements = 6.0 * static_cast<double>(problem.batch) *
                      static_cast<double>(problem.heads) *
                      static_cast<double>(std::max(problem.qLen, problem.kLen));
    if (Status status = checkElements(elements); !status)
      return status;
    given.arrays.push_back(randomSelection(decl, bindings, random));
    given.inputs.selections[decl.name] = given.arrays.back().view();
  }
  return {};
}
