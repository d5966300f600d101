//===- ClosedForm.cpp - intervals, gates, and when they are exact ---------===//

#include "patterns/ClosedForm.h"
#include "patterns/LinearSum.h"
#include "patterns/Magnitude.h"
#include "patterns/OwnGate.h"
#include "patterns/TileTrend.h"

#include <algorithm>

using namespace jacquard;

namespace {
constexpr size_t mostKept = 6, mostGaps = 12;

class ClosedForm {
public:
  explicit ClosedForm(TileForm &form) : form(form), graph(form.graph) {}

  /// Adds the intervals of a disjunction; the reason why it can't otherwise.
  std::optional<std::string> add(const Disjunction &all,
                                 std::vector<TileInterval> &intervals) {
    std::vector<Gated> parts;
    for (const Conjunction &one : all) {
      Gated part = separateGates(one);
      dropImplied(part.ends);
      if (!limitsContradict(part))
        parts.push_back(std::move(part));
    }
    for (size_t i = 0; i < parts.size();) {
      bool covered = false;
      for (size_t j = 0; j < parts.size() && !covered; ++j)
        covered = j != i && covers(parts[j], parts[i]);
      if (covered)
        parts.erase(parts.begin() + i);
      else
        ++i;
    }
    for (Gated &part : parts) {
      TileInterval added;
      bool isEmpty = false;
      if (auto problem = addInterval(part, added, isEmpty))
        return problem;
      if (!isEmpty)
        intervals.push_back(added);
    }
    return std::nullopt;
  }

private:
  /// A conjunction whose conditions free of w stand apart.
  struct Gated {
    Conjunction ends;
    std::vector<OwnLimit> limits; ///< Those of `gates` that move.
    std::set<NodeId> gates;
  };

  std::optional<std::string> addInterval(Gated &part, TileInterval &interval,
                                         bool &isEmpty) {
    Conjunction &one = part.ends;
    limits = part.limits;
    for (const OwnLimit &limit : limits)
      if (limit.rising != limits.front().rising)
        return "its conditions on the block's own position do not go together";

    interval.lo = fold(one.lows, Op::Max, -farAway);
    interval.hi = fold(one.highs, Op::Min, farAway);
    refresh();
    if (auto problem = setTrends(interval))
      return problem;
    if (!isNested(interval) && !holdsOwn(one)) {
      if (!isSteady(one))
        return "neighbouring intervals may lie apart: [" +
               printExpression(graph, interval.lo) + ", " +
               printExpression(graph, interval.hi) + ")";
      if (!demandWidth(part)) {
        isEmpty = true;
        return std::nullopt;
      }
    }
    cutAtGate(one);
    interval.lo = fold(one.lows, Op::Max, -farAway);
    interval.hi = fold(one.highs, Op::Min, farAway);
    setGate(part, interval);
    refresh();
    for (NodeId node : {interval.lo, interval.hi, interval.gate})
      if (node != noNode)
        if (auto problem = checkComputable(node))
          return problem;
    return std::nullopt;
  }

  /// Can a kernel compute the value from a position?
  std::optional<std::string> checkComputable(NodeId node) const {
    if (searches[node])
      return "an end is found by searching: " + printExpression(graph, node);
    if (readsRows[node])
      return "an end depends on the row: " + printExpression(graph, node);
    if (!fits[node])
      return "an end may not fit 64 bits: " + printExpression(graph, node);
    return std::nullopt;
  }

  /// Facts about nodes, for those that were added since.
  void refresh() {
    if (moves.size() == graph.nodes().size())
      return;
    moves = movements(graph, form.walk);
    fits = fitting(graph);
    searches =
        graph.reach([](const Node &n) { return n.op == Op::LowerBound; });
    readsRows = graph.reach([](const Node &n) { return n.op == Op::Row; });
  }

  NodeId fold(const std::set<NodeId> &ends, Op op, int64_t none) {
    if (ends.empty())
      return graph.integer(none);
    NodeId result = *ends.begin();
    for (auto it = std::next(ends.begin()); it != ends.end(); ++it)
      result = graph.make(op, {result, *it});
    return result;
  }

  /// Takes the conditions that no walked position changes out of the ends.
  Gated separateGates(Conjunction one) {
    Gated part;
    std::vector<bool> moving = movingNodes(graph);
    for (bool isLow : {true, false}) {
      std::set<NodeId> &ends = isLow ? one.lows : one.highs;
      for (auto it = ends.begin(); it != ends.end();) {
        std::optional<NodeId> gate = gateOf(graph, *it, isLow);
        bool fixed = gate && !moving[graph[*it].operands[0]];
        std::optional<OwnLimit> limit =
            gate && !fixed ? ownLimit(graph, form.walk, *gate) : std::nullopt;
        if (!fixed && !limit) {
          ++it;
          continue;
        }
        if (limit)
          part.limits.push_back(*limit);
        part.gates.insert(*gate);
        it = ends.erase(it);
      }
    }
    part.ends = std::move(one);
    return part;
  }

