//===- TileTrend.cpp - monotonicity of the ends ---------------------------===//

#include "patterns/TileTrend.h"
#include "patterns/TileFormula.h"

using namespace jacquard;

static Trend flip(Trend trend) {
  switch (trend) {
  case Trend::Rising:
    return Trend::Falling;
  case Trend::Falling:
    return Trend::Rising;
  default:
    return trend;
  }
}

/// The trend of a sum, minimum or maximum of both.
static Trend join(Trend a, Trend b) {
  if (a == Trend::Constant)
    return b;
  if (b == Trend::Constant || a == b)
    return a;
  return Trend::Unknown;
}

namespace {
struct TrendRules {
  const Graph &graph;
  Walk walk;
  std::vector<Movement> &known;

  Movement of(const Node &node) const {
    auto in = [&](size_t i) { return known[node.operands[i]]; };
    Op own = walk == Walk::Keys ? Op::Query : Op::Key;
    if (node.op == own)
      return {Trend::Rising, true};
    if (node.op == Op::Query || node.op == Op::Key || node.op == Op::Row ||
        node.op == Op::Selected || node.op == Op::Logit)
      return {Trend::Unknown, false};
    bool constant = true;
    for (NodeId operand : node.operands)
      constant = constant && known[operand].trend == Trend::Constant;
    if (constant)
      return {};
    switch (node.op) {
    case Op::Add: {
      Movement a = in(0), b = in(1);
      bool unit = (a.unitStep && b.trend == Trend::Constant) ||
                  (b.unitStep && a.trend == Trend::Constant);
      return {join(a.trend, b.trend), unit};
    }
    case Op::Sub:
      return {join(in(0).trend, flip(in(1).trend)),
              in(0).unitStep && in(1).trend == Trend::Constant};
    case Op::Neg:
      return {flip(in(0).trend), false};
    case Op::Min:
    case Op::Max:
    case Op::And:
    case Op::Or:
      return {join(in(0).trend, in(1).trend), false};
    case Op::Not:
      return {flip(in(0).trend), false};
    case Op::Mul:
      for (int i : {0, 1}) {
        const Node &factor = graph[node.operands[i]];
        if (known[node.operands[i]].trend != Trend::Constant)
          continue;
        if (isNonNegative(graph, node.operands[i]))
          return {in(1 - i).trend, false};
        if (factor.op == Op::IntConst)
          return {flip(in(1 - i).trend), false};
      }
      return {Trend::Unknown, false};
    case Op::FloorDiv:
      if (in(1).trend == Trend::Constant && isPositive(graph, node.operands[1]))
        return {in(0).trend, false};
      return {Trend::Unknown, false};
    case Op::Less:
    case Op::LessEqual:
      return {join(flip(in(0).trend), in(1).trend), false};
    case Op::Where: {
      const Node &yes = graph[node.operands[1]], &no = graph[node.operands[2]];
      if (in(0).trend == Trend::Constant)
        return {join(in(1).trend, in(2).trend), false};
      if (yes.op != Op::IntConst || no.op != Op::IntConst)
        return {Trend::Unknown, false};
      return {yes.intValue >= no.intValue ? in(0).trend : flip(in(0).trend),
              false};
    }
    default:
      return {Trend::Unknown, false};
    }
  }
};
} // namespace

std::vector<Movement> jacquard::movements(const Graph &graph, Walk walk) {
  std::vector<Movement> known;
  known.reserve(graph.nodes().size());
  TrendRules rules{graph, walk, known};
  for (const Node &node : graph.nodes())
    known.push_back(rules.of(node));
  return known;
}
