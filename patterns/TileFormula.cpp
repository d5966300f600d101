//===- TileFormula.cpp - solving comparisons for the walked position ------===//

#include "patterns/TileFormula.h"
#include "patterns/LinearSum.h"
#include "patterns/OwnGate.h"

using namespace jacquard;

bool jacquard::isNonNegative(const Graph &graph, NodeId id) {
  const Node &node = graph[id];
  auto both = [&] {
    return isNonNegative(graph, node.operands[0]) &&
           isNonNegative(graph, node.operands[1]);
  };
  switch (node.op) {
  case Op::IntConst:
    return node.intValue >= 0;
  case Op::Param:
    return graph.params[node.ref].min.value_or(-1) >= 0;
  case Op::Batch:
  case Op::Head:
  case Op::KvHead:
  case Op::Row:
  case Op::Key:
  case Op::QLen:
  case Op::KLen:
  case Op::Heads:
  case Op::KvHeads:
  case Op::Abs:
    return true;
  case Op::Add:
  case Op::Mul:
  case Op::Min:
    return both();
  case Op::FloorDiv: // A quotient by 0 is 0.
    return both();
  case Op::Mod:
    return isNonNegative(graph, node.operands[1]);
  case Op::Max:
    return isNonNegative(graph, node.operands[0]) ||
           isNonNegative(graph, node.operands[1]);
  default:
    return false;
  }
}

bool jacquard::isPositive(const Graph &graph, NodeId id) {
  const Node &node = graph[id];
  auto positive = [&](size_t i) { return isPositive(graph, node.operands[i]); };
  switch (node.op) {
  case Op::IntConst:
    return node.intValue > 0;
  case Op::Param:
    return graph.params[node.ref].min.value_or(0) >= 1;
  case Op::Mul:
  case Op::Min:
    return positive(0) && positive(1);
  case Op::Max:
    return positive(0) || positive(1);
  case Op::Add:
    return (positive(0) && isNonNegative(graph, node.operands[1])) ||
           (positive(1) && isNonNegative(graph, node.operands[0]));
  default:
    return false;
  }
}

namespace {
class Solver {
public:
  Solver(Graph &graph, Walk walk) : graph(graph), walk(walk) {
    Op walked = walk == Walk::Keys ? Op::Key : Op::Query;
    // A row is a position less an offset that no node names.
    bool alsoRow = walk == Walk::Queries;
    moving = graph.reach([=](const Node &node) {
      return node.op == walked || (alsoRow && node.op == Op::Row) ||
             node.op == Op::Selected;
    });
    movingAtAll = movingNodes(graph);
  }

  TileFormula run() {
    TileFormula result;
    uint32_t root = solve(graph.keep);
    result.walk = walk;
    result.nodes = std::move(nodes);
    if (root + 1 != result.nodes.size()) // The last node is the root.
      result.nodes.push_back({FormulaNode::Or, false, noNode, 0, root, root});
    return result;
  }

private:
  bool isMoving(NodeId id) const { return id < moving.size() && moving[id]; }
  bool movesAtAll(NodeId id) const {
    return id < movingAtAll.size() && movingAtAll[id];
  }

  uint32_t add(FormulaNode node) {
    nodes.push_back(node);
    return nodes.size() - 1;
  }
  uint32_t constant(bool value) { return add({FormulaNode::Constant, value}); }
  uint32_t threshold(NodeId end) {
    return add({FormulaNode::Below, false, end});
  }
  uint32_t opaque(NodeId id) { return add({FormulaNode::Opaque, false, id}); }
  uint32_t join(FormulaNode::Kind kind, uint32_t left, uint32_t right) {
    return add({kind, false, noNode, 0, left, right});
  }
  uint32_t negate(uint32_t of) { return join(FormulaNode::Not, of, of); }

  /// A condition free of w: everything or nothing. In one form only, so that a
  /// condition and its opposite share a threshold.
  uint32_t always(NodeId condition) {
    const Node &node = graph[condition];
    if (node.op == Op::BoolConst)
      return constant(node.intValue != 0);
    if (node.op == Op::Not)
      return negate(always(node.operands[0]));
    if (node.op == Op::LessEqual && graph[node.operands[0]].type == Scalar::Int)
      return negate(
          always(graph.make(Op::Less, {node.operands[1], node.operands[0]})));
    NodeId end = graph.make(Op::Where, {condition, graph.integer(farAway),
                                        graph.integer(-farAway)});
    return threshold(end);
  }

