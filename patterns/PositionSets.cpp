//===- PositionSets.cpp - set algebra over a solved formula ---------------===//

#include "patterns/PositionSets.h"

using namespace jacquard;

PositionSets::PositionSets(const Graph &graph, const TileFormula &formula,
                           const Bindings &bindings)
    : graph(graph), formula(formula), bindings(bindings),
      evaluator(graph, bindings), perHead(formula.nodes.size()),
      sets(formula.nodes.size()) {
  std::vector<bool> moves = graph.reach([](const Node &node) {
    return node.op == Op::Query || node.op == Op::Row || node.op == Op::Key;
  });
  for (size_t i = 0; i < formula.nodes.size(); ++i) {
    const FormulaNode &node = formula.nodes[i];
    switch (node.kind) {
    case FormulaNode::Constant:
    case FormulaNode::Opaque:
      perHead[i] = true;
      break;
    case FormulaNode::Below:
      perHead[i] = !moves[node.node];
      break;
    case FormulaNode::Selection:
      perHead[i] = false;
      break;
    case FormulaNode::And:
    case FormulaNode::Or:
    case FormulaNode::Not:
      perHead[i] = perHead[node.left] && perHead[node.right];
      break;
    }
  }
}

void PositionSets::setHead(int64_t batch, int64_t head) {
  b = batch;
  h = head;
  evaluator.setHead(b, h);
  if (formula.walk == Walk::Keys) {
    valid = {0, bindings.shape.kLenOf(b)};
  } else {
    int64_t offset = bindings.shape.qOffsetOf(b);
    valid = {offset, offset + bindings.shape.qLenOf(b)};
  }
  headDone = false;
}

const KeptSet &PositionSets::at(int64_t rowOrKey) {
  own = rowOrKey;
  formula.walk == Walk::Keys ? evaluator.setRow(own) : evaluator.setKey(own);
  for (size_t i = 0; i < formula.nodes.size(); ++i)
    if (!perHead[i] || !headDone)
      evaluate(i);
  headDone = true;
  return sets.back();
}

void PositionSets::evaluate(size_t index) {
  const FormulaNode &node = formula.nodes[index];
  KeptSet &set = sets[index];
  IntervalSet all(valid.begin, valid.end);
  switch (node.kind) {
  case FormulaNode::Constant:
    set.certain = set.possible = node.value ? all : IntervalSet();
    return;
  case FormulaNode::Below: {
    int64_t end = std::min(evaluator.evalInt(node.node), valid.end);
    set.certain = set.possible = IntervalSet(valid.begin, end);
    return;
  }
  case FormulaNode::Opaque:
    set.certain = IntervalSet();
    set.possible = all;
    return;
  case FormulaNode::Selection:
    set = listed(node);
    return;
  case FormulaNode::And:
    set.certain = sets[node.left].certain.intersect(sets[node.right].certain);
    set.possible =
        sets[node.left].possible.intersect(sets[node.right].possible);
    return;
  case FormulaNode::Or:
    set.certain = sets[node.left].certain.unite(sets[node.right].certain);
    set.possible = sets[node.left].possible.unite(sets[node.right].possible);
    return;
  case FormulaNode::Not: {
    const KeptSet &of = sets[node.left];
    IntervalSet certain = of.possible.complement(valid.begin, valid.end);
    set.possible = of.certain.complement(valid.begin, valid.end);
    set.certain = std::move(certain);
    return;
  }
  }
}

KeptSet PositionSets::listed(const FormulaNode &node) const {
  const Selection &decl = graph.selections[node.selection];
  const ArrayView &view = bindings.selections[node.selection];
  if (std::find(view.shape.begin(), view.shape.end(), 0) != view.shape.end())
    return {};
  auto size = [&](const SizeRef &ref) {
    return ref.param ? bindings.params[*ref.param].intValue : ref.literal;
  };
  bool blocks =
      decl.kind == Selection::Blocks || decl.kind == Selection::TokenBlocks;
  int64_t second = h, third = own;
  if (decl.kind == Selection::TokenBlocks)
    second = h / (bindings.shape.heads / bindings.shape.kvHeads);
  if (decl.kind == Selection::Blocks)
    third = own / size(decl.qBlock);
  int64_t at[3] = {b, second, third}, base = 0;
  for (int i = 0; i < 3; ++i)
    base += std::clamp<int64_t>(at[i], 0, view.shape[i] - 1) * view.strides[i];
  const auto *data = static_cast<const int32_t *>(view.data) + base;
  int64_t shift =
      formula.walk == Walk::Queries ? bindings.shape.qOffsetOf(b) : 0;
  std::vector<Interval> found;
  for (int64_t n = 0; n < view.shape[3]; ++n) {
    const int32_t *entry = data + n * view.strides[3];
    Interval part;
    if (blocks) {
      int64_t block = size(decl.kBlock);
      if (*entry < 0)
        continue;
      part = {*entry * block, (*entry + 1) * block};
    } else {
      part = {entry[0] + shift, entry[view.strides[4]] + shift};
    }
    part.begin = std::max(part.begin, valid.begin);
    part.end = std::min(part.end, valid.end);
    if (part.begin < part.end)
      found.push_back(part);
  }
  IntervalSet set(std::move(found));
  return {set, set};
}
