//===- HostBuffers.cpp - assigning scratch to fragments -------------------===//

#include "compiler/Lower/HostBuffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace jacquard;

/// Rows that start a power of two apart fall into few cache sets; this many
/// floats more (one cache line) spread them over all.
static constexpr int64_t lineFloats = 16;

static bool isFragment(Value value) {
  return isa<tile::FragType>(value.getType());
}

HostBuffers::HostBuffers(tile::KernelOp kernel) {
  assignBlock(kernel.getBody().front());
}

HostBuffer HostBuffers::allocate(int64_t rows, int64_t cols) {
  HostBuffer buffer;
  buffer.offset = bytes;
  buffer.rows = rows;
  buffer.cols = cols;
  buffer.pitch = llvm::alignTo(cols, lineFloats);
  if (rows > 1 && buffer.pitch % (8 * lineFloats) == 0)
    buffer.pitch += lineFloats;
  bytes += llvm::alignTo(rows * buffer.pitch * 4, 64);
  return buffer;
}

bool HostBuffers::diesAt(Value operand, Operation *user) const {
  if (operand.getParentBlock() != user->getBlock())
    return false;
  for (Operation *other : operand.getUsers()) {
    Operation *here = user->getBlock()->findAncestorOpInBlock(*other);
    bool inside = here == user && other != user; // A loop's body reads it.
    if (inside || (here != user && user->isBeforeInBlock(here)))
      return false;
  }
  return true;
}

void HostBuffers::assignBlock(Block &block) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      assignFor(loop);
      continue;
    }
    if (auto ring = dyn_cast<tile::RingOp>(op)) {
      tile::RingType type = ring.getType();
      buffers[ring] =
          allocate(type.getStages() * type.getRows(), type.getCols());
      continue;
    }
    SmallVector<Value> reusable;
    if (auto mma = dyn_cast<tile::MmaOp>(op))
      reusable.push_back(mma.getAcc());
    else if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      reusable.push_back(reduce.getInit());
    else if (auto map = dyn_cast<tile::MapOp>(op))
      llvm::append_range(reusable, map.getInputs());
    for (Value result : op.getResults()) {
      if (!isFragment(result))
        continue;
      Value *shared = llvm::find_if(reusable, [&](Value operand) {
        return operand && operand.getType() == result.getType() &&
               diesAt(operand, &op);
      });
      if (shared != reusable.end()) {
        HostBuffer buffer = buffers.at(*shared);
        buffers[result] = buffer;
        *shared = Value(); // Taken.
        continue;
      }
      auto type = cast<tile::FragType>(result.getType());
      buffers[result] = allocate(type.getRows(), type.getCols());
    }
  }
}

void HostBuffers::assignFor(scf::ForOp loop) {
  for (auto [init, arg, result] : llvm::zip_equal(
           loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    if (!isFragment(init))
      continue;
    bool takenTwice = llvm::count(loop.getInitArgs(), init) > 1;
    auto type = cast<tile::FragType>(init.getType());
    HostBuffer buffer = !takenTwice && diesAt(init, loop)
                            ? buffers.at(init)
                            : allocate(type.getRows(), type.getCols());
    buffers[arg] = buffer;
    buffers[result] = buffer;
  }
  assignBlock(*loop.getBody());
}