  /// w < end. Where the own position chooses inside of the end, the choice
  /// moves outside: ends without one move one way more often.
  uint32_t below(NodeId end) {
    std::optional<NodeId> choice =
        splits < mostSplits ? choiceInside(end) : std::nullopt;
    if (!choice)
      return threshold(end);
    ++splits;
    Node node = graph[*choice];
    uint32_t condition = solve(node.operands[0]);
    uint32_t yes = below(substitute(graph, end, *choice, node.operands[1]));
    uint32_t no = below(substitute(graph, end, *choice, node.operands[2]));
    return join(FormulaNode::Or, join(FormulaNode::And, condition, yes),
                join(FormulaNode::And, negate(condition), no));
  }

  std::optional<NodeId> choiceInside(NodeId end) const {
    std::vector<bool> moves = movingNodes(graph);
    std::vector<bool> used(end + 1);
    used[end] = true;
    for (NodeId id = end + 1; id-- > 0;) {
      if (!used[id])
        continue;
      const Node &node = graph[id];
      if (node.op == Op::Where && moves[node.operands[0]])
        return id;
      for (NodeId operand : node.operands)
        used[operand] = true;
    }
    return std::nullopt;
  }

  uint32_t solve(NodeId id) {
    auto found = memo.find(id);
    if (found != memo.end())
      return found->second;
    uint32_t result = solveNew(id);
    memo[id] = result;
    return result;
  }

  uint32_t solveNew(NodeId id) {
    // Free of w. Conditions on the own position are taken apart, so that each
    // is one limit of it.
    if (!isMoving(id)) {
      Op op = graph[id].op;
      bool joined = op == Op::And || op == Op::Or || op == Op::Not;
      if (!joined || !movesAtAll(id))
        return always(id);
    }
    Node node = graph[id]; // A copy: solving adds nodes.
    switch (node.op) {
    case Op::And:
    case Op::Or: {
      uint32_t left = solve(node.operands[0]), right = solve(node.operands[1]);
      return join(node.op == Op::And ? FormulaNode::And : FormulaNode::Or, left,
                  right);
    }
    case Op::Not:
      return negate(solve(node.operands[0]));
    case Op::Where: {
      uint32_t condition = solve(node.operands[0]);
      uint32_t yes = solve(node.operands[1]), no = solve(node.operands[2]);
      return join(FormulaNode::Or, join(FormulaNode::And, condition, yes),
                  join(FormulaNode::And, negate(condition), no));
    }
    case Op::Selected: {
      Selection::Kind kind = graph.selections[node.ref].kind;
      bool listed = walk == Walk::Keys ? kind != Selection::ColumnIntervals
                                       : kind == Selection::ColumnIntervals;
      if (!listed)
        return opaque(id);
      return add({FormulaNode::Selection, false, id, node.ref});
    }
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual:
      return solveComparison(id, node);
    default:
      return opaque(id);
    }
  }

  uint32_t solveComparison(NodeId id, const Node &node) {
    NodeId a = node.operands[0], b = node.operands[1];
    if (graph[a].type == Scalar::Bool) { // Equality of truths.
      uint32_t left = solve(a), right = solve(b);
      uint32_t same = join(FormulaNode::Or, join(FormulaNode::And, left, right),
                           join(FormulaNode::And, negate(left), negate(right)));
      return node.op == Op::Equal ? same : negate(same);
    }
    if (graph[a].type != Scalar::Int)
      return opaque(id);
    size_t mark = nodes.size();
    std::optional<uint32_t> result;
    if (node.op == Op::Less || node.op == Op::LessEqual) {
      result = compare(a, b, node.op == Op::LessEqual);
    } else {
      std::optional<uint32_t> most = compare(a, b, true), less;
      if (most)
        less = compare(a, b, false);
      if (less)
        result = join(FormulaNode::And, *most, negate(*less));
      if (result && node.op == Op::NotEqual)
        result = negate(*result);
    }
    if (result)
      return *result;
    nodes.resize(mark); // And forget what was solved on the way.
    std::erase_if(memo,
                  [&](const auto &entry) { return entry.second >= mark; });
    return opaque(id);
  }

