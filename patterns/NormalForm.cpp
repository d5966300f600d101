//===- NormalForm.cpp - thresholds to conjunctions ------------------------===//

#include "patterns/NormalForm.h"

#include <algorithm>

using namespace jacquard;

static constexpr size_t mostConjunctions = 64;

bool Conjunction::isEmpty() const {
  return std::any_of(lows.begin(), lows.end(),
                     [&](NodeId low) { return highs.count(low); });
}

bool Conjunction::implies(const Conjunction &other) const {
  return std::includes(lows.begin(), lows.end(), other.lows.begin(),
                       other.lows.end()) &&
         std::includes(highs.begin(), highs.end(), other.highs.begin(),
                       other.highs.end());
}

/// Drops what keeps nothing and what another conjunction keeps as well.
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

namespace {
class NormalForm {
public:
  explicit NormalForm(const TileFormula &formula) : formula(formula) {}

  std::optional<Disjunction> build(uint32_t index, bool negated) {
    auto key = std::pair(index, negated);
    auto found = memo.find(key);
    if (found != memo.end())
      return found->second;
    std::optional<Disjunction> result = buildNew(index, negated);
    memo[key] = result;
    return result;
  }

private:
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

  const TileFormula &formula;
  std::map<std::pair<uint32_t, bool>, std::optional<Disjunction>> memo;
};
} // namespace

std::optional<Disjunction> jacquard::disjunctiveForm(const TileFormula &formula,
                                                     bool negated) {
  return NormalForm(formula).build(formula.nodes.size() - 1, negated);
}
