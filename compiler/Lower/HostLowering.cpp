//===- HostLowering.cpp - the passes from tile kernels to LLVM ------------===//

#include "compiler/Lower/HostLowering.h"

#include "compiler/Lower/HostEmitter.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace jacquard;

namespace {
/// exp, log and tanh as polynomials: vectors have no library function to call.
struct ApproximateMath
    : PassWrapper<ApproximateMath, OperationPass<LLVM::LLVMFuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ApproximateMath)
  StringRef getArgument() const override { return "host-approximate-math"; }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(
        patterns, MathPolynomialApproximationOptions());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

FailureOr<int64_t> jacquard::lowerToHost(ModuleOp module, int64_t lanes) {
  int64_t scratch = 0;
  for (auto kernel :
       llvm::make_early_inc_range(module.getOps<tile::KernelOp>())) {
    HostEmitter emitter(kernel, lanes);
    if (failed(emitter.emit()))
      return failure();
    scratch = std::max(scratch, emitter.scratchBytes());
  }
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (!isa<LLVM::LLVMFuncOp>(op))
      op.erase();

  PassManager passes(module.getContext());
  OpPassManager &function = passes.nest<LLVM::LLVMFuncOp>();
  function.addPass(std::make_unique<ApproximateMath>());
  function.addPass(createCSEPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  if (failed(passes.run(module)))
    return failure();
  return scratch;
}
