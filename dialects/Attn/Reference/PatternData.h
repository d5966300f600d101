//===- PatternData.h - run-time data by the names of a pattern --*- C++ -*-===//
#ifndef JACQUARD_DIALECTS_ATTN_REFERENCE_PATTERNDATA_H
#define JACQUARD_DIALECTS_ATTN_REFERENCE_PATTERNDATA_H

#include "dialects/Attn/Reference/ScalarProgram.h"

#include "llvm/ADT/StringMap.h"

namespace jacquard::attn {

/// A selection's data with its block sizes known.
struct SelectionData {
  SelectionKind kind = SelectionKind::Blocks;
  int64_t qBlock = 1, kBlock = 1;
  const ArrayView *view = nullptr;

  bool contains(const PairPlace &place) const;
};

/// Positions of a pattern's declarations among those of their kind: the order
/// of `Bindings`.
class PatternData {
public:
  PatternData(PatternOp pattern, const Bindings &bindings);

  uint32_t paramIndex(llvm::StringRef name) const {
    return params.lookup(name);
  }
  uint32_t tensorIndex(llvm::StringRef name) const {
    return tensors.lookup(name);
  }
  uint32_t selectionIndex(llvm::StringRef name) const {
    return selections.lookup(name);
  }
  const SelectionData &selection(uint32_t index) const { return data[index]; }

private:
  llvm::StringMap<uint32_t> params, tensors, selections;
  std::vector<SelectionData> data;
};

/// The element at `indices`, each clamped to its axis; 0 if an axis is empty.
ScalarValue loadElement(const ArrayView &view,
                        const std::vector<int64_t> &indices);

/// Adds to the element that `loadElement` reads.
void accumulateElement(ReferenceArray &gradient,
                       const std::vector<int64_t> &indices, double value);

} // namespace jacquard::attn

#endif // JACQUARD_DIALECTS_ATTN_REFERENCE_PATTERNDATA_H
