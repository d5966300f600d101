//===- PatternInliner.h - a pattern's regions as code of a kernel ---------===//
//
// Clones the scalar code of an `attn` region (keep, score, score_grad, tiles)
// to a place in a kernel. Names become numbers (`attn.get @window` ->
// `tile.param 0`), floor divisions and bit tests become plain arithmetic.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_COMPILER_LOWER_PATTERNINLINER_H
#define JACQUARD_COMPILER_LOWER_PATTERNINLINER_H

#include "dialects/Attn/IR/Attn.h"
#include "dialects/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace jacquard {

class PatternInliner {
public:
  /// `elements`: the type in memory of each tensor of the pattern, in order.
  PatternInliner(attn::PatternOp pattern, llvm::ArrayRef<mlir::Type> elements);

  /// Clones the region's only block with its arguments replaced by `arguments`;
  /// returns the operands of its terminator. `b` is the batch element. With
  /// `lane`, gradients of tensors are accumulated, where `keep` (null:
  /// everywhere) holds; without, they are left out.
  llvm::SmallVector<mlir::Value> clone(mlir::OpBuilder &builder,
                                       mlir::Region &region,
                                       mlir::ValueRange arguments,
                                       mlir::Value b, mlir::Value lane = {},
                                       mlir::Value keep = {}) const;

  /// Position of a declaration among those of its kind.
  int64_t paramIndex(llvm::StringRef name) const { return params.lookup(name); }
  int64_t tensorIndex(llvm::StringRef name) const {
    return tensors.lookup(name);
  }
  mlir::Type elementOf(int64_t tensor) const { return elements[tensor]; }

private:
  mlir::Value convert(mlir::OpBuilder &builder, mlir::Operation &op,
                      mlir::IRMapping &values, mlir::Value b) const;

  llvm::StringMap<int64_t> params, tensors, selections;
  llvm::StringMap<attn::SelectionKind> kinds;
  llvm::SmallVector<mlir::Type> elements;
};

} // namespace jacquard

#endif // JACQUARD_COMPILER_LOWER_PATTERNINLINER_H