  /// A sum: coefficient * w + one other moving term (with sign) + a free rest.
  struct Sum {
    int64_t coefficient = 0;
    NodeId term = noNode;
    int64_t sign = 0;
    NodeId rest;
  };

  static bool isSmall(int64_t factor) {
    return -(1 << 20) <= factor && factor <= 1 << 20;
  }

  std::optional<Sum> sum(NodeId id) {
    Node node = graph[id];
    Sum result;
    result.rest = graph.integer(0);
    if (!isMoving(id)) {
      result.rest = id;
      return result;
    }
    if (node.op == (walk == Walk::Keys ? Op::Key : Op::Query)) {
      result.coefficient = 1;
      return result;
    }
    switch (node.op) {
    case Op::Add:
    case Op::Sub: {
      std::optional<Sum> a = sum(node.operands[0]), b = sum(node.operands[1]);
      if (!a || !b)
        return std::nullopt;
      return add(*a, *b, node.op == Op::Add ? 1 : -1);
    }
    case Op::Neg: {
      std::optional<Sum> a = sum(node.operands[0]);
      return a ? add(result, *a, -1) : a;
    }
    case Op::Mul:
      for (int i : {0, 1}) {
        const Node &factor = graph[node.operands[i]];
        if (factor.op != Op::IntConst || !isSmall(factor.intValue))
          continue;
        int64_t by = factor.intValue;
        std::optional<Sum> a = sum(node.operands[1 - i]);
        if (!a || a->term != noNode || !isSmall(a->coefficient))
          break;
        a->coefficient *= by;
        a->rest = graph.make(Op::Mul, {a->rest, graph.integer(by)});
        return a;
      }
      break;
    default:
      break;
    }
    result.term = id;
    result.sign = 1;
    return result;
  }

  std::optional<Sum> add(const Sum &a, const Sum &b, int64_t sign) {
    if (a.term != noNode && b.term != noNode)
      return std::nullopt;
    Sum result;
    result.coefficient = a.coefficient + sign * b.coefficient;
    result.term = a.term != noNode ? a.term : b.term;
    result.sign = a.term != noNode ? a.sign : sign * b.sign;
    result.rest = graph.make(sign > 0 ? Op::Add : Op::Sub, {a.rest, b.rest});
    return result;
  }

  NodeId plusOne(NodeId id) {
    return tidy(graph.make(Op::Add, {id, graph.integer(1)}));
  }

  /// a < b, or a <= b.
  std::optional<uint32_t> compare(NodeId a, NodeId b, bool orEqual) {
    if (!isMoving(a) && !isMoving(b))
      return always(graph.make(orEqual ? Op::LessEqual : Op::Less, {a, b}));
    // A choice on one side against a free other side.
    if (std::optional<uint32_t> result = compareChoice(a, b, orEqual))
      return result;
    std::optional<Sum> left = sum(a), right = sum(b);
    if (!left || !right)
      return std::nullopt;
    std::optional<Sum> difference = add(*left, *right, -1);
    if (!difference)
      return std::nullopt;
    // difference < 0 (or <= 0), that is moving part < limit.
    NodeId limit = graph.make(Op::Sub, {graph.integer(0), difference->rest});
    limit = tidy(limit);
    if (difference->term == noNode)
      return compareLinear(difference->coefficient, limit, orEqual);
    if (difference->coefficient != 0)
      return std::nullopt;
    if (difference->sign > 0)
      return termBelow(difference->term, orEqual ? plusOne(limit) : limit);
    // -term < limit: term > -limit, the complement of term < 1 - limit.
    NodeId least = graph.make(Op::Sub, {graph.integer(orEqual ? 0 : 1), limit});
    std::optional<uint32_t> under = termBelow(difference->term, tidy(least));
    return under ? std::optional(negate(*under)) : std::nullopt;
  }

  NodeId tidy(NodeId id) { return tidySum(graph, id); }

