//===- Hoist.cpp - attn-hoist: what depends on a head, a row, a key -------===//

#include "dialects/Attn/Transforms/Passes.h"

namespace jacquard::attn {
#define GEN_PASS_DEF_ATTNHOIST
#include "dialects/Attn/Transforms/Passes.h.inc"
} // namespace jacquard::attn

using namespace mlir;
using namespace jacquard::attn;

namespace {
/// A set of axes; bits, so that the union of two is their `|`.
enum Dependence : uint8_t { OnHead = 0, OnRow = 1, OnKey = 2, OnPair = 3 };

StringRef nameOf(unsigned dependence) {
  switch (dependence) {
  case OnHead:
    return "head";
  case OnRow:
    return "row";
  case OnKey:
    return "key";
  default:
    return "pair";
  }
}

/// Arguments are some floats of the pair, then b, h, g, q, k, row.
unsigned ofArgument(unsigned number, unsigned floats) {
  if (number < floats)
    return OnPair;
  switch (number - floats) {
  case 3:
  case 5:
    return OnRow;
  case 4:
    return OnKey;
  default:
    return OnHead;
  }
}

void hoist(Block &block) {
  DenseMap<Value, unsigned> dependences;
  unsigned floats = block.getNumArguments() - 6;
  for (BlockArgument argument : block.getArguments())
    dependences[argument] = ofArgument(argument.getArgNumber(), floats);
  SmallVector<Operation *> byDependence[4];
  for (Operation &op : block.without_terminator()) {
    unsigned own = OnHead;
    for (Value operand : op.getOperands())
      own |= dependences.lookup(operand);
    if (!isPure(&op)) // Effects keep their order, behind everything they read.
      own = OnPair;
    for (Value result : op.getResults())
      dependences[result] = own;
    op.setDiscardableAttr("attn.depends",
                          StringAttr::get(op.getContext(), nameOf(own)));
    byDependence[own].push_back(&op);
  }
  // Head, row, key, pair: an operand's set is within its user's, so it comes
  // first.
  for (ArrayRef<Operation *> ops : byDependence)
    for (Operation *op : ops)
      op->moveBefore(block.getTerminator());
}

struct AttnHoist : public jacquard::attn::impl::AttnHoistBase<AttnHoist> {
  void runOnOperation() override {
    for (Operation &op : getOperation().getBody().front())
      if (isa<KeepOp, ScoreOp, ScoreGradOp>(op))
        hoist(op.getRegion(0).front());
  }
};
} // namespace
