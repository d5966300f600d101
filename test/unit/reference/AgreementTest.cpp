//===- AgreementTest.cpp - two references, one meaning --------------------===//
//
// The interpreter of the attn dialect and the reference of the runtime share no
// code but the language: one executes IR with an adjoint derived by a pass, the
// other the card's graph with reverse accumulation. On the library they must
// agree in fp64.
//
//===----------------------------------------------------------------------===//

#include "AttnModule.h"

#include "runtime/Jacquard.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace jacquard;
using attn::ReferenceArray;

namespace {
/// An operand rounded to fp32, as both references read it.
struct Operand {
  explicit Operand(ReferenceArray &array) : values(array.data.size()) {
    for (size_t i = 0; i < values.size(); ++i)
      array.data[i] = values[i] = static_cast<float>(array.data[i]);
    view = {values.data(), ElementType::F32, array.shape, {}};
  }
  std::vector<float> values;
  TensorView view;
};

TensorView viewOf(const ArrayView &array) {
  return {const_cast<void *>(array.data), array.type, array.shape,
          array.strides};
}

void expectEqual(const char *what, const ReferenceArray &a, const Bounded &b) {
  ASSERT_EQ(a.data.size(), b.value.size()) << what;
  for (size_t i = 0; i < a.data.size(); ++i) {
    double x = a.data[i], y = b.value[i];
    if (x == y)
      continue;
    ASSERT_LE(std::fabs(x - y), 1e-9 * (1 + std::fabs(x))) << what << " " << i;
  }
}

class Agreement : public testing::TestWithParam<std::string_view> {};

TEST_P(Agreement, OfInterpreterAndRuntimeReference) {
  SCOPED_TRACE("seed " + std::to_string(seedOfRun()));
  Random random(seedOfRun());
  Graph graph = libraryGraph(GetParam());
  Expected<Pattern> pattern = Pattern::library(GetParam());
  ASSERT_TRUE(pattern);
  OwnedBindings owned = randomBindings(graph, random, 40);
  const ProblemShape &shape = owned.bindings.shape;
  RandomOperands operands(shape, random);
  Operand q(operands.q), k(operands.k), v(operands.v), dOut(operands.dOut),
      dLse(operands.dLse);
  double scale = 0.7;

  AttnModule module(graph);
  std::vector<ReferenceArray> forward = module.run(
      "forward",
      {operands.q, operands.k, operands.v, ReferenceArray({}, scale)},
      owned.bindings);
  std::vector<ReferenceArray> backward =
      module.run("backward",
                 {operands.q, operands.k, operands.v, forward[0], forward[1],
                  operands.dOut, operands.dLse, ReferenceArray({}, scale)},
                 owned.bindings);

  Problem problem;
  problem.batch = shape.batch;
  problem.heads = shape.heads;
  problem.kvHeads = shape.kvHeads;
  problem.qLen = shape.qLen;
  problem.kLen = shape.kLen;
  problem.qOffsets = shape.qOffsets;
  Inputs inputs;
  for (size_t i = 0; i < graph.params.size(); ++i)
    inputs.params[graph.params[i].name] = owned.bindings.params[i].floatValue;
  for (size_t i = 0; i < graph.tensors.size(); ++i)
    inputs.tensors[graph.tensors[i].name] = viewOf(owned.bindings.tensors[i]);
  for (size_t i = 0; i < graph.selections.size(); ++i)
    inputs.selections[graph.selections[i].name] =
        viewOf(owned.bindings.selections[i]);
  BackwardArgs args;
  args.q = q.view;
  args.k = k.view;
  args.v = v.view;
  args.dOut = dOut.view;
  args.dLse = dLse.view;
  Expected<Reference> result =
      reference(*pattern, problem, inputs, args, true, scale);
  ASSERT_TRUE(result) << result.error().render();
  expectEqual("out", forward[0], result->out);
  expectEqual("lse", forward[1], result->lse);
  expectEqual("dq", backward[0], result->dq);
  expectEqual("dk", backward[1], result->dk);
  expectEqual("dv", backward[2], result->dv);
  size_t next = 3;
  for (size_t i = 0; i < graph.tensors.size(); ++i)
    if (graph.tensors[i].grad && graph.sink != i)
      expectEqual("gradient", backward[next++],
                  result->gradients[graph.tensors[i].name]);
  if (graph.sink)
    expectEqual("sink", backward[next++],
                result->gradients[graph.tensors[*graph.sink].name]);
}

INSTANTIATE_TEST_SUITE_P(Library, Agreement, testing::ValuesIn(libraryNames()),
                         [](const auto &info) {
                           return std::string(info.param);
                         });
} // namespace
