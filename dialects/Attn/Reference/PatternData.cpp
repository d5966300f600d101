//===- PatternData.cpp - reading tensors and selections -------------------===//

#include "dialects/Attn/Reference/PatternData.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>

using namespace jacquard;
using namespace jacquard::attn;

PatternData::PatternData(PatternOp pattern, const Bindings &bindings) {
  for (mlir::Operation &op : pattern.getBody().front()) {
    if (auto param = llvm::dyn_cast<ParamOp>(op))
      params.try_emplace(param.getSymName(), params.size());
    else if (auto tensor = llvm::dyn_cast<TensorOp>(op))
      tensors.try_emplace(tensor.getSymName(), tensors.size());
  }
  auto size = [&](mlir::Attribute attribute) -> int64_t {
    if (auto number = llvm::dyn_cast_or_null<mlir::IntegerAttr>(attribute))
      return number.getInt();
    if (auto name = llvm::dyn_cast_or_null<mlir::FlatSymbolRefAttr>(attribute))
      return bindings.params[paramIndex(name.getValue())].intValue;
    return 1;
  };
  for (auto selection : pattern.getBody().front().getOps<SelectionOp>()) {
    uint32_t index = data.size();
    selections.try_emplace(selection.getSymName(), index);
    data.push_back({selection.getKind(), size(selection.getQBlockAttr()),
                    size(selection.getKBlockAttr()),
                    &bindings.selections[index]});
  }
}

static int64_t clampTo(int64_t index, int64_t extent) {
  return std::clamp<int64_t>(index, 0, extent - 1);
}

static bool isEmpty(const std::vector<int64_t> &shape) {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

bool SelectionData::contains(const PairPlace &place) const {
  if (isEmpty(view->shape))
    return false;
  bool perToken = kind == SelectionKind::TokenBlocks;
  bool perColumn = kind == SelectionKind::ColumnIntervals;
  int64_t owner = place.row, sought = place.k;
  if (kind == SelectionKind::Blocks)
    owner = floorDivide(place.row, qBlock).quotient;
  if (kind == SelectionKind::Blocks || perToken)
    sought = floorDivide(place.k, kBlock).quotient;
  if (perColumn)
    std::swap(owner, sought);
  const std::vector<int64_t> &shape = view->shape, &strides = view->strides;
  const auto *list =
      static_cast<const int32_t *>(view->data) +
      clampTo(place.b, shape[0]) * strides[0] +
      clampTo(perToken ? place.g : place.h, shape[1]) * strides[1] +
      clampTo(owner, shape[2]) * strides[2];
  for (int64_t n = 0; n < shape[3]; ++n) {
    const int32_t *entry = list + n * strides[3];
    bool found = perColumn || kind == SelectionKind::RowIntervals
                     ? entry[0] <= sought && sought < entry[strides[4]]
                     : *entry == sought;
    if (found)
      return true;
  }
  return false;
}

ScalarValue jacquard::attn::loadElement(const ArrayView &view,
                                        const std::vector<int64_t> &indices) {
  if (isEmpty(view.shape))
    return {};
  int64_t offset = 0;
  for (size_t axis = 0; axis < indices.size(); ++axis)
    offset += clampTo(indices[axis], view.shape[axis]) * view.strides[axis];
  if (view.type == ElementType::I32)
    return {static_cast<const int32_t *>(view.data)[offset], 0};
  return {0, readFloat(view.data, view.type, offset)};
}

void jacquard::attn::accumulateElement(ReferenceArray &gradient,
                                       const std::vector<int64_t> &indices,
                                       double value) {
  if (isEmpty(gradient.shape))
    return;
  int64_t offset = 0;
  for (size_t axis = 0; axis < indices.size(); ++axis)
    offset = offset * gradient.shape[axis] +
             clampTo(indices[axis], gradient.shape[axis]);
  gradient.data[offset] += value;
}
