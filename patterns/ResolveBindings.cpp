//===- ResolveBindings.cpp - checking a launch against the declarations ---===//

#include "patterns/Bindings.h"
#include "patterns/Declarations.h"

#include <algorithm>
#include <cmath>

using namespace jacquard;

std::string_view jacquard::elementName(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return "f32";
  case ElementType::F16:
    return "f16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::I32:
    return "int32";
  }
  return "";
}

static Error invalid(std::string code, std::string message,
                     std::vector<std::string> notes = {}) {
  return makeError(ErrorKind::Invalid, std::move(code), std::move(message),
                   std::move(notes));
}

static std::string quoted(const std::string &name) { return "`" + name + "`"; }

static std::string number(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15)
    return std::to_string(static_cast<int64_t>(value));
  return std::to_string(value);
}

static Status checkLengths(const char *name,
                           const std::vector<int64_t> &lengths, int64_t batch,
                           int64_t longest) {
  if (lengths.empty())
    return {};
  if (static_cast<int64_t>(lengths.size()) != batch)
    return invalid(
        "E0302", std::string(name) + " has " + std::to_string(lengths.size()) +
                     " lengths for a batch of " + std::to_string(batch));
  for (int64_t length : lengths)
    if (length < 0 || length > longest)
      return invalid("E0302", std::string(name) + " has a length of " +
                                  std::to_string(length) + "; 0 to " +
                                  std::to_string(longest) + " is allowed");
  return {};
}

/// Positions are 32-bit values; what is computed from two of them must not be
/// large.
static constexpr int64_t longestSequence = int64_t(1) << 30;

static Status resolveShape(ProblemShape &shape, Align align) {
  for (auto [name, size] : {std::pair("batch", shape.batch),
                            {"heads", shape.heads},
                            {"kv_heads", shape.kvHeads}})
    if (size < 0)
      return invalid("E0301",
                     std::string(name) + " is " + std::to_string(size));
  for (auto [name, size] :
       {std::pair("q_len", shape.qLen), {"k_len", shape.kLen}})
    if (size < 0 || size > longestSequence)
      return invalid("E0302", std::string(name) + " is " +
                                  std::to_string(size) + "; 0 to " +
                                  std::to_string(longestSequence) +
                                  " is allowed");
  if (shape.kvHeads == 0 ? shape.heads != 0 : shape.heads % shape.kvHeads != 0)
    return invalid("E0303",
                   std::to_string(shape.heads) +
                       " query heads can't be shared by " +
                       std::to_string(shape.kvHeads) +
                       " KV heads: the first must be a multiple of the "
                       "second");
  if (Status status =
          checkLengths("q_lens", shape.qLens, shape.batch, shape.qLen);
      !status)
    return status;
  if (Status status =
          checkLengths("k_lens", shape.kLens, shape.batch, shape.kLen);
      !status)
    return status;

  if (!shape.qOffsets.empty()) {
    if (shape.qOffsets.size() == 1)
      shape.qOffsets.resize(std::max<int64_t>(shape.batch, 1),
                            shape.qOffsets[0]);
    if (static_cast<int64_t>(shape.qOffsets.size()) !=
        std::max<int64_t>(shape.batch, 1))
      return invalid(
          "E0304", "q_offset has " + std::to_string(shape.qOffsets.size()) +
                       " values for a batch of " + std::to_string(shape.batch));
    for (int64_t offset : shape.qOffsets)
      if (offset < -longestSequence || offset > longestSequence)
        return invalid("E0304", "q_offset is " + std::to_string(offset) +
                                    "; its size is limited to " +
                                    std::to_string(longestSequence));
    return {};
  }
  for (int64_t b = 0; b < std::max<int64_t>(shape.batch, 1); ++b) {
    int64_t qLen = b < shape.batch ? shape.qLenOf(b) : shape.qLen;
    int64_t kLen = b < shape.batch ? shape.kLenOf(b) : shape.kLen;
    if (align == Align::Unset && qLen != kLen)
      return invalid("E0304",
                     "q_len " + std::to_string(qLen) + " and k_len " +
                         std::to_string(kLen) +
                         " differ: where do the queries stand among the keys?",
                     {"give q_offset, or align: \"top_left\" (offset 0) or "
                      "\"bottom_right\" (offset k_len - q_len)"});
    shape.qOffsets.push_back(align == Align::BottomRight ? kLen - qLen : 0);
  }
  return {};
}