  std::optional<uint32_t> compareLinear(int64_t coefficient, NodeId limit,
                                        bool orEqual) {
    if (coefficient == 0)
      return always(graph.make(orEqual ? Op::LessEqual : Op::Less,
                               {graph.integer(0), limit}));
    NodeId bound = orEqual ? plusOne(limit) : limit; // coefficient * w < bound
    if (coefficient > 0)
      return below(ceilDivide(bound, graph.integer(coefficient)));
    // w > -bound / n: not (w < floor(-bound / n) + 1).
    NodeId turned = tidy(graph.make(Op::Sub, {graph.integer(0), bound}));
    NodeId quotient =
        graph.make(Op::FloorDiv, {turned, graph.integer(-coefficient)});
    return negate(below(plusOne(quotient)));
  }

  NodeId ceilDivide(NodeId a, NodeId b) {
    if (graph[b].op == Op::IntConst && graph[b].intValue == 1)
      return a;
    NodeId less = graph.make(Op::Sub, {b, graph.integer(1)});
    return graph.make(Op::FloorDiv, {graph.make(Op::Add, {a, less}), b});
  }

  /// min, max, abs and where stand directly on one side.
  std::optional<uint32_t> compareChoice(NodeId a, NodeId b, bool orEqual) {
    for (bool onLeft : {true, false}) {
      Node node = graph[onLeft ? a : b];
      NodeId other = onLeft ? b : a;
      if (!isMoving(onLeft ? a : b))
        continue;
      auto part = [&](NodeId x) {
        return onLeft ? compare(x, other, orEqual) : compare(other, x, orEqual);
      };
      NodeId first, second;
      bool all;
      switch (node.op) {
      case Op::Min:
      case Op::Max:
        first = node.operands[0];
        second = node.operands[1];
        all = (node.op == Op::Max) == onLeft;
        break;
      case Op::Abs:
        first = node.operands[0];
        second = graph.make(Op::Neg, {first});
        moving.resize(std::max<size_t>(moving.size(), second + 1), false);
        moving[second] = true;
        all = onLeft;
        break;
      case Op::Where: {
        uint32_t condition = solve(node.operands[0]);
        std::optional<uint32_t> yes = part(node.operands[1]);
        std::optional<uint32_t> no = part(node.operands[2]);
        if (!yes || !no)
          return std::nullopt;
        return join(FormulaNode::Or, join(FormulaNode::And, condition, *yes),
                    join(FormulaNode::And, negate(condition), *no));
      }
      default:
        continue;
      }
      std::optional<uint32_t> x = part(first), y = part(second);
      if (!x || !y)
        return std::nullopt;
      return join(all ? FormulaNode::And : FormulaNode::Or, *x, *y);
    }
    return std::nullopt;
  }

  /// term < limit, limit free of w.
  std::optional<uint32_t> termBelow(NodeId term, NodeId limit) {
    Node node = graph[term];
    switch (node.op) {
    case Op::FloorDiv: {
      NodeId divisor = node.operands[1];
      if (isMoving(divisor) || !isPositive(graph, divisor))
        return std::nullopt;
      return compare(node.operands[0], graph.make(Op::Mul, {limit, divisor}),
                     false);
    }
    case Op::Mul:
      for (int i : {0, 1}) {
        NodeId factor = node.operands[i];
        if (!isMoving(factor) && isPositive(graph, factor))
          return compare(node.operands[1 - i], ceilDivide(limit, factor),
                         false);
      }
      return std::nullopt;
    case Op::Load: {
      if (!graph.tensors[node.ref].sorted)
        return std::nullopt;
      std::vector<NodeId> operands(node.operands.begin(),
                                   node.operands.end() - 1);
      for (NodeId index : operands)
        if (isMoving(index))
          return std::nullopt;
      operands.push_back(limit);
      NodeId bound = graph.make(Op::LowerBound, std::move(operands), node.ref);
      return compare(node.operands.back(), bound, false);
    }
    case Op::Min:
    case Op::Max:
    case Op::Abs:
    case Op::Where:
      return compareChoice(term, limit, false);
    default:
      return std::nullopt;
    }
  }

  Graph &graph;
  Walk walk;
  std::vector<bool> moving;      ///< With the walked position.
  std::vector<bool> movingAtAll; ///< With either position.
  std::vector<FormulaNode> nodes;
  std::map<NodeId, uint32_t> memo;
  static constexpr int mostSplits = 16;
  int splits = 0;
};
} // namespace

TileFormula jacquard::solveForWalk(Graph &graph, Walk walk) {
  return Solver(graph, walk).run();
}
