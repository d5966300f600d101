//===- PositionSets.h - what one position keeps along the walked axis -----===//
//
// Evaluates a solved formula at one position of the block's own axis, as sets
// of walked positions: those certainly kept and those possibly kept. They
// differ only where the formula has opaque conditions.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_POSITIONSETS_H
#define JACQUARD_PATTERNS_POSITIONSETS_H

#include "patterns/IntervalSet.h"
#include "patterns/TileFormula.h"

namespace jacquard {

struct KeptSet {
  IntervalSet certain, possible;
  bool operator==(const KeptSet &) const = default;
};

class PositionSets {
public:
  /// `graph` holds the nodes of the formula's thresholds.
  PositionSets(const Graph &graph, const TileFormula &formula,
               const Bindings &bindings);

  void setHead(int64_t b, int64_t h);
  /// The sets at an own position: a query row (walking keys) or a key.
  const KeptSet &at(int64_t rowOrKey);

  /// Walked positions of batch element b: keys, or q positions.
  Interval range() const { return valid; }

private:
  void evaluate(size_t index);
  KeptSet listed(const FormulaNode &node) const;

  const Graph &graph;
  const TileFormula &formula;
  const Bindings &bindings;
  Evaluator evaluator;
  int64_t b = 0, h = 0, own = 0;
  Interval valid;
  std::vector<bool>
      perHead; ///< Nodes that do not change with the own position.
  std::vector<KeptSet> sets;
  bool headDone = false;
};

} // namespace jacquard

#endif // JACQUARD_PATTERNS_POSITIONSETS_H
