//===- AttnFolds.cpp - constant folding of the scalar ops -----------------===//

#include "dialects/Attn/IR/Attn.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace jacquard::attn;

static std::optional<int64_t> constantOf(Attribute attr) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getInt();
  return std::nullopt;
}

static IntegerAttr integer(Operation *op, int64_t value) {
  return IntegerAttr::get(IntegerType::get(op->getContext(), 64), value);
}

/// Quotient and remainder rounded to minus infinity; 0 and 0 for a divisor of
/// 0.
static std::pair<int64_t, int64_t> floorDivide(int64_t a, int64_t b) {
  if (b == 0)
    return {0, 0};
  if (b == -1) // The quotient of the lowest number would not fit.
    return {static_cast<int64_t>(0 - static_cast<uint64_t>(a)), 0};
  int64_t quotient = a / b, remainder = a % b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) {
    --quotient;
    remainder += b;
  }
  return {quotient, remainder};
}

OpFoldResult FloorDivOp::fold(FoldAdaptor adaptor) {
  std::optional<int64_t> a = constantOf(adaptor.getLhs());
  std::optional<int64_t> b = constantOf(adaptor.getRhs());
  if (b == 1)
    return getLhs();
  if (b == 0)
    return integer(*this, 0);
  if (a && b)
    return integer(*this, floorDivide(*a, *b).first);
  return {};
}

OpFoldResult ModOp::fold(FoldAdaptor adaptor) {
  std::optional<int64_t> a = constantOf(adaptor.getLhs());
  std::optional<int64_t> b = constantOf(adaptor.getRhs());
  if (b == 1 || b == 0)
    return integer(*this, 0);
  if (a && b)
    return integer(*this, floorDivide(*a, *b).second);
  return {};
}

OpFoldResult BitOp::fold(FoldAdaptor adaptor) {
  std::optional<int64_t> value = constantOf(adaptor.getValue());
  std::optional<int64_t> index = constantOf(adaptor.getIndex());
  if (index && (*index < 0 || *index >= 32))
    return BoolAttr::get(getContext(), false);
  if (value && index)
    return BoolAttr::get(getContext(), (*value >> *index) & 1);
  return {};
}