static Status checkParam(const Param &decl, ParamValue &value) {
  if (decl.type == Scalar::Float)
    value.floatValue = static_cast<float>(value.floatValue);
  else
    value.floatValue = static_cast<double>(value.intValue);
  double given = value.floatValue;
  if (std::isnan(given))
    return invalid("E0305",
                   "parameter " + quoted(decl.name) + " is not a number");
  if (decl.type == Scalar::Int &&
      (given < -2147483648.0 || given > 2147483647.0))
    return invalid("E0305", "parameter " + quoted(decl.name) + " is " +
                                number(given) + ", which is no 32-bit int");
  if (decl.min && given < *decl.min)
    return invalid("E0305", "parameter " + quoted(decl.name) + " must be >= " +
                                number(*decl.min) + ", got " + number(given));
  if (decl.max && given > *decl.max)
    return invalid("E0305", "parameter " + quoted(decl.name) + " must be <= " +
                                number(*decl.max) + ", got " + number(given));
  return {};
}

static std::string describe(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

namespace {
/// What an axis must measure: exactly, or 1.
struct AxisRule {
  std::string name;
  int64_t size;
};
} // namespace

static Status checkAxes(const std::string &what, const ArrayView &view,
                        const std::vector<AxisRule> &axes) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (view.shape[i] != axes[i].size && view.shape[i] != 1)
      return invalid(
          "E0307",
          what + " has " + std::to_string(view.shape[i]) + " along axis " +
              std::to_string(i) + " (" + axes[i].name + "), expected " +
              std::to_string(axes[i].size) + (axes[i].size == 1 ? "" : " or 1"),
          {"its shape is " + describe(view.shape)});
  return {};
}

static int64_t elements(const ArrayView &view) {
  int64_t count = 1;
  for (int64_t extent : view.shape)
    count *= extent;
  return count;
}

static Status checkData(const std::string &what, const ArrayView &view) {
  if (!view.data && elements(view) != 0)
    return invalid("E0306", what + " is not given");
  return {};
}

static Status checkTensor(const Tensor &decl, const ArrayView &view,
                          const ProblemShape &shape) {
  std::string what = "tensor " + quoted(decl.name);
  bool isInt = view.type == ElementType::I32;
  if (isInt != (decl.type == Scalar::Int))
    return invalid("E0308",
                   what + (isInt ? " holds int32, expected a float type"
                                 : " holds floats, expected int32"));
  if (view.shape.size() != decl.shape.size())
    return invalid("E0307",
                   what + " has " + std::to_string(view.shape.size()) +
                       " axes, expected " + std::to_string(decl.shape.size()),
                   {"its shape is " + describe(view.shape)});
  std::vector<AxisRule> axes;
  for (const Extent &extent : decl.shape) {
    bool fixed = extent.kind == Extent::Number;
    axes.push_back(
        {fixed ? "fixed" : extentName(extent), shape.measure(extent)});
  }
  if (Status status = checkAxes(what, view, axes); !status)
    return status;
  return checkData(what, view);
}

