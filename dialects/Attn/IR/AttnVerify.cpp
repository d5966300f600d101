//===- AttnVerify.cpp - the numbered constraints of the ops ---------------===//

#include "dialects/Attn/IR/Attn.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace jacquard;
using namespace jacquard::attn;

PatternOp attn::patternAround(Operation *op) {
  if (auto pattern = op->getParentOfType<PatternOp>())
    return pattern;
  if (auto tiles = op->getParentOfType<TilesOp>())
    return SymbolTable::lookupNearestSymbolFrom<PatternOp>(tiles->getParentOp(),
                                                           tiles.getOfAttr());
  return {};
}

/// The declaration of `name` in the pattern around `op`; an error if there is
/// none.
template <typename Declaration>
static FailureOr<Declaration> declared(Operation *op, FlatSymbolRefAttr name,
                                       StringRef what) {
  PatternOp pattern = patternAround(op);
  if (!pattern)
    return op->emitOpError("must stand in a pattern"), failure();
  auto found = pattern.lookupSymbol<Declaration>(name.getAttr());
  if (!found)
    return op->emitOpError() << "names no " << what << " of @"
                             << pattern.getSymName() << ": " << name,
           failure();
  return found;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

LogicalResult PatternOp::verify() {
  Block &block = getBody().front();
  auto atMostOne = [&](auto ops, StringRef name) -> LogicalResult {
    if (llvm::range_size(ops) <= 1)
      return success();
    return emitOpError() << "has more than one " << name << " region";
  };
  if (failed(atMostOne(block.getOps<KeepOp>(), "keep")) ||
      failed(atMostOne(block.getOps<ScoreOp>(), "score")) ||
      failed(atMostOne(block.getOps<ScoreGradOp>(), "score_grad")))
    return failure();
  if (!getSink())
    return success();
  auto tensor = lookupSymbol<TensorOp>(*getSink());
  if (!tensor)
    return emitOpError() << "sink names no tensor of the pattern: @"
                         << *getSink();
  bool perHead = tensor.getAxes().size() == 1 &&
                 cast<StringAttr>(tensor.getAxes()[0]).getValue() == "heads";
  if (tensor.getElement().isF32() && perHead)
    return success();
  return emitOpError() << "sink @" << *getSink()
                       << " must be f32 over the heads";
}

LogicalResult ParamOp::verify() {
  if (getType().isInteger(64) || getType().isInteger(1) || getType().isF32())
    return success();
  return emitOpError("type must be i64, f32 or i1, got ") << getType();
}

LogicalResult TensorOp::verify() {
  if (!getElement().isInteger(64) && !getElement().isF32())
    return emitOpError("element must be i64 or f32, got ") << getElement();
  if (getAxes().size() > 4)
    return emitOpError("has ")
           << getAxes().size() << " axes; at most 4 are allowed";
  for (auto axis : getAxes().getAsRange<StringAttr>()) {
    int64_t number;
    bool known = llvm::is_contained(
        {"batch", "heads", "kv_heads", "q_len", "k_len"}, axis.getValue());
    if (!known && (axis.getValue().getAsInteger(10, number) || number <= 0))
      return emitOpError(
                 "axis must be batch, heads, kv_heads, q_len, k_len or a "
                 "positive number, got ")
             << axis;
  }
  if (getGrad() && !getElement().isF32())
    return emitOpError("grad needs f32, got ") << getElement();
  if (getSorted() && (!getElement().isInteger(64) || getAxes().empty()))
    return emitOpError("sorted needs i64 and an axis");
  return success();
}

LogicalResult SelectionOp::verify() {
  bool wantsQ = getKind() == SelectionKind::Blocks;
  bool wantsK = wantsQ || getKind() == SelectionKind::TokenBlocks;
  for (auto [name, size, wanted] :
       {std::tuple(StringRef("q_block"), getQBlockAttr(), wantsQ),
        std::tuple(StringRef("k_block"), getKBlockAttr(), wantsK)}) {
    if (wanted != static_cast<bool>(size))
      return emitOpError() << stringifySelectionKind(getKind())
                           << (wanted ? " needs " : " takes no ") << name;
    if (!size)
      continue;
    if (auto number = dyn_cast<IntegerAttr>(size)) {
      if (number.getInt() > 0)
        continue;
      return emitOpError() << name << " must be positive, got "
                           << number.getInt();
    }
    auto symbol = dyn_cast<FlatSymbolRefAttr>(size);
    auto pattern = (*this)->getParentOfType<PatternOp>();
    ParamOp param =
        symbol ? pattern.lookupSymbol<ParamOp>(symbol.getAttr()) : ParamOp();
    if (!param || !param.getType().isInteger(64))
      return emitOpError() << name
                           << " must be a number or an i64 parameter, got "
                           << size;
  }
  return success();
}

/// Leading f32 arguments, then six i64; one value of the given kind.
static LogicalResult verifyRegion(Operation *op, Region &region,
                                  unsigned floats, bool yieldsBool) {
  Block &block = region.front();
  bool fits = block.getNumArguments() == floats + 6;
  for (unsigned i = 0; fits && i < floats + 6; ++i) {
    Type type = block.getArgument(i).getType();
    fits = i < floats ? type.isF32() : type.isInteger(64);
  }
  if (!fits)
    return op->emitOpError("arguments must be ")
           << (floats == 0 ? "six i64 (b, h, g, q, k, row)"
               : floats == 1
                   ? "f32 (s), then six i64 (b, h, g, q, k, row)"
                   : "two f32 (s, ds), then six i64 (b, h, g, q, k, row)");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  Type type = yield ? yield.getValue().getType() : Type();
  if (type && (yieldsBool ? type.isInteger(1) : type.isF32()))
    return success();
  return op->emitOpError("must yield ") << (yieldsBool ? "i1" : "f32");
}

LogicalResult KeepOp::verify() {
  return verifyRegion(*this, getBody(), 0, true);
}
LogicalResult ScoreOp::verify() {
  return verifyRegion(*this, getBody(), 1, false);
}
LogicalResult ScoreGradOp::verify() {
  return verifyRegion(*this, getBody(), 2, false);
}

LogicalResult TilesOp::verify() {
  if (!SymbolTable::lookupNearestSymbolFrom<PatternOp>((*this)->getParentOp(),
                                                       getOfAttr()))
    return emitOpError("names no pattern: @") << getOf();
  Block &block = getBody().front();
  bool five = block.getNumArguments() == 5 &&
              llvm::all_of(block.getArgumentTypes(),
                           [](Type type) { return type.isInteger(64); });
  if (!five)
    return emitOpError("arguments must be five i64 (b, h, g, first, last)");
  auto intervals = dyn_cast<IntervalsOp>(block.getTerminator());
  if (!intervals)
    return emitOpError("must end in attn.intervals");
  if (getSource() == TileSourceKind::Interval ||
      intervals->getNumOperands() == 0)
    return success();
  return emitOpError("yields intervals, but its source is ")
         << stringifyTileSourceKind(getSource());
}

LogicalResult IntervalsOp::verify() {
  if (getKept().size() % 2 == 0 && getGaps().size() % 2 == 0)
    return success();
  return emitOpError("needs pairs of ends, got ")
         << getKept().size() << " kept and " << getGaps().size() << " gap ends";
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

LogicalResult GetOp::verify() {
  FailureOr<ParamOp> param =
      declared<ParamOp>(*this, getParamAttr(), "parameter");
  if (failed(param))
    return failure();
  if (param->getType() == getResult().getType())
    return success();
  return emitOpError() << getParamAttr() << " is " << param->getType()
                       << ", not " << getResult().getType();
}

static LogicalResult verifyAccess(Operation *op, TensorOp tensor,
                                  size_t indices, Type type) {
  if (tensor.getElement() != type)
    return op->emitOpError() << "@" << tensor.getSymName() << " holds "
                             << tensor.getElement() << ", not " << type;
  if (tensor.getAxes().size() != indices)
    return op->emitOpError()
           << "@" << tensor.getSymName() << " has " << tensor.getAxes().size()
           << " axes, got " << indices << " indices";
  return success();
}

LogicalResult LoadOp::verify() {
  FailureOr<TensorOp> tensor =
      declared<TensorOp>(*this, getTensorAttr(), "tensor");
  if (failed(tensor))
    return failure();
  return verifyAccess(*this, *tensor, getIndices().size(),
                      getResult().getType());
}

LogicalResult AccumulateOp::verify() {
  FailureOr<TensorOp> tensor =
      declared<TensorOp>(*this, getTensorAttr(), "tensor");
  if (failed(tensor))
    return failure();
  if (!tensor->getGrad())
    return emitOpError() << "@" << tensor->getSymName()
                         << " is not marked grad";
  return verifyAccess(*this, *tensor, getIndices().size(),
                      getValue().getType());
}

LogicalResult SelectedOp::verify() {
  return success(
      succeeded(declared<SelectionOp>(*this, getSelectionAttr(), "selection")));
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

static FailureOr<PatternOp> patternOf(Operation *op, FlatSymbolRefAttr name) {
  auto pattern = SymbolTable::lookupNearestSymbolFrom<PatternOp>(op, name);
  if (!pattern)
    return op->emitOpError("names no pattern: ") << name, failure();
  return pattern;
}

/// The static last axis of a value, within the limit.
static LogicalResult verifyDim(Operation *op, StringRef name, Value value,
                               int64_t &dim) {
  int64_t own = cast<RankedTensorType>(value.getType()).getShape().back();
  if (ShapedType::isDynamic(own) || own < 1 || own > largestHeadDim)
    return op->emitOpError()
           << name << " has head dim "
           << (ShapedType::isDynamic(own) ? std::string("?")
                                          : std::to_string(own))
           << "; a number from 1 to " << largestHeadDim << " is needed";
  if (dim && own != dim)
    return op->emitOpError()
           << name << " has head dim " << own << ", expected " << dim;
  dim = own;
  return success();
}

/// C2 and C3: named values that share a head dim each, all of one element type.
static LogicalResult
verifyOperands(Operation *op, ArrayRef<std::pair<StringRef, Value>> keyed,
               ArrayRef<std::pair<StringRef, Value>> valued) {
  Type element = getElementTypeOrSelf(keyed.front().second.getType());
  for (ArrayRef<std::pair<StringRef, Value>> group : {keyed, valued}) {
    int64_t dim = 0;
    for (auto [name, value] : group) {
      if (failed(verifyDim(op, name, value, dim)))
        return failure();
      Type own = getElementTypeOrSelf(value.getType());
      if (own != element)
        return op->emitOpError()
               << name << " holds " << own << ", expected " << element;
    }
  }
  return success();
}

LogicalResult ForwardOp::verify() {
  if (failed(patternOf(*this, getPatternAttr())))
    return failure();
  return verifyOperands(*this, {{"q", getQ()}, {"k", getK()}},
                        {{"v", getV()}, {"out", getOut()}});
}

LogicalResult PreprocessOp::verify() {
  FailureOr<PatternOp> pattern = patternOf(*this, getPatternAttr());
  if (failed(pattern))
    return failure();
  if (pattern->getSink().has_value() != static_cast<bool>(getDsink()))
    return emitOpError("has ")
           << (getDsink() ? "a" : "no") << " sink gradient, but @"
           << getPattern() << " has " << (getDsink() ? "no" : "a") << " sink";
  if (getDsink() && cast<RankedTensorType>(getDsink().getType()).getRank() != 1)
    return emitOpError("the sink's gradient must have one axis, got ")
           << getDsink().getType();
  return verifyOperands(*this, {{"out", getOut()}, {"dout", getDout()}}, {});
}

LogicalResult BackwardOp::verify() {
  FailureOr<PatternOp> pattern = patternOf(*this, getPatternAttr());
  if (failed(pattern))
    return failure();
  if (failed(verifyOperands(
          *this,
          {{"q", getQ()}, {"k", getK()}, {"dq", getDq()}, {"dk", getDk()}},
          {{"v", getV()}, {"dout", getDout()}, {"dv", getDv()}})))
    return failure();
  SmallVector<TensorOp> marked;
  for (auto tensor : pattern->getBody().front().getOps<TensorOp>())
    if (tensor.getGrad() && tensor.getSymName() != pattern->getSink())
      marked.push_back(tensor);
  if (marked.size() != getGradients().size())
    return emitOpError("has ")
           << getGradients().size() << " tensor gradients, but @"
           << getPattern() << " marks " << marked.size();
  for (auto [tensor, gradient] : llvm::zip(marked, getGradients())) {
    size_t rank = cast<RankedTensorType>(gradient.getType()).getRank();
    if (rank != tensor.getAxes().size())
      return emitOpError("the gradient of @")
             << tensor.getSymName() << " has " << rank << " axes, expected "
             << tensor.getAxes().size();
  }
  return success();
}

LogicalResult ClassifyOp::verify() {
  if (failed(patternOf(*this, getPatternAttr())))
    return failure();
  if (static_cast<int64_t>(getRows()) > 0 &&
      static_cast<int64_t>(getKeys()) > 0)
    return success();
  return emitOpError("rows and keys must be positive");
}

LogicalResult CombineOp::verify() {
  if (getOuts().empty() || getOuts().size() != getLses().size())
    return emitOpError("needs as many lses as outs, at least one; got ")
           << getOuts().size() << " outs and " << getLses().size() << " lses";
  if (!llvm::all_equal(getOuts().getTypes()) ||
      getOuts().front().getType() != getOut().getType())
    return emitOpError("outs must be of one type, that of the result");
  if (!llvm::all_equal(getLses().getTypes()) ||
      getLses().front().getType() != getLse().getType())
    return emitOpError("lses must be of one type, that of the result");
  return success();
}
