//===- TileVerify.cpp - the numbered constraints of the ops ---------------===//

#include "dialects/Tile/IR/Tile.h"

using namespace mlir;
using namespace jacquard::tile;

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  bool four = block.getNumArguments() == 4 &&
              llvm::all_of(block.getArgumentTypes(),
                           [](Type type) { return type.isInteger(64); });
  if (!four)
    return emitOpError("body must have four i64 arguments (b, h, block, lane)");
  return success();
}

LogicalResult ScalarOp::verify() {
  bool isScale = getKind() == ScalarKind::Scale;
  if (isScale ? getResult().getType().isF32()
              : getResult().getType().isInteger(64))
    return success();
  return emitOpError() << stringifyScalarKind(getKind()) << " must be "
                       << (isScale ? "f32" : "i64") << ", got "
                       << getResult().getType();
}

/// Does the fragment hold rows of the view (C1 of load and store)?
static LogicalResult verifyMatch(Operation *op, ViewType view, FragType frag,
                                 bool transposed) {
  if (view.isVector()) {
    if (frag.isVector() && !transposed)
      return success();
    return op->emitOpError("a view of scalars needs a vector fragment, got ")
           << frag;
  }
  if (frag.isVector())
    return op->emitOpError("a view of rows needs a tile fragment, got ")
           << frag;
  int64_t held = transposed ? frag.getRows() : frag.getCols();
  if (held >= view.getCols())
    return success();
  return op->emitOpError() << "fragment holds " << held << " of the view's "
                           << view.getCols() << " columns";
}

LogicalResult LoadOp::verify() {
  return verifyMatch(*this, getView().getType(), getResult().getType(),
                     getTransposed());
}

LogicalResult StoreOp::verify() {
  return verifyMatch(*this, getView().getType(), getFrag().getType(),
                     getTransposed());
}

LogicalResult PeekOp::verify() {
  if (getView().getType().isVector())
    return success();
  return emitOpError("needs a view of scalars, got ") << getView().getType();
}

LogicalResult MmaOp::verify() {
  int64_t rows, cols;
  if (auto stage = dyn_cast<StageType>(getA().getType())) {
    rows = stage.getRows();
    cols = stage.getCols();
  } else {
    auto frag = cast<FragType>(getA().getType());
    if (frag.isVector())
      return emitOpError("a must be a tile, got a vector");
    rows = frag.getRows();
    cols = frag.getCols();
  }
  if (getTransposed())
    std::swap(rows, cols);
  FragType b = getB().getType(), acc = getAcc().getType();
  if (b.isVector() || acc.isVector())
    return emitOpError("b and acc must be tiles, got a vector");
  if (cols != b.getRows() || rows != acc.getRows() ||
      b.getCols() != acc.getCols())
    return emitOpError() << "shapes do not agree: a is " << rows << "x" << cols
                         << ", b is " << b.getRows() << "x" << b.getCols()
                         << ", acc is " << acc.getRows() << "x"
                         << acc.getCols();
  if (!acc.getElement().isF32())
    return emitOpError("acc must be f32, got ") << acc.getElement();
  return success();
}

LogicalResult MapOp::verify() {
  Block &block = getBody().front();
  size_t inputs = getInputs().size();
  bool arguments = block.getNumArguments() == inputs + 2;
  for (size_t i = 0; arguments && i < inputs + 2; ++i) {
    Type type = block.getArgument(i).getType();
    arguments = i < inputs ? type.isF32() : type.isInteger(64);
  }
  if (!arguments)
    return emitOpError(
        "region must have one f32 argument an input and two i64");

  int64_t cols = 0, rows = 0;
  SmallVector<Type> all(getInputs().getTypes());
  llvm::append_range(all, getResults().getTypes());
  for (Type type : all) {
    auto frag = cast<FragType>(type);
    if (cols && frag.getCols() != cols)
      return emitOpError() << "columns differ: " << cols << " and "
                           << frag.getCols();
    cols = frag.getCols();
    if (frag.isVector())
      continue;
    if (rows && frag.getRows() != rows)
      return emitOpError() << "rows differ: " << rows << " and "
                           << frag.getRows();
    rows = frag.getRows();
  }
  for (Type type : getResults().getTypes())
    if (rows && cast<FragType>(type).isVector())
      return emitOpError("a map over tiles can't yield a vector");
  auto yield = cast<YieldOp>(block.getTerminator());
  if (yield.getValues().size() != getResults().size())
    return emitOpError() << "yields " << yield.getValues().size()
                         << " values for " << getResults().size() << " results";
  return success();
}

LogicalResult ReduceOp::verify() {
  FragType frag = getFrag().getType(), result = getResult().getType();
  if (result.isVector() && !frag.isVector() &&
      result.getCols() == frag.getCols())
    return success();
  return emitOpError() << "needs a tile and a vector of its columns, got "
                       << frag << " and " << result;
}

LogicalResult StorePartialOp::verify() {
  if (getFrag().getType().isVector())
    return success();
  return emitOpError("needs a vector, got ") << getFrag().getType();
}

static LogicalResult verifyStage(Operation *op, RingType ring,
                                 StageType stage) {
  if (ring.getRows() == stage.getRows() && ring.getCols() == stage.getCols() &&
      ring.getElement() == stage.getElement())
    return success();
  return op->emitOpError() << "stage " << stage << " is not one of " << ring;
}

LogicalResult AcquireOp::verify() {
  return verifyStage(*this, getRing().getType(), getStage().getType());
}

LogicalResult WaitOp::verify() {
  return verifyStage(*this, getRing().getType(), getStage().getType());
}

LogicalResult CopyOp::verify() {
  ViewType view = getView().getType();
  if (!view.isVector() && view.getCols() <= getStage().getType().getCols())
    return success();
  return emitOpError() << "view " << view << " does not fit into "
                       << getStage().getType();
}
