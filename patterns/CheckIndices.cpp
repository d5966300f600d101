//===- CheckIndices.cpp - tensor indices outside their axes ---------------===//
//
// For the checked mode: kernels clamp an index, which hides a table that is too
// small. Every kept pair is looked at, one by one.
//
//===----------------------------------------------------------------------===//

#include "patterns/Bindings.h"

using namespace jacquard;

/// Indices that can't be outside: coordinates of axes that they measure.
static bool isPlain(const Graph &graph, NodeId index, const Extent &extent) {
  switch (graph[index].op) {
  case Op::Batch:
    return extent.kind == Extent::Batch;
  case Op::Head:
    return extent.kind == Extent::Heads;
  case Op::KvHead:
    return extent.kind == Extent::KvHeads;
  case Op::Row:
    return extent.kind == Extent::QLen;
  case Op::Key:
    return extent.kind == Extent::KLen;
  default:
    return false;
  }
}

namespace {
struct Access {
  NodeId load, index;
  size_t axis;
};
} // namespace

static std::vector<Access> computedAccesses(const Graph &graph) {
  std::vector<Access> found;
  std::vector<bool> used(graph.nodes().size());
  used[graph.keep] = used[graph.score] = true;
  for (NodeId id = used.size(); id-- > 0;) {
    if (!used[id])
      continue;
    const Node &node = graph[id];
    for (NodeId operand : node.operands)
      used[operand] = true;
    if (node.op != Op::Load)
      continue;
    for (size_t i = 0; i < node.operands.size(); ++i)
      if (!isPlain(graph, node.operands[i], graph.tensors[node.ref].shape[i]))
        found.push_back({id, node.operands[i], i});
  }
  return found;
}

static Error outside(const Graph &graph, const Access &access, int64_t index,
                     int64_t extent, const std::string &pair) {
  const Node &load = graph[access.load];
  Error error = makeError(
      ErrorKind::Invalid, "E0315",
      "tensor `" + graph.tensors[load.ref].name + "` is read at " +
          std::to_string(index) + " along axis " + std::to_string(access.axis) +
          ", which has " + std::to_string(extent) + " elements",
      {"in " + printExpression(graph, access.load) + ", for " + pair});
  if (graph.source && load.where.begin != load.where.end)
    error.place = SourcePlace{graph.source, load.where};
  return error;
}

Status jacquard::checkIndices(const Graph &graph, const Bindings &bindings) {
  std::vector<Access> accesses = computedAccesses(graph);
  if (accesses.empty())
    return {};
  const ProblemShape &shape = bindings.shape;
  Evaluator evaluator(graph, bindings);
  for (int64_t b = 0; b < shape.batch; ++b)
    for (int64_t h = 0; h < shape.heads; ++h) {
      evaluator.setHead(b, h);
      for (int64_t row = 0; row < shape.qLenOf(b); ++row) {
        evaluator.setRow(row);
        for (int64_t k = 0; k < shape.kLenOf(b); ++k) {
          evaluator.setKey(k);
          if (!evaluator.evalBool(graph.keep))
            continue;
          for (const Access &access : accesses) {
            const ArrayView &view = bindings.tensors[graph[access.load].ref];
            int64_t extent = view.shape[access.axis];
            int64_t index = evaluator.evalInt(access.index);
            bool broadcast = extent == 1;
            if (broadcast || (index >= 0 && index < extent))
              continue;
            return outside(graph, access, index, extent,
                           "b " + std::to_string(b) + ", h " +
                               std::to_string(h) + ", row " +
                               std::to_string(row) + ", k " +
                               std::to_string(k));
          }
        }
      }
    }
  return {};
}
