//===- OwnGate.cpp - limits of the block's own position -------------------===//

#include "patterns/OwnGate.h"

#include <algorithm>

using namespace jacquard;

std::vector<bool> jacquard::movingNodes(const Graph &graph) {
  return graph.reach([](const Node &node) {
    return node.op == Op::Query || node.op == Op::Key || node.op == Op::Row ||
           node.op == Op::Selected;
  });
}

std::optional<OwnLimit> jacquard::ownLimit(Graph &graph, Walk walk,
                                           NodeId condition) {
  Node node = graph[condition];
  if (node.op == Op::Not) {
    std::optional<OwnLimit> inner = ownLimit(graph, walk, node.operands[0]);
    if (inner)
      inner->rising = !inner->rising;
    return inner;
  }
  if (node.op != Op::Less && node.op != Op::LessEqual)
    return std::nullopt;
  if (graph[node.operands[0]].type != Scalar::Int)
    return std::nullopt;
  NodeId difference = graph.make(Op::Sub, {node.operands[0], node.operands[1]});
  LinearSum sum = LinearSum::of(graph, difference);
  auto takeOwn = [&](std::vector<NodeId> &terms) {
    auto found = std::find_if(terms.begin(), terms.end(), [&](NodeId term) {
      return graph[term].op == ownAxis(walk);
    });
    if (found == terms.end())
      return false;
    terms.erase(found);
    return true;
  };
  bool below = takeOwn(sum.plus);
  if (!below && !takeOwn(sum.minus))
    return std::nullopt;
  std::vector<bool> moving = movingNodes(graph);
  for (const std::vector<NodeId> *terms : {&sum.plus, &sum.minus})
    for (NodeId term : *terms)
      if (moving[term])
        return std::nullopt;
  bool strict = node.op == Op::Less;
  if (below) { // own + rest < 0: own < -rest.
    LinearSum limit = sum.negated();
    limit.constant = saturatingAdd(limit.constant, strict ? 0 : 1);
    return OwnLimit{false, limit.build(graph)};
  }
  sum.constant = saturatingAdd(sum.constant,
                               strict ? 1 : 0); // own > rest: own >= rest + 1.
  return OwnLimit{true, sum.build(graph)};
}

std::optional<NodeId> jacquard::gateOf(Graph &graph, NodeId end, bool isLow) {
  const Node &node = graph[end];
  if (node.op != Op::Where)
    return std::nullopt;
  const Node &yes = graph[node.operands[1]], &no = graph[node.operands[2]];
  if (yes.op != Op::IntConst || yes.intValue != farAway ||
      no.op != Op::IntConst || no.intValue != -farAway)
    return std::nullopt;
  NodeId condition = node.operands[0];
  return isLow ? graph.make(Op::Not, {condition}) : condition;
}

NodeId jacquard::substitute(Graph &graph, NodeId id, NodeId from, NodeId to) {
  std::vector<NodeId> replaced(id + 1);
  std::vector<bool> needed(id + 1);
  needed[id] = true;
  for (NodeId i = id + 1; i-- > 0;)
    if (needed[i])
      for (NodeId operand : graph[i].operands)
        needed[operand] = true;
  for (NodeId i = 0; i <= id; ++i) {
    if (!needed[i])
      continue;
    if (i == from) {
      replaced[i] = to;
      continue;
    }
    Node node = graph[i];
    bool same = true;
    for (NodeId &operand : node.operands) {
      same = same && replaced[operand] == operand;
      operand = replaced[operand];
    }
    auto isZero = [&](size_t operand) {
      const Node &read = graph[node.operands[operand]];
      return read.op == Op::IntConst && read.intValue == 0;
    };
    bool zero = !same && ((node.op == Op::FloorDiv && isZero(0)) ||
                          (node.op == Op::Mul && node.type == Scalar::Int &&
                           (isZero(0) || isZero(1))));
    replaced[i] = same   ? i
                  : zero ? graph.integer(0)
                         : graph.make(node.op, node.operands, node.ref);
    if (!same && (node.op == Op::Add || node.op == Op::Sub))
      replaced[i] = tidySum(graph, replaced[i]);
  }
  return replaced[id];
}

/// The least value of a term, for every launch.
static std::optional<int64_t> least(const Graph &graph, NodeId id) {
  if (graph[id].op == Op::Param && graph.params[graph[id].ref].min)
    return static_cast<int64_t>(*graph.params[graph[id].ref].min);
  if (isPositive(graph, id))
    return 1;
  if (isNonNegative(graph, id))
    return 0;
  return std::nullopt;
}

std::optional<int64_t> jacquard::leastDifference(const Graph &graph, NodeId a,
                                                 NodeId b) {
  LinearSum sum = LinearSum::of(graph, a).less(LinearSum::of(graph, b));
  if (!sum.minus.empty())
    return std::nullopt;
  int64_t result = sum.constant;
  for (NodeId term : sum.plus) {
    std::optional<int64_t> part = least(graph, term);
    if (!part)
      return std::nullopt;
    result = saturatingAdd(result, *part);
  }
  return result;
}
