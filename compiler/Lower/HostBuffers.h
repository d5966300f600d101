//===- HostBuffers.h - where a kernel's fragments live in scratch ---------===//
//
// On the host a fragment is a row-major fp32 array in the scratch of the
// worker. Every fragment value gets a fixed offset; values that can share one
// do: an accumulator and its mma, a map and an input that is not read again, a
// loop's initial value, argument, yield and result. So loops carry no data at
// all.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_COMPILER_LOWER_HOSTBUFFERS_H
#define JACQUARD_COMPILER_LOWER_HOSTBUFFERS_H

#include "dialects/Tile/IR/Tile.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::scf {
class ForOp;
}

namespace jacquard {

/// An array in scratch: element (r, c) is at offset + 4 * (r * pitch + c).
struct HostBuffer {
  int64_t offset = 0; ///< Bytes from the scratch's start.
  int64_t rows = 1, cols = 1;
  int64_t pitch = 1; ///< Elements from a row to the next.
};

class HostBuffers {
public:
  /// Assigns every fragment and ring of the kernel. A ring's buffer holds the
  /// stages one after another.
  explicit HostBuffers(tile::KernelOp kernel);

  const HostBuffer &of(mlir::Value value) const { return buffers.at(value); }
  int64_t scratchBytes() const { return bytes; }

private:
  HostBuffer allocate(int64_t rows, int64_t cols);
  void assignBlock(mlir::Block &block);
  void assignFor(mlir::scf::ForOp loop);
  /// The buffer of `operand` if `user` may overwrite it: defined in the same
  /// block, `user` being the last to read it.
  bool diesAt(mlir::Value operand, mlir::Operation *user) const;

  llvm::DenseMap<mlir::Value, HostBuffer> buffers;
  int64_t bytes = 0;
};

} // namespace jacquard

#endif // JACQUARD_COMPILER_LOWER_HOSTBUFFERS_H
