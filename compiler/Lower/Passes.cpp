//===- Passes.cpp - attn-to-tile and tile-to-host -------------------------===//

#include "compiler/Lower/Passes.h"

#include "compiler/Lower/AttnToTile.h"
#include "compiler/Lower/HostLowering.h"
#include "dialects/Attn/IR/Attn.h"

namespace jacquard {
#define GEN_PASS_DEF_ATTNTOTILE
#define GEN_PASS_DEF_TILETOHOST
#include "compiler/Lower/Passes.h.inc"
} // namespace jacquard

using namespace mlir;
using namespace jacquard;

namespace {
struct AttnToTile : public jacquard::impl::AttnToTileBase<AttnToTile> {
  using AttnToTileBase::AttnToTileBase;

  void runOnOperation() override {
    Builder builder(&getContext());
    Type element = llvm::StringSwitch<Type>(tensorElement)
                       .Case("f32", builder.getF32Type())
                       .Case("f16", builder.getF16Type())
                       .Case("bf16", builder.getBF16Type())
                       .Default(Type());
    if (!element) {
      getOperation().emitError("tensor-element must be f32, f16 or bf16, got ")
          << tensorElement;
      return signalPassFailure();
    }
    KernelDataTypes types;
    for (auto pattern : getOperation().getOps<attn::PatternOp>()) {
      types.tensorElements
          .clear(); // Of the last pattern: kernels have one name.
      for (auto tensor : pattern.getBody().front().getOps<attn::TensorOp>())
        types.tensorElements.push_back(
            tensor.getElement().isF32() ? element : builder.getI32Type());
    }
    if (failed(lowerAttnToTile(getOperation(), types)))
      signalPassFailure();
  }
};

struct TileToHost : public jacquard::impl::TileToHostBase<TileToHost> {
  using TileToHostBase::TileToHostBase;

  void runOnOperation() override {
    if (!llvm::is_contained({4, 8, 16}, lanes.getValue())) {
      getOperation().emitError("lanes must be 4, 8 or 16, got ")
          << lanes.getValue();
      return signalPassFailure();
    }
    if (failed(lowerToHost(getOperation(), lanes)))
      signalPassFailure();
  }
};
} // namespace
