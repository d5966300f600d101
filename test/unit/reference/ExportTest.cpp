//===- ExportTest.cpp - the dialect says what the graph says --------------===//

#include "AttnModule.h"

#include "compiler/Import/ExportPattern.h"
#include "patterns/Ast.h"

#include <gtest/gtest.h>

using namespace jacquard;

namespace {
TEST(Export, GivesTheCanonicalFormOfEveryLibraryCard) {
  for (std::string_view name : libraryNames()) {
    Graph graph = libraryGraph(name);
    AttnModule module(graph);
    mlir::FailureOr<Graph> back = exportPattern(module.pattern());
    ASSERT_TRUE(mlir::succeeded(back)) << name;
    EXPECT_EQ(digest(graph), digest(*back)) << name;
    EXPECT_EQ(graph.description, back->description) << name;
  }
}

TEST(Export, KeepsEveryFunctionOfScores) {
  Graph graph = graphOf(R"(
    pattern all(p: float = 2.0, on: bool = true, table: float[heads, 4]) {
      keep not (on and k > q) or (k != 3 and bit(k, 2))
      score where(s > 0.5, exp(-abs(s)), log(abs(s) + 1.0)) + tanh(s) / p
            + sigmoid(s * 3.0) + sqrt(abs(s)) - min(s, p) + max(s, table[h, k % 4])
            + min(abs(q - k), 7) // 2
    })");
  AttnModule module(graph);
  mlir::FailureOr<Graph> back = exportPattern(module.pattern());
  ASSERT_TRUE(mlir::succeeded(back));
  EXPECT_EQ(digest(graph), digest(*back));
}

/// Both at every pair of a small problem.
void expectEqual(const Graph &graph, const Bindings &bindings,
                 const std::string &what) {
  AttnModule module(graph);
  auto interpreter = attn::Interpreter::create(module.pattern(), bindings);
  ASSERT_TRUE(interpreter) << interpreter.error().render();
  mlir::FailureOr<Graph> back = exportPattern(module.pattern());
  ASSERT_TRUE(mlir::succeeded(back)) << what;
  // Tiles of one pair: 2 where it is kept, 0 where not.
  attn::ReferenceArray pairs = interpreter->classify(1, 1);
  Evaluator evaluator(graph, bindings), again(*back, bindings);
  const ProblemShape &shape = bindings.shape;
  for (int64_t b = 0; b < shape.batch; ++b)
    for (int64_t h = 0; h < shape.heads; ++h)
      for (int64_t row = 0; row < shape.qLen; ++row)
        for (int64_t k = 0; k < shape.kLen; ++k) {
          for (Evaluator *own : {&evaluator, &again}) {
            own->setHead(b, h);
            own->setRow(row);
            own->setKey(k);
          }
          bool kept = evaluator.evalBool(graph.keep);
          ASSERT_EQ(kept, again.evalBool(back->keep)) << what;
          ASSERT_EQ(kept ? 2 : 0, pairs.at({b, h, row, k}))
              << what << " at b " << b << " h " << h << " row " << row << " k "
              << k << "\n"
              << printExpression(graph, graph.keep);
        }
}

TEST(Reference, AgreesWithTheLanguageOnRandomPatterns) {
  Random random(seedOfRun());
  for (int i = 0; i < 300 && !testing::Test::HasFatalFailure(); ++i) {
    Graph graph = randomGraph(random);
    OwnedBindings owned = randomBindings(graph, random, 20);
    expectEqual(graph, owned.bindings,
                "seed " + std::to_string(seedOfRun()) + ", pattern " +
                    std::to_string(i));
  }
}

TEST(Reference, AgreesWithTheLanguageOnTheLibrary) {
  Random random(seedOfRun());
  for (std::string_view name : libraryNames()) {
    Graph graph = libraryGraph(name);
    for (int i = 0; i < 4; ++i) {
      OwnedBindings owned = randomBindings(graph, random, 30);
      expectEqual(graph, owned.bindings,
                  std::string(name) + ", seed " + std::to_string(seedOfRun()));
    }
  }
}
} // namespace