static Status checkSorted(const Tensor &decl, const ArrayView &view) {
  if (!decl.sorted || elements(view) == 0)
    return {};
  size_t last = view.shape.size() - 1;
  std::vector<int64_t> at(view.shape.size());
  int64_t rows = elements(view) / view.shape[last];
  const auto *data = static_cast<const int32_t *>(view.data);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t rest = r, base = 0;
    for (size_t i = last; i-- > 0;) {
      at[i] = rest % view.shape[i];
      base += at[i] * view.strides[i];
      rest /= view.shape[i];
    }
    for (int64_t i = 1; i < view.shape[last]; ++i) {
      int32_t before = data[base + (i - 1) * view.strides[last]];
      int32_t here = data[base + i * view.strides[last]];
      if (here >= before)
        continue;
      at[last] = i;
      return invalid("E0309", "tensor " + quoted(decl.name) +
                                  " is declared sorted, but at " +
                                  describe(at) + " " + std::to_string(here) +
                                  " follows " + std::to_string(before));
    }
  }
  return {};
}

static Status checkSelection(const Graph &graph, const Selection &decl,
                             const Bindings &bindings, const ArrayView &view) {
  std::string what = "selection " + quoted(decl.name);
  const ProblemShape &shape = bindings.shape;
  bool intervals = decl.kind == Selection::RowIntervals ||
                   decl.kind == Selection::ColumnIntervals;
  size_t rank = intervals ? 5 : 4;
  if (view.type != ElementType::I32)
    return invalid("E0308", what + " must hold int32");
  if (view.shape.size() != rank)
    return invalid("E0307",
                   what + " has " + std::to_string(view.shape.size()) +
                       " axes, expected " + std::to_string(rank),
                   {"its shape is " + describe(view.shape)});
  auto sizeOf = [&](const SizeRef &ref) {
    return ref.param ? bindings.params[*ref.param].intValue : ref.literal;
  };
  bool blocked = !intervals;
  if (blocked && sizeOf(decl.kBlock) < 1)
    return invalid("E0305", what + ": k_block is " +
                                std::to_string(sizeOf(decl.kBlock)) +
                                ", at least 1 is needed");
  std::vector<AxisRule> axes{{"batch", shape.batch}, {"heads", shape.heads}};
  switch (decl.kind) {
  case Selection::Blocks: {
    int64_t size = sizeOf(decl.qBlock);
    if (size < 1)
      return invalid("E0305", what + ": q_block is " + std::to_string(size) +
                                  ", at least 1 is needed");
    axes.push_back({"query blocks", (shape.qLen + size - 1) / size});
    break;
  }
  case Selection::TokenBlocks:
    axes[1] = {"kv_heads", shape.kvHeads};
    axes.push_back({"q_len", shape.qLen});
    break;
  case Selection::RowIntervals:
    axes.push_back({"q_len", shape.qLen});
    break;
  case Selection::ColumnIntervals:
    axes.push_back({"k_len", shape.kLen});
    break;
  }
  if (Status status = checkAxes(what, view, axes); !status)
    return status;
  if (intervals && view.shape[4] != 2)
    return invalid("E0307", what + " has " + std::to_string(view.shape[4]) +
                                " along axis 4 (begin, end), expected 2");
  return checkData(what, view);
}

Status jacquard::resolveBindings(const Graph &graph, Bindings &bindings,
                                 Align align, bool checked) {
  if (Status status = resolveShape(bindings.shape,
                                   align == Align::Unset ? graph.align : align);
      !status)
    return status;
  for (size_t i = 0; i < graph.params.size(); ++i)
    if (Status status = checkParam(graph.params[i], bindings.params[i]);
        !status)
      return status;
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    if (Status status =
            checkTensor(graph.tensors[i], bindings.tensors[i], bindings.shape);
        !status)
      return status;
    if (checked)
      if (Status status = checkSorted(graph.tensors[i], bindings.tensors[i]);
          !status)
        return status;
  }
  for (size_t i = 0; i < graph.selections.size(); ++i)
    if (Status status = checkSelection(graph, graph.selections[i], bindings,
                                       bindings.selections[i]);
        !status)
      return status;
  return {};
}