  /// a >= b, for every launch?
  bool isAtLeast(NodeId a, NodeId b) const {
    return a == b || leastDifference(graph, a, b).value_or(-1) >= 0;
  }

  /// Does `wide` keep all that `narrow` keeps, for every launch?
  bool covers(const Gated &wide, const Gated &narrow) const {
    auto every = [](const std::set<NodeId> &of, const std::set<NodeId> &in,
                    auto test) {
      return std::all_of(of.begin(), of.end(), [&](NodeId x) {
        return std::any_of(in.begin(), in.end(),
                           [&](NodeId y) { return test(x, y); });
      });
    };
    return std::includes(narrow.gates.begin(), narrow.gates.end(),
                         wide.gates.begin(), wide.gates.end()) &&
           every(wide.ends.lows, narrow.ends.lows,
                 [&](NodeId x, NodeId y) { return isAtLeast(y, x); }) &&
           every(wide.ends.highs, narrow.ends.highs,
                 [&](NodeId x, NodeId y) { return isAtLeast(x, y); });
  }

  /// Drops ends that another end is never short of.
  void dropImplied(Conjunction &one) const {
    for (bool isLow : {true, false}) {
      std::set<NodeId> &ends = isLow ? one.lows : one.highs;
      for (auto it = ends.begin(); it != ends.end();) {
        bool implied = std::any_of(ends.begin(), ends.end(), [&](NodeId other) {
          return other != *it &&
                 (isLow ? isAtLeast(other, *it) : isAtLeast(*it, other));
        });
        it = implied ? ends.erase(it) : std::next(it);
      }
    }
  }

  /// Is no position let through, for any launch?
  bool limitsContradict(const Gated &part) const {
    for (const OwnLimit &from : part.limits)
      for (const OwnLimit &to : part.limits)
        if (from.rising && !to.rising && isAtLeast(from.limit, to.limit))
          return true;
    return false;
  }

  std::optional<std::string> setTrends(TileInterval &interval) {
    interval.loTrend = moves[interval.lo].trend;
    interval.hiTrend = moves[interval.hi].trend;
    for (NodeId end : {interval.lo, interval.hi}) {
      if (auto problem = checkComputable(end))
        return problem;
      if (moves[end].trend == Trend::Unknown)
        return "an end does not move one way: " + printExpression(graph, end);
    }
    return std::nullopt;
  }

  /// Case (a).
  static bool isNested(const TileInterval &interval) {
    return interval.loTrend == Trend::Constant ||
           interval.hiTrend == Trend::Constant ||
           interval.loTrend != interval.hiTrend;
  }

  /// Case (b).
  bool holdsOwn(const Conjunction &one) const {
    return std::all_of(one.lows.begin(), one.lows.end(),
                       [&](NodeId end) { return atMostOwn(end); }) &&
           std::all_of(one.highs.begin(), one.highs.end(),
                       [&](NodeId end) { return aboveOwn(end); });
  }

  /// Case (c), but for the width.
  bool isSteady(const Conjunction &one) const {
    auto steady = [&](NodeId end) {
      return moves[end].trend == Trend::Constant || moves[end].unitStep;
    };
    return std::all_of(one.lows.begin(), one.lows.end(), steady) &&
           std::all_of(one.highs.begin(), one.highs.end(), steady);
  }

  /// high > low for every two ends that both rise: known, or a gate. False
  /// where it is known not to be.
  bool demandWidth(Gated &part) {
    NodeId own = graph.leaf(ownAxis(form.walk));
    for (NodeId low : part.ends.lows)
      for (NodeId high : part.ends.highs) {
        if (!moves[low].unitStep || !moves[high].unitStep)
          continue;
        if (leastDifference(graph, high, low).value_or(0) >= 1)
          continue;
        if (isAtLeast(low, high))
          return false;
        // Both rise by the same, so that any position tells.
        NodeId zero = graph.integer(0);
        part.gates.insert(
            graph.make(Op::Less, {substitute(graph, low, own, zero),
                                  substitute(graph, high, own, zero)}));
      }
    return true;
  }

  /// Ends as they are where the gate opens (closes) as further ends.
  void cutAtGate(Conjunction &one) {
    NodeId own = graph.leaf(ownAxis(form.walk));
    for (bool isLow : {true, false}) {
      std::set<NodeId> &ends = isLow ? one.lows : one.highs;
      std::set<NodeId> added;
      for (const OwnLimit &limit : limits) {
        // Lowest lows and highest highs are taken at one end of the block.
        Trend cut = isLow == limit.rising ? Trend::Rising : Trend::Falling;
        NodeId edge =
            limit.rising ? limit.limit
                         : graph.make(Op::Sub, {limit.limit, graph.integer(1)});
        for (NodeId end : ends)
          if (moves[end].trend == cut)
            added.insert(substitute(graph, end, own, edge));
      }
      ends.insert(added.begin(), added.end());
    }
  }

