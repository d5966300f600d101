//===- LinearSum.cpp - flattening and building sums -----------------------===//

#include "patterns/LinearSum.h"

#include <algorithm>

using namespace jacquard;

/// x - x is nothing.
static void cancel(LinearSum &sum) {
  for (auto it = sum.plus.begin(); it != sum.plus.end();) {
    auto same = std::find(sum.minus.begin(), sum.minus.end(), *it);
    if (same == sum.minus.end()) {
      ++it;
      continue;
    }
    sum.minus.erase(same);
    it = sum.plus.erase(it);
  }
}

LinearSum LinearSum::of(const Graph &graph, NodeId id) {
  constexpr size_t mostTerms = 64;
  LinearSum sum;
  std::vector<std::pair<NodeId, bool>> work{{id, false}};
  while (!work.empty()) {
    auto [term, negative] = work.back();
    work.pop_back();
    const Node &node = graph[term];
    bool open = sum.plus.size() + sum.minus.size() + work.size() < mostTerms;
    if (open && (node.op == Op::Add || node.op == Op::Sub)) {
      work.push_back({node.operands[1], (node.op == Op::Sub) != negative});
      work.push_back({node.operands[0], negative});
    } else if (open && node.op == Op::Neg) {
      work.push_back({node.operands[0], !negative});
    } else if (node.op == Op::IntConst) {
      sum.constant = negative ? saturatingSub(sum.constant, node.intValue)
                              : saturatingAdd(sum.constant, node.intValue);
    } else {
      (negative ? sum.minus : sum.plus).push_back(term);
    }
  }
  cancel(sum);
  return sum;
}

LinearSum LinearSum::less(const LinearSum &other) const {
  LinearSum sum = *this;
  sum.plus.insert(sum.plus.end(), other.minus.begin(), other.minus.end());
  sum.minus.insert(sum.minus.end(), other.plus.begin(), other.plus.end());
  sum.constant = saturatingSub(sum.constant, other.constant);
  cancel(sum);
  return sum;
}

NodeId LinearSum::build(Graph &graph) const {
  std::vector<NodeId> ordered;
  for (bool positions : {true, false})
    for (NodeId term : plus) {
      Op op = graph[term].op;
      if ((op == Op::Query || op == Op::Key) == positions)
        ordered.push_back(term);
    }
  if (ordered.empty() && minus.empty())
    return graph.integer(constant);
  NodeId sum = ordered.empty() ? graph.integer(constant) : ordered[0];
  for (size_t i = 1; i < ordered.size(); ++i)
    sum = graph.make(Op::Add, {sum, ordered[i]});
  for (NodeId term : minus)
    sum = graph.make(Op::Sub, {sum, term});
  if (ordered.empty() || constant == 0)
    return sum;
  return constant > 0
             ? graph.make(Op::Add, {sum, graph.integer(constant)})
             : graph.make(Op::Sub,
                          {sum, graph.integer(saturatingSub(0, constant))});
}

NodeId jacquard::tidySum(Graph &graph, NodeId id) {
  return LinearSum::of(graph, id).build(graph);
}
