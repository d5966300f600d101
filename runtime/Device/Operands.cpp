//===- Operands.cpp - checking the caller's arrays ------------------------===//

#include "runtime/Device/Operands.h"

using namespace jacquard;

static std::string text(const std::vector<int64_t> &shape) {
  std::string result = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    result += (i ? ", " : "") + std::to_string(shape[i]);
  return result + "]";
}

Expected<OperandArg> jacquard::checkOperand(const OperandRule &rule,
                                            const TensorView &view) {
  std::string name = std::string("`") + rule.name + "`";
  auto wrong = [&](std::string code, std::string message) {
    return makeError(ErrorKind::Invalid, std::move(code), name + " " + message,
                     {"its shape is " + text(view.shape)});
  };
  if (view.type != rule.type)
    return wrong("E0311", "holds " + std::string(elementName(view.type)) +
                              ", expected " +
                              std::string(elementName(rule.type)));
  size_t rank = rule.dim ? 4 : 3;
  if (view.shape.size() != rank)
    return wrong("E0312", "has " + std::to_string(view.shape.size()) +
                              " axes, expected " + std::to_string(rank));
  const char *axes[] = {"batch", "heads", "length", "head dim"};
  int64_t sizes[] = {rule.batch, rule.heads, rule.length, rule.dim};
  for (size_t i = 0; i < rank; ++i) {
    bool broadcast = rule.mayBroadcast && i == 0 && view.shape[i] == 1;
    if (view.shape[i] != sizes[i] && !broadcast)
      return wrong("E0312", std::string("has ") + axes[i] + " " +
                                std::to_string(view.shape[i]) + ", expected " +
                                std::to_string(sizes[i]));
  }
  std::vector<int64_t> strides =
      view.strides.empty() ? ArrayView::contiguous(view.shape) : view.strides;
  if (strides.size() != rank)
    return wrong("E0313", "has " + std::to_string(strides.size()) +
                              " strides, expected " + std::to_string(rank));
  int64_t elements = 1;
  for (int64_t extent : view.shape)
    elements *= extent;
  if (rule.dim > 1 && strides[3] != 1 && elements)
    return wrong("E0313", "has stride " + std::to_string(strides[3]) +
                              " along the head dim, expected 1");
  if (rule.isOutput && elements)
    for (size_t i = 0; i < rank; ++i)
      if (strides[i] == 0 && view.shape[i] > 1)
        return wrong("E0313",
                     std::string("is written, but has stride 0 along ") +
                         axes[i]);
  if (!view.data && elements)
    return wrong("E0306", "is not given");
  OperandArg arg;
  arg.data = view.data;
  arg.batchStride = view.shape[0] == 1 ? 0 : strides[0];
  arg.headStride = strides[1];
  arg.rowStride = strides[2];
  return arg;
}
