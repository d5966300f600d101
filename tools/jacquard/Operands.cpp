//===- Operands.cpp - q, k, v and what comes out of them ------------------===//

#include "Operands.h"

#include <limits>

using namespace jacquard;

static Array poisoned(ElementType type, std::vector<int64_t> shape) {
  Array array(type, std::move(shape));
  for (int64_t i = 0, count = array.size(); i < count; ++i)
    array.set(i, std::numeric_limits<double>::quiet_NaN());
  return array;
}

static Array normal(ElementType type, std::vector<int64_t> shape, uint64_t seed,
                    std::string_view name) {
  RandomStream random = streamOf(seed, name);
  return randomArray(type, std::move(shape), random);
}

Operands jacquard::randomOperands(const Problem &problem, ElementType type,
                                  int64_t headDim, int64_t valueDim,
                                  uint64_t seed) {
  const Problem &p = problem;
  Operands made;
  made.q = normal(type, {p.batch, p.heads, p.qLen, headDim}, seed, "query");
  made.k = normal(type, {p.batch, p.kvHeads, p.kLen, headDim}, seed, "key");
  made.v = normal(type, {p.batch, p.kvHeads, p.kLen, valueDim}, seed, "value");
  return made;
}

void Operands::addResults(const LoadedProblem &loaded, bool backward,
                          uint64_t seed) {
  std::vector<int64_t> outShape = q.shape, lseShape = q.shape;
  outShape.back() = v.shape.back();
  lseShape.pop_back();
  out = poisoned(q.type, outShape);
  lse = poisoned(ElementType::F32, lseShape);
  if (!backward)
    return;
  if (dOut.shape.empty())
    dOut = normal(q.type, outShape, seed, "dout");
  if (dLse.shape.empty())
    dLse = normal(ElementType::F32, lseShape, seed, "dlse");
  dq = poisoned(q.type, q.shape);
  dk = poisoned(q.type, k.shape);
  dv = poisoned(q.type, v.shape);
  const Graph &graph = loaded.pattern.graph();
  for (uint32_t i = 0; i < graph.tensors.size(); ++i)
    if (graph.tensors[i].grad || graph.sink == i) {
      const std::string &name = graph.tensors[i].name;
      auto given = loaded.owned.inputs.tensors.find(name);
      if (given != loaded.owned.inputs.tensors.end())
        gradients[name] = poisoned(ElementType::F32, given->second.shape);
    }
}

BackwardArgs Operands::views() {
  BackwardArgs args{q.view(),   k.view(),    v.view(),    out.view(),
                    lse.view(), dOut.view(), dLse.view(), dq.view(),
                    dk.view(),  dv.view(),   {}};
  for (auto &[name, array] : gradients)
    args.gradients[name] = array.view();
  return args;
}
