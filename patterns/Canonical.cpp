//===- Canonical.cpp - structure as bytes, and its digest -----------------===//
//
// Every field is a tag, a length and its bytes, so that no two structures give
// the same bytes. Names, defaults and text are left out. Nodes are numbered by
// a walk from the roots over operands in canonical order: the order in which a
// card wrote them does not matter, and for operations that commute exactly
// neither does that of their operands.
//
//===----------------------------------------------------------------------===//

#include "patterns/Ast.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

using namespace jacquard;

namespace {
class Encoder {
public:
  void tag(char name, std::string_view bytes) {
    text += name;
    uint64_t length = bytes.size();
    text.append(reinterpret_cast<const char *>(&length), sizeof length);
    text += bytes;
  }
  void tag(char name, int64_t value) {
    tag(name,
        std::string_view(reinterpret_cast<const char *>(&value), sizeof value));
  }
  void tag(char name, const std::optional<double> &value) {
    if (value)
      tag(name, static_cast<int64_t>(std::bit_cast<uint64_t>(*value)));
    else
      tag(name, std::string_view());
  }
  std::string text;
};

using Digest = std::array<uint8_t, 32>;
} // namespace

static bool commutes(const Node &node) {
  switch (node.op) {
  case Op::And:
  case Op::Or:
  case Op::Equal:
  case Op::NotEqual:
    return true;
  case Op::Add:
  case Op::Mul:
  case Op::Min:
  case Op::Max:
    return node.type ==
           Scalar::Int; // Of floats, rounding and NaN tell them apart.
  default:
    return false;
  }
}

/// A digest of each node's whole expression: the canonical order of operands.
static std::vector<Digest> nodeDigests(const Graph &graph) {
  std::vector<Digest> digests(graph.nodes().size());
  for (NodeId id = 0; id < digests.size(); ++id) {
    const Node &node = graph[id];
    std::vector<Digest> operands;
    for (NodeId operand : node.operands)
      operands.push_back(digests[operand]);
    if (commutes(node))
      std::sort(operands.begin(), operands.end());
    Encoder encoder;
    encoder.tag('o', static_cast<int64_t>(node.op));
    encoder.tag('t', static_cast<int64_t>(node.type));
    encoder.tag('r', static_cast<int64_t>(node.ref));
    encoder.tag('i', node.intValue);
    encoder.tag('f', std::optional<double>(node.floatValue));
    for (const Digest &operand : operands)
      encoder.tag(
          'd', std::string_view(reinterpret_cast<const char *>(operand.data()),
                                operand.size()));
    llvm::BLAKE3 hash;
    hash.update(encoder.text);
    auto result = hash.final<32>();
    std::copy(result.begin(), result.end(), digests[id].begin());
  }
  return digests;
}

std::string jacquard::canonicalForm(const Graph &graph) {
  std::vector<Digest> digests = nodeDigests(graph);
  Encoder encoder;
  encoder.tag('v', static_cast<int64_t>(cardVersion));
  for (const Param &param : graph.params) {
    encoder.tag('p', static_cast<int64_t>(param.type));
    encoder.tag('m', param.min);
    encoder.tag('M', param.max);
  }
  for (const Tensor &tensor : graph.tensors) {
    encoder.tag('T', static_cast<int64_t>(tensor.type));
    for (const Extent &extent : tensor.shape) {
      encoder.tag('x', static_cast<int64_t>(extent.kind));
      encoder.tag('n', extent.number);
    }
    encoder.tag('s', static_cast<int64_t>(tensor.sorted));
    encoder.tag('g', static_cast<int64_t>(tensor.grad));
  }
  for (const Selection &selection : graph.selections) {
    encoder.tag('S', static_cast<int64_t>(selection.kind));
    for (const SizeRef &size : {selection.qBlock, selection.kBlock}) {
      encoder.tag('b', size.literal);
      encoder.tag('B', size.param ? static_cast<int64_t>(*size.param) : -1);
    }
  }
  encoder.tag('a', static_cast<int64_t>(graph.align));
  encoder.tag('k', graph.sink ? static_cast<int64_t>(*graph.sink) : -1);

  // Numbers in the order of a walk, operands before users. Nodes that differ
  // only in the order of commuting operands have one digest, and so one number.
  std::map<Digest, int64_t> numbers;
  for (NodeId root : {graph.keep, graph.score}) {
    std::vector<NodeId> stack{root};
    while (!stack.empty()) {
      NodeId id = stack.back();
      const Node &node = graph[id];
      if (numbers.count(digests[id])) {
        stack.pop_back();
        continue;
      }
      std::vector<NodeId> operands = node.operands;
      if (commutes(node))
        std::sort(operands.begin(), operands.end(),
                  [&](NodeId a, NodeId b) { return digests[a] < digests[b]; });
      size_t waiting = stack.size();
      for (size_t i = operands.size(); i-- > 0;)
        if (!numbers.count(digests[operands[i]]))
          stack.push_back(operands[i]);
      if (stack.size() > waiting)
        continue;
      stack.pop_back();
      numbers.emplace(digests[id], static_cast<int64_t>(numbers.size()));
      encoder.tag('N', static_cast<int64_t>(node.op));
      encoder.tag('t', static_cast<int64_t>(node.type));
      encoder.tag('r', static_cast<int64_t>(node.ref));
      encoder.tag('i', node.intValue);
      encoder.tag('f', std::optional<double>(node.floatValue));
      for (NodeId operand : operands)
        encoder.tag('u', numbers[digests[operand]]);
    }
    encoder.tag('R', numbers[digests[root]]);
  }
  return std::move(encoder.text);
}

std::string jacquard::digest(const Graph &graph) {
  llvm::BLAKE3 hash;
  hash.update(canonicalForm(graph));
  auto result = hash.final<32>();
  return llvm::toHex(llvm::ArrayRef<uint8_t>(result.data(), result.size()),
                     /*LowerCase=*/true);
}
