//===- TileAnalysis.cpp - closed forms, and when they are exact -----------===//
//
// The solved formula and its negation are brought into disjunctive form. Each
// conjunction of thresholds is one interval [max of lows, min of highs) a
// position. A condition on the own position alone gates its interval (see
// below). Over a block, kernels use [smallest low, largest high). That is exact
// - touches no tile that no position of the block keeps - if the intervals of
// the block's positions join into one, which holds when
//   (a) one end is constant, or the ends move in opposite directions: the
//   intervals
//       are nested; or
//   (b) every end is constant or rises by exactly 1 a position: high - low is
//   concave,
//       so the non-empty intervals are those of neighbouring positions, low is
//       constant before them and high after them, and each meets the next; or
//   (c) every interval holds its own position: neighbours meet.
// A gate own >= X, or own < X, leaves a part of the block. The ends at X are
// added as constants, so that an end is never taken at a position that the gate
// excludes; with (b) the rest is as without a gate.
//
//===----------------------------------------------------------------------===//

#include "patterns/LinearSum.h"
#include "patterns/TileFormula.h"
#include "patterns/TileTrend.h"

#include <algorithm>
#include <set>

using namespace jacquard;

namespace {
constexpr size_t mostKept = 6, mostGaps = 8, mostConjunctions = 64;

/// w >= every low and w < every high.
struct Conjunction {
  std::set<NodeId> lows, highs;

  bool isEmpty() const {
    return std::any_of(lows.begin(), lows.end(),
                       [&](NodeId low) { return highs.count(low); });
  }
  /// Every condition of `other` is one of this: this keeps no more.
  bool implies(const Conjunction &other) const {
    return std::includes(lows.begin(), lows.end(), other.lows.begin(),
                         other.lows.end()) &&
           std::includes(highs.begin(), highs.end(), other.highs.begin(),
                         other.highs.end());
  }
};
using Disjunction = std::vector<Conjunction>;

class NormalForm {
public:
  explicit NormalForm(const TileFormula &formula) : formula(formula) {}

  /// Null when it is not made of thresholds or grows too long.
  std::optional<Disjunction> of(bool negated) {
    return build(formula.nodes.size() - 1, negated);
  }

private:
  std::optional<Disjunction> build(uint32_t index, bool negated) {
    auto key = std::pair(index, negated);
    auto found = memo.find(key);
    if (found != memo.end())
      return found->second;
    std::optional<Disjunction> result = buildNew(index, negated);
    memo[key] = result;
    return result;
  }

  std::optional<Disjunction> buildNew(uint32_t index, bool negated) {
    const FormulaNode &node = formula.nodes[index];
    switch (node.kind) {
    case FormulaNode::Constant:
      return node.value != negated ? Disjunction{{}} : Disjunction{};
    case FormulaNode::Below: {
      Conjunction one;
      (negated ? one.lows : one.highs).insert(node.node);
      return Disjunction{one};
    }
    case FormulaNode::Not:
      return build(node.left, !negated);
    case FormulaNode::And:
    case FormulaNode::Or: {
      std::optional<Disjunction> a = build(node.left, negated);
      std::optional<Disjunction> b = build(node.right, negated);
      if (!a || !b)
        return std::nullopt;
      bool isOr = (node.kind == FormulaNode::Or) != negated;
      Disjunction all;
      if (isOr) {
        all = *a;
        all.insert(all.end(), b->begin(), b->end());
      } else {
        for (const Conjunction &x : *a)
          for (const Conjunction &y : *b) {
            Conjunction both = x;
            both.lows.insert(y.lows.begin(), y.lows.end());
            both.highs.insert(y.highs.begin(), y.highs.end());
            all.push_back(std::move(both));
          }
      }
      simplify(all);
      if (all.size() > mostConjunctions)
        return std::nullopt;
      return all;
    }
    case FormulaNode::Selection:
    case FormulaNode::Opaque:
      return std::nullopt;
    }
    return std::nullopt;
  }

