//===- AttnModule.h - a pattern's module and its interpretation -*- C++ -*-===//
#ifndef JACQUARD_TEST_UNIT_REFERENCE_ATTNMODULE_H
#define JACQUARD_TEST_UNIT_REFERENCE_ATTNMODULE_H

#include "../analysis/RandomPattern.h"

#include "dialects/Attn/Reference/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace jacquard {

/// The graph of a card of the library, or of a card's text.
Graph libraryGraph(std::string_view name);
Graph graphOf(std::string text);

/// A seed from TEST_SEED, or a fresh one.
uint64_t seedOfRun();

/// The imported, differentiated and verified module of a graph.
class AttnModule {
public:
  explicit AttnModule(const Graph &graph, int64_t headDim = 5,
                      int64_t valueDim = 3);

  attn::PatternOp pattern();
  /// Executes @forward or @backward.
  std::vector<attn::ReferenceArray>
  run(llvm::StringRef function, std::vector<attn::ReferenceArray> arguments,
      const Bindings &bindings);

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// q, k, v, dout, dlse of a problem with values in [-1, 1].
struct RandomOperands {
  RandomOperands(const ProblemShape &shape, Random &random, int64_t headDim = 5,
                 int64_t valueDim = 3);
  attn::ReferenceArray q, k, v, dOut, dLse;
};

} // namespace jacquard

#endif // JACQUARD_TEST_UNIT_REFERENCE_ATTNMODULE_H
