//===- Bind.cpp - inputs by name, in the graph's order --------------------===//

#include "runtime/Jacquard.h"

#include <algorithm>
#include <cmath>

using namespace jacquard;

static Error unknown(const std::string &kind, const std::string &name,
                     const std::vector<std::string> &known) {
  std::vector<std::string> notes;
  if (std::optional<std::string> near = nearest(name, known))
    notes.push_back("did you mean `" + *near + "`?");
  else if (known.empty())
    notes.push_back("the pattern declares none");
  return makeError(ErrorKind::Invalid, "E0310",
                   "the pattern has no " + kind + " `" + name + "`",
                   std::move(notes));
}

template <typename Given, typename Declared>
static Status checkNames(const std::string &kind, const Given &given,
                         const Declared &declared) {
  std::vector<std::string> known;
  for (const auto &decl : declared)
    known.push_back(decl.name);
  for (const auto &entry : given)
    if (std::find(known.begin(), known.end(), entry.first) == known.end())
      return unknown(kind, entry.first, known);
  return {};
}

static Expected<ArrayView> viewOf(const std::string &name,
                                  const TensorView &tensor) {
  ArrayView view;
  view.data = tensor.data;
  view.type = tensor.type;
  view.shape = tensor.shape;
  view.strides = tensor.strides.empty() ? ArrayView::contiguous(tensor.shape)
                                        : tensor.strides;
  if (view.strides.size() != view.shape.size())
    return makeError(ErrorKind::Invalid, "E0307",
                     "`" + name + "` has " + std::to_string(view.shape.size()) +
                         " axes but " + std::to_string(view.strides.size()) +
                         " strides");
  for (int64_t extent : view.shape)
    if (extent < 0)
      return makeError(ErrorKind::Invalid, "E0307",
                       "`" + name + "` has an axis of " +
                           std::to_string(extent));
  return view;
}

/// Lengths from cu_seqlens: offsets that never fall, from 0.
static Status lengthsFrom(const char *name, const std::vector<int64_t> &offsets,
                          int64_t batch, std::vector<int64_t> &lengths,
                          int64_t &longest) {
  if (static_cast<int64_t>(offsets.size()) != batch + 1 || offsets.front() != 0)
    return makeError(ErrorKind::Invalid, "E0302",
                     std::string(name) + " must hold " +
                         std::to_string(batch + 1) +
                         " offsets, the first of them 0");
  longest = 0;
  for (int64_t b = 0; b < batch; ++b) {
    int64_t length = offsets[b + 1] - offsets[b];
    if (length < 0)
      return makeError(ErrorKind::Invalid, "E0302",
                       std::string(name) + " falls at element " +
                           std::to_string(b + 1));
    lengths.push_back(length);
    longest = std::max(longest, length);
  }
  return {};
}

Expected<Bindings> jacquard::bind(const Pattern &pattern,
                                  const Problem &problem, const Inputs &inputs,
                                  bool checked) {
  const Graph &graph = pattern.graph();
  Bindings bindings;
  ProblemShape &shape = bindings.shape;
  shape = {problem.batch, problem.heads, problem.kvHeads, problem.qLen,
           problem.kLen,  problem.qLens, problem.kLens,   problem.qOffsets};
  for (auto [name, offsets, lengths, longest] :
       {std::tuple("cu_q", &problem.cuQ, &shape.qLens, &shape.qLen),
        std::tuple("cu_k", &problem.cuK, &shape.kLens, &shape.kLen)})
    if (!offsets->empty()) {
      lengths->clear();
      if (Status status =
              lengthsFrom(name, *offsets, problem.batch, *lengths, *longest);
          !status)
        return status.takeError();
    }
  if (Status status = checkNames("parameter", inputs.params, graph.params);
      !status)
    return status.takeError();
  if (Status status = checkNames("tensor", inputs.tensors, graph.tensors);
      !status)
    return status.takeError();
  if (Status status =
          checkNames("selection", inputs.selections, graph.selections);
      !status)
    return status.takeError();
  for (const Param &param : graph.params) {
    auto given = inputs.params.find(param.name);
    if (given == inputs.params.end() && !param.defaultValue)
      return makeError(ErrorKind::Invalid, "E0306",
                       "parameter `" + param.name +
                           "` is not given and has no default");
    double value =
        given == inputs.params.end() ? *param.defaultValue : given->second;
    if (param.type != Scalar::Float &&
        (!std::isfinite(value) || value != std::floor(value) ||
         std::fabs(value) > 1e15))
      return makeError(ErrorKind::Invalid, "E0305",
                       "parameter `" + param.name + "` must be an int, got " +
                           std::to_string(value));
    bindings.params.push_back(
        {param.type == Scalar::Float ? 0 : static_cast<int64_t>(value), value});
  }
  for (const Tensor &tensor : graph.tensors) {
    auto given = inputs.tensors.find(tensor.name);
    if (given == inputs.tensors.end())
      return makeError(ErrorKind::Invalid, "E0306",
                       "tensor `" + tensor.name + "` is not given");
    Expected<ArrayView> view = viewOf(tensor.name, given->second);
    if (!view)
      return view.takeError();
    bindings.tensors.push_back(std::move(*view));
  }
  for (const Selection &selection : graph.selections) {
    auto given = inputs.selections.find(selection.name);
    if (given == inputs.selections.end())
      return makeError(ErrorKind::Invalid, "E0306",
                       "selection `" + selection.name + "` is not given");
    Expected<ArrayView> view = viewOf(selection.name, given->second);
    if (!view)
      return view.takeError();
    bindings.selections.push_back(std::move(*view));
  }
  if (Status status = resolveBindings(graph, bindings, problem.align, checked);
      !status)
    return status.takeError();
  if (checked)
    if (Status status = checkIndices(graph, bindings); !status)
      return status.takeError();
  return bindings;
}
