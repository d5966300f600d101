//===- TileAnalysis.cpp - how the tiles of a pattern are found ------------===//

#include "patterns/ClosedForm.h"

#include <algorithm>

using namespace jacquard;

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
  std::optional<Disjunction> kept = disjunctiveForm(formula, false);
  std::optional<Disjunction> gaps =
      kept ? disjunctiveForm(formula, true) : std::nullopt;
  std::string problem;
  if (kept && gaps) {
    std::optional<std::string> why = buildClosedForm(form, *kept, *gaps);
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