  void setGate(const Gated &part, TileInterval &interval) {
    for (NodeId gate : part.gates)
      interval.gate = interval.gate == noNode
                          ? gate
                          : graph.make(Op::And, {interval.gate, gate});
    if (!limits.empty())
      interval.gateTrend =
          limits.front().rising ? Trend::Rising : Trend::Falling;
  }

  bool isOwn(NodeId id) const { return graph[id].op == ownAxis(form.walk); }

  bool divides(NodeId product, NodeId divisor) const {
    const Node &node = graph[product];
    return node.op == Op::FloorDiv && node.operands[1] == divisor &&
           isPositive(graph, divisor);
  }

  /// end <= own position, wherever the gate is open?
  bool atMostOwn(NodeId end) const {
    if (isOwn(end))
      return true;
    for (const OwnLimit &limit : limits)
      if (limit.rising && isAtLeast(limit.limit, end))
        return true;
    const Node &node = graph[end];
    switch (node.op) {
    case Op::IntConst:
      return node.intValue <= -farAway;
    case Op::Sub:
      return atMostOwn(node.operands[0]) &&
             isNonNegative(graph, node.operands[1]);
    case Op::Add: // own - x + 1 with x >= 1, and the like.
      for (int i : {0, 1}) {
        const Node &other = graph[node.operands[1 - i]];
        if (other.op != Op::IntConst)
          continue;
        if (other.intValue <= 0 && atMostOwn(node.operands[i]))
          return true;
        const Node &inner = graph[node.operands[i]];
        if (other.intValue == 1 && inner.op == Op::Sub &&
            atMostOwn(inner.operands[0]) &&
            isPositive(graph, inner.operands[1]))
          return true;
      }
      return false;
    case Op::Mul: // (x // c) * c <= x.
      for (int i : {0, 1})
        if (divides(node.operands[i], node.operands[1 - i]) &&
            atMostOwn(graph[node.operands[i]].operands[0]))
          return true;
      return false;
    case Op::Min:
      return atMostOwn(node.operands[0]) || atMostOwn(node.operands[1]);
    case Op::Max:
      return atMostOwn(node.operands[0]) && atMostOwn(node.operands[1]);
    default:
      return false;
    }
  }

  /// end >= own position, wherever the gate is open?
  bool atLeastOwn(NodeId end) const {
    if (isOwn(end))
      return true;
    const Node &node = graph[end];
    if (node.op != Op::Add)
      return false;
    return (atLeastOwn(node.operands[0]) &&
            isNonNegative(graph, node.operands[1])) ||
           (atLeastOwn(node.operands[1]) &&
            isNonNegative(graph, node.operands[0]));
  }

  /// end > own position, wherever the gate is open?
  bool aboveOwn(NodeId end) const {
    for (const OwnLimit &limit : limits)
      if (!limit.rising && isAtLeast(end, limit.limit))
        return true;
    const Node &node = graph[end];
    switch (node.op) {
    case Op::IntConst:
      return node.intValue >= farAway;
    case Op::Add:
      for (int i : {0, 1}) {
        NodeId term = node.operands[i], other = node.operands[1 - i];
        if ((atLeastOwn(term) && isPositive(graph, other)) ||
            (aboveOwn(term) && isNonNegative(graph, other)))
          return true;
      }
      return false;
    case Op::Mul: // (x // c + 1) * c > x.
      for (int i : {0, 1}) {
        const Node &sum = graph[node.operands[i]];
        if (sum.op != Op::Add)
          continue;
        for (int j : {0, 1})
          if (isPositive(graph, sum.operands[1 - j]) &&
              divides(sum.operands[j], node.operands[1 - i]) &&
              atLeastOwn(graph[sum.operands[j]].operands[0]))
            return true;
      }
      return false;
    case Op::Max:
      return aboveOwn(node.operands[0]) || aboveOwn(node.operands[1]);
    case Op::Min:
      return aboveOwn(node.operands[0]) && aboveOwn(node.operands[1]);
    default:
      return false;
    }
  }

  TileForm &form;
  Graph &graph;
  std::vector<OwnLimit> limits; ///< Of the interval that is being added.
  std::vector<Movement> moves;
  std::vector<bool> fits, searches, readsRows;
};
} // namespace

std::optional<std::string> jacquard::buildClosedForm(TileForm &form,
                                                     const Disjunction &kept,
                                                     const Disjunction &gaps) {
  ClosedForm closed(form);
  if (auto problem = closed.add(kept, form.kept))
    return problem;
  if (auto problem = closed.add(gaps, form.gaps))
    return problem;
  if (form.kept.size() > mostKept || form.gaps.size() > mostGaps)
    return std::to_string(form.kept.size()) + " kept and " +
           std::to_string(form.gaps.size()) +
           " gap intervals are more than a kernel should compute";
  return std::nullopt;
}
