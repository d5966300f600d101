//===- AttnModule.cpp - from a card to something that runs ----------------===//

#include "AttnModule.h"

#include "compiler/Import/ImportPattern.h"
#include "dialects/Attn/Transforms/DifferentiateScore.h"
#include "patterns/Ast.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

using namespace jacquard;

uint64_t jacquard::seedOfRun() {
  static uint64_t seed = [] {
    const char *given = std::getenv("TEST_SEED");
    return given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  }();
  return seed;
}

Graph jacquard::graphOf(std::string text) {
  Expected<Ast> ast = parseCard("test.jac", std::move(text));
  EXPECT_TRUE(ast) << ast.error().render();
  std::unique_ptr<CardLoader> loader = fileLoader();
  Expected<Graph> graph = resolve(*ast, *loader);
  EXPECT_TRUE(graph) << graph.error().render();
  return std::move(*graph);
}

Graph jacquard::libraryGraph(std::string_view name) {
  return graphOf(std::string(libraryCard(name)));
}

AttnModule::AttnModule(const Graph &graph, int64_t headDim, int64_t valueDim) {
  context.disableMultithreading();
  context.loadDialect<attn::AttnDialect, mlir::arith::ArithDialect,
                      mlir::func::FuncDialect, mlir::math::MathDialect>();
  CompileOptions options;
  options.headDim = headDim;
  options.valueDim = valueDim;
  options.schedule = {{64, 64}, {64, 64}};
  module = importPattern(graph, options, analyzeTiles(graph, Walk::Keys),
                         analyzeTiles(graph, Walk::Queries), &context);
  EXPECT_TRUE(mlir::succeeded(attn::differentiateScore(pattern())));
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
}

attn::PatternOp AttnModule::pattern() {
  return *module->getOps<attn::PatternOp>().begin();
}

std::vector<attn::ReferenceArray>
AttnModule::run(llvm::StringRef function,
                std::vector<attn::ReferenceArray> arguments,
                const Bindings &bindings) {
  auto op = module->lookupSymbol<mlir::func::FuncOp>(function);
  auto results = attn::interpret(op.getBody(), std::move(arguments), bindings);
  EXPECT_TRUE(results) << results.error().render();
  return std::move(*results);
}

RandomOperands::RandomOperands(const ProblemShape &shape, Random &random,
                               int64_t headDim, int64_t valueDim)
    : q({shape.batch, shape.heads, shape.qLen, headDim}),
      k({shape.batch, shape.kvHeads, shape.kLen, headDim}),
      v({shape.batch, shape.kvHeads, shape.kLen, valueDim}),
      dOut({shape.batch, shape.heads, shape.qLen, valueDim}),
      dLse({shape.batch, shape.heads, shape.qLen}) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (attn::ReferenceArray *array : {&q, &k, &v, &dOut, &dLse})
    for (double &value : array->data)
      value = uniform(random);
}
