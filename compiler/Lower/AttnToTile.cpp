//===- AttnToTile.cpp - kernels for the problems of a module --------------===//

#include "compiler/Lower/AttnToTile.h"

#include "compiler/Lower/KernelBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace jacquard;

/// The tiles of a pattern for one walk; null if the module has none.
static attn::TilesOp tilesOf(ModuleOp module, attn::PatternOp pattern,
                             attn::WalkKind walk) {
  for (auto tiles : module.getOps<attn::TilesOp>())
    if (tiles.getOf() == pattern.getSymName() && tiles.getWalk() == walk)
      return tiles;
  return {};
}

static FailureOr<KernelProblem>
describe(ModuleOp module, Operation *op, StringRef pattern,
         std::optional<attn::ScheduleAttr> schedule, Value keyed,
         Value valued) {
  KernelProblem problem;
  problem.pattern = module.lookupSymbol<attn::PatternOp>(pattern);
  problem.keysTiles = tilesOf(module, problem.pattern, attn::WalkKind::Keys);
  problem.queriesTiles =
      tilesOf(module, problem.pattern, attn::WalkKind::Queries);
  if (!problem.keysTiles || !problem.queriesTiles)
    return op->emitOpError("needs attn.tiles of @")
               << pattern << " for both walks",
           failure();
  if (!schedule)
    return op->emitOpError("needs a schedule"), failure();
  problem.rows = schedule->getRows();
  problem.keys = schedule->getKeys();
  auto keyedType = cast<RankedTensorType>(keyed.getType());
  problem.element = keyedType.getElementType();
  problem.headDim = keyedType.getShape().back();
  problem.valueDim = cast<RankedTensorType>(valued.getType()).getShape().back();
  return problem;
}

LogicalResult jacquard::lowerAttnToTile(ModuleOp module,
                                        const KernelDataTypes &types) {
  OpBuilder builder(module.getContext());
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    builder.setInsertionPointToEnd(module.getBody());
    for (Operation &op : function.getBody().front()) {
      if (auto forward = dyn_cast<attn::ForwardOp>(op)) {
        FailureOr<KernelProblem> problem =
            describe(module, &op, forward.getPattern(), forward.getSchedule(),
                     forward.getQ(), forward.getV());
        if (failed(problem))
          return failure();
        PatternInliner inliner(problem->pattern, types.tensorElements);
        buildForward(*problem, inliner, builder, op.getLoc());
      } else if (auto backward = dyn_cast<attn::BackwardOp>(op)) {
        FailureOr<KernelProblem> problem =
            describe(module, &op, backward.getPattern(), backward.getSchedule(),
                     backward.getQ(), backward.getV());
        if (failed(problem))
          return failure();
        PatternInliner inliner(problem->pattern, types.tensorElements);
        buildPreprocess(*problem, inliner, builder, op.getLoc());
        buildBackwardDq(*problem, inliner, builder, op.getLoc());
        buildBackwardDkv(*problem, inliner, builder, op.getLoc());
      }
    }
    function.erase();
  }
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<attn::PatternOp, attn::TilesOp>(op))
      op.erase();
  return success();
}