  static void simplify(Disjunction &all) {
    Disjunction kept;
    for (size_t i = 0; i < all.size(); ++i) {
      bool needless = all[i].isEmpty();
      for (size_t j = 0; j < all.size() && !needless; ++j) {
        bool covered = j != i && all[i].implies(all[j]);
        // Of two equal ones the first stays.
        needless = covered && (!all[j].implies(all[i]) || j < i);
      }
      if (!needless)
        kept.push_back(all[i]);
    }
    all = std::move(kept);
  }

  const TileFormula &formula;
  std::map<std::pair<uint32_t, bool>, std::optional<Disjunction>> memo;
};

class ClosedForm {
public:
  ClosedForm(TileForm &form) : form(form), graph(form.graph) {}

  /// Fills in the intervals; the reason why not otherwise.
  std::optional<std::string> build(Disjunction kept, Disjunction gaps) {
    if (kept.size() > mostKept || gaps.size() > mostGaps)
      return std::to_string(kept.size()) + " kept and " +
             std::to_string(gaps.size()) +
             " gap intervals are more than a kernel "
             "should compute";
    for (auto [disjunction, intervals] :
         {std::pair(&kept, &form.kept), std::pair(&gaps, &form.gaps)})
      for (Conjunction &one : *disjunction) {
        TileInterval added;
        if (!separateGates(one, added))
          return "its conditions on the block's own position do not go "
                 "together";
        addEnds(one, added);
        intervals->push_back(added);
      }
    moves = movements(graph, form.walk);
    usesPlan = graph.reach([&](const Node &node) {
      return node.op == Op::LowerBound || node.op == Op::Row ||
             node.op == Op::Selected;
    });
    for (auto [disjunction, intervals] :
         {std::pair(&kept, &form.kept), std::pair(&gaps, &form.gaps)})
      for (size_t i = 0; i < intervals->size(); ++i)
        if (auto problem = check((*disjunction)[i], (*intervals)[i]))
          return problem;
    return std::nullopt;
  }

private:
  /// A threshold that is far away or the opposite: a condition free of w. With
  /// the side it stands on, the condition that the interval needs.
  std::optional<NodeId> gateOf(NodeId end, bool isLow) {
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

  /// own >= X (rising) or own < X (falling) as a limit X; nothing for other
  /// conditions.
  struct OwnLimit {
    bool rising;
    NodeId limit;
  };
  std::optional<OwnLimit> ownLimit(NodeId condition) {
    Node node = graph[condition];
    if (node.op == Op::Not) {
      std::optional<OwnLimit> inner = ownLimit(node.operands[0]);
      if (inner)
        inner->rising = !inner->rising;
      return inner;
    }
    if (node.op != Op::Less && node.op != Op::LessEqual)
      return std::nullopt;
    if (graph[node.operands[0]].type != Scalar::Int)
      return std::nullopt;
    NodeId difference =
        graph.make(Op::Sub, {node.operands[0], node.operands[1]});
    LinearSum sum = LinearSum::of(graph, difference);
    Op own = form.walk == Walk::Keys ? Op::Query : Op::Key;
    auto takeOwn = [&](std::vector<NodeId> &terms) {
      auto found = std::find_if(terms.begin(), terms.end(), [&](NodeId term) {
        return graph[term].op == own;
      });
      if (found == terms.end())
        return false;
      terms.erase(found);
      return true;
    };
    bool below = takeOwn(sum.plus);
    if (!below && !takeOwn(sum.minus))
      return std::nullopt;
    std::vector<bool> moving = graph.reach([](const Node &leaf) {
      return leaf.op == Op::Query || leaf.op == Op::Key || leaf.op == Op::Row;
    });
    for (const std::vector<NodeId> *terms : {&sum.plus, &sum.minus})
      for (NodeId term : *terms)
        if (moving[term])
          return std::nullopt;
    bool strict = node.op == Op::Less;
    if (below) { // own + rest < 0: own < -rest.
      LinearSum limit = sum.negated();
      limit.constant += strict ? 0 : 1;
      return OwnLimit{false, limit.build(graph)};
    }
    sum.constant += strict ? 1 : 0; // own > rest: own >= rest + 1.
    return OwnLimit{true, sum.build(graph)};
  }

  /// Takes the conditions on the own position out of the ends. False if they
  /// can't be one gate.
  bool separateGates(Conjunction &one, TileInterval &interval) {
    std::vector<OwnLimit> limits;
    for (bool isLow : {true, false}) {
      std::set<NodeId> &ends = isLow ? one.lows : one.highs;
      for (auto it = ends.begin(); it != ends.end();) {
        std::optional<NodeId> gate = gateOf(*it, isLow);
        std::optional<OwnLimit> limit = gate ? ownLimit(*gate) : std::nullopt;
        if (!limit) {
          ++it;
          continue;
        }
        limits.push_back(*limit);
        bool first = interval.gate == noNode;
        interval.gate =
            first ? *gate : graph.make(Op::And, {interval.gate, *gate});
        it = ends.erase(it);
      }
    }
    if (limits.empty())
      return true;
    for (const OwnLimit &limit : limits)
      if (limit.rising != limits.front().rising)
        return false;
    bool rising = limits.front().rising;
    interval.gateTrend = rising ? Trend::Rising : Trend::Falling;
    // The end that the gate cuts: lows of rising gates, highs of falling ones.
    std::set<NodeId> &cut = rising ? one.lows : one.highs;
    std::set<NodeId> added;
    Op own = form.walk == Walk::Keys ? Op::Query : Op::Key;
    for (NodeId end : cut)
      for (const OwnLimit &limit : limits) {
        LinearSum sum = LinearSum::of(graph, end);
        auto found =
            std::find_if(sum.plus.begin(), sum.plus.end(),
                         [&](NodeId term) { return graph[term].op == own; });
        if (found == sum.plus.end())
          continue; // Constant, or no steady end: the check below sees to it.
        sum.plus.erase(found);
        sum.plus.push_back(limit.limit);
        sum.constant -= rising ? 0 : 1;
        added.insert(tidySum(graph, sum.build(graph)));
      }
    cut.insert(added.begin(), added.end());
    return true;
  }

  void addEnds(const Conjunction &one, TileInterval &interval) {
    auto fold = [&](const std::set<NodeId> &ends, Op op, int64_t none) {
      NodeId result = graph.integer(none);
      bool first = true;
      for (NodeId end : ends) {
        result = first ? end : graph.make(op, {result, end});
        first = false;
      }
      return result;
    };
    interval.lo = fold(one.lows, Op::Max, -farAway);
    interval.hi = fold(one.highs, Op::Min, farAway);
  }

  std::optional<std::string> check(const Conjunction &one,
                                   TileInterval &interval) {
    for (NodeId end : {interval.lo, interval.hi, interval.gate})
      if (end != noNode && usesPlan[end])
        return "an end is found by searching: " + printExpression(graph, end);
    interval.loTrend = moves[interval.lo].trend;
    interval.hiTrend = moves[interval.hi].trend;
    for (NodeId end : {interval.lo, interval.hi})
      if (moves[end].trend == Trend::Unknown)
        return "an end does not move one way: " + printExpression(graph, end);
    if (isExact(one, interval))
      return std::nullopt;
    return "neighbouring intervals may lie apart: [" +
           printExpression(graph, interval.lo) + ", " +
           printExpression(graph, interval.hi) + ")";
  }

  bool isExact(const Conjunction &one, const TileInterval &interval) {
    Trend lo = interval.loTrend, hi = interval.hiTrend;
    std::vector<NodeId> lows = flatten(one.lows, Op::Max);
    std::vector<NodeId> highs = flatten(one.highs, Op::Min);
    auto every = [](const std::vector<NodeId> &ends, auto test) {
      return std::all_of(ends.begin(), ends.end(), test);
    };
    auto steady = [&](NodeId end) {
      return moves[end].trend == Trend::Constant || moves[end].unitStep;
    };
    bool allSteady = every(lows, steady) && every(highs, steady);
    if (interval.gate != noNode)
      return allSteady;
    if (lo == Trend::Constant || hi == Trend::Constant || lo != hi)
      return true;
    if (lo != Trend::Rising)
      return false;
    if (allSteady)
      return true;
    return every(lows, [&](NodeId end) { return atMostOwn(end); }) &&
           every(highs, [&](NodeId end) { return aboveOwn(end); });
  }

  std::vector<NodeId> flatten(const std::set<NodeId> &ends, Op op) const {
    std::vector<NodeId> work(ends.begin(), ends.end()), result;
    while (!work.empty()) {
      NodeId end = work.back();
      work.pop_back();
      if (graph[end].op == op)
        work.insert(work.end(), graph[end].operands.begin(),
                    graph[end].operands.end());
      else
        result.push_back(end);
    }
    return result;
  }

  bool isOwn(NodeId id) const {
    return graph[id].op == (form.walk == Walk::Keys ? Op::Query : Op::Key);
  }

  /// end <= own position, for every launch?
  bool atMostOwn(NodeId end) const {
    const Node &node = graph[end];
    if (isOwn(end))
      return true;
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
      for (int i : {0, 1}) {
        const Node &quotient = graph[node.operands[i]];
        if (quotient.op == Op::FloorDiv &&
            quotient.operands[1] == node.operands[1 - i] &&
            isPositive(graph, quotient.operands[1]) &&
            atMostOwn(quotient.operands[0]))
          return true;
      }
      return false;
    case Op::Min:
      return atMostOwn(node.operands[0]) || atMostOwn(node.operands[1]);
    case Op::Max:
      return atMostOwn(node.operands[0]) && atMostOwn(node.operands[1]);
    default:
      return false;
    }
  }

