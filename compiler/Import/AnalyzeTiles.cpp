//===- AnalyzeTiles.cpp - attn-analyze-tiles ------------------------------===//

#include "compiler/Import/ExportPattern.h"
#include "compiler/Import/ImportTiles.h"
#include "compiler/Import/Passes.h"

namespace jacquard {
#define GEN_PASS_DEF_ATTNANALYZETILES
#include "compiler/Import/Passes.h.inc"
} // namespace jacquard

using namespace mlir;
using namespace jacquard;

static bool hasTiles(ModuleOp module, attn::PatternOp pattern,
                     attn::WalkKind walk) {
  return llvm::any_of(module.getOps<attn::TilesOp>(), [&](attn::TilesOp tiles) {
    return tiles.getOf() == pattern.getSymName() && tiles.getWalk() == walk;
  });
}

namespace {
struct AttnAnalyzeTiles
    : public jacquard::impl::AttnAnalyzeTilesBase<AttnAnalyzeTiles> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(&getContext());
    for (auto pattern :
         llvm::make_early_inc_range(module.getOps<attn::PatternOp>())) {
      FailureOr<Graph> graph = exportPattern(pattern);
      if (failed(graph))
        return signalPassFailure();
      builder.setInsertionPointAfter(pattern);
      for (auto [walk, kind] : {std::pair(Walk::Keys, attn::WalkKind::Keys),
                                {Walk::Queries, attn::WalkKind::Queries}})
        if (!hasTiles(module, pattern, kind))
          importTiles(builder, pattern.getLoc(), pattern.getSymName(),
                      analyzeTiles(*graph, walk));
    }
  }
};
} // namespace