  /// end >= own position, for every launch?
  bool atLeastOwn(NodeId end) const {
    const Node &node = graph[end];
    if (isOwn(end))
      return true;
    return node.op == Op::Add && ((atLeastOwn(node.operands[0]) &&
                                   isNonNegative(graph, node.operands[1])) ||
                                  (atLeastOwn(node.operands[1]) &&
                                   isNonNegative(graph, node.operands[0])));
  }

  /// end > own position, for every launch?
  bool aboveOwn(NodeId end) const {
    const Node &node = graph[end];
    switch (node.op) {
    case Op::IntConst:
      return node.intValue >= farAway;
    case Op::Add:
      return (atLeastOwn(node.operands[0]) &&
              isPositive(graph, node.operands[1])) ||
             (atLeastOwn(node.operands[1]) &&
              isPositive(graph, node.operands[0])) ||
             (aboveOwn(node.operands[0]) &&
              isNonNegative(graph, node.operands[1])) ||
             (aboveOwn(node.operands[1]) &&
              isNonNegative(graph, node.operands[0]));
    case Op::Mul: // (x // c + 1) * c > x.
      for (int i : {0, 1}) {
        NodeId divisor = node.operands[1 - i];
        const Node &sum = graph[node.operands[i]];
        if (sum.op != Op::Add || !isPositive(graph, divisor))
          continue;
        for (int j : {0, 1}) {
          const Node &quotient = graph[sum.operands[j]];
          if (isPositive(graph, sum.operands[1 - j]) &&
              quotient.op == Op::FloorDiv && quotient.operands[1] == divisor &&
              atLeastOwn(quotient.operands[0]))
            return true;
        }
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
  std::vector<Movement> moves;
  std::vector<bool> usesPlan;
};
} // namespace

static bool listsBlocks(const Graph &graph, const TileFormula &formula) {
  return std::any_of(
      formula.nodes.begin(), formula.nodes.end(), [&](const FormulaNode &node) {
        if (node.kind != FormulaNode::Selection)
          return false;
        Selection::Kind kind = graph.selections[node.selection].kind;
        return kind == Selection::Blocks || kind == Selection::TokenBlocks;
      });
}

TileForm jacquard::analyzeTiles(const Graph &graph, Walk walk) {
  TileForm form;
  form.walk = walk;
  form.graph = graph;
  TileFormula formula = solveForWalk(form.graph, walk);
  NormalForm normal(formula);
  std::optional<Disjunction> kept = normal.of(false);
  std::optional<Disjunction> gaps = kept ? normal.of(true) : std::nullopt;
  std::string problem;
  if (kept && gaps) {
    std::optional<std::string> why = ClosedForm(form).build(*kept, *gaps);
    if (!why) {
      form.source = TileSource::Interval;
      form.reason = "every condition can be solved for the " +
                    std::string(walk == Walk::Keys ? "key" : "query") +
                    ", with ends that move one way";
      return form;
    }
    problem = *why;
  }
  form.kept.clear();
  form.gaps.clear();

  auto opaqueOf = [](const TileFormula &of) -> std::optional<NodeId> {
    for (const FormulaNode &node : of.nodes)
      if (node.kind == FormulaNode::Opaque)
        return node.node;
    return std::nullopt;
  };
  Graph other = graph;
  TileFormula across =
      solveForWalk(other, walk == Walk::Keys ? Walk::Queries : Walk::Keys);
  std::optional<NodeId> opaque = opaqueOf(formula);
  bool solvable = !opaque || !opaqueOf(across);
  if (solvable && !listsBlocks(form.graph, formula) &&
      !listsBlocks(other, across)) {
    form.source = TileSource::Bounds;
    form.reason = !problem.empty() ? problem
                  : opaque ? "solved along the other axis and transposed"
                  : formula.has(FormulaNode::Selection)
                      ? "interval ends come from a selection"
                      : "too many conditions for a closed form";
    return form;
  }
  form.source = TileSource::List;
  form.reason = opaque && solvable == false
                    ? "can't be solved for the walked position: " +
                          printExpression(form.graph, *opaque)
                    : "blocks are listed at run time";
  return form;
}

/// Names of the block's ends in place of its own position, for `explain`.
static std::string atEnd(std::string text, Walk walk, bool last) {
  std::string own = walk == Walk::Keys ? "q" : "k";
  std::string result;
  auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t i = 0; i < text.size(); ++i) {
    bool alone = text[i] == own[0] && (i == 0 || !isWord(text[i - 1])) &&
                 (i + 1 == text.size() || !isWord(text[i + 1]));
    result += text[i];
    if (alone)
      result += last ? "1" : "0";
  }
  return result;
}

static std::string printEnd(const TileForm &form, NodeId end, Trend trend,
                            bool high) {
  const Node &node = form.graph[end];
  if (node.op == Op::IntConst && std::abs(node.intValue) >= farAway)
    return node.intValue < 0 ? "start" : "end";
  bool last = (trend == Trend::Rising) == high;
  return atEnd(printExpression(form.graph, end), form.walk, last);
}

std::string TileForm::formula() const {
  if (source != TileSource::Interval)
    return "";
  auto list = [&](const std::vector<TileInterval> &intervals) {
    std::string text;
    for (const TileInterval &interval : intervals)
      text += (text.empty() ? "[" : " or [") +
              printEnd(*this, interval.lo, interval.loTrend, false) + ", " +
              printEnd(*this, interval.hi, interval.hiTrend, true) + ")" +
              (interval.gate == noNode
                   ? std::string()
                   : " if " + atEnd(printExpression(graph, interval.gate), walk,
                                    interval.gateTrend == Trend::Rising));
    return text.empty() ? std::string("nothing") : text;
  };
  std::string axis = walk == Walk::Keys ? "keys " : "queries ";
  return axis + list(kept) + "; full outside " + list(gaps);
}
