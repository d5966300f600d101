//===- ScheduleProblems.cpp - attn-schedule -------------------------------===//

#include "compiler/Schedule/HostSchedule.h"
#include "compiler/Schedule/Passes.h"
#include "dialects/Attn/IR/Attn.h"

namespace jacquard {
#define GEN_PASS_DEF_ATTNSCHEDULE
#include "compiler/Schedule/Passes.h.inc"
} // namespace jacquard

using namespace mlir;
using namespace jacquard;

namespace {
struct AttnSchedule : public jacquard::impl::AttnScheduleBase<AttnSchedule> {
  using AttnScheduleBase::AttnScheduleBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (auto forward = dyn_cast<attn::ForwardOp>(op))
        return schedule(forward, &Schedule::forward);
      if (auto preprocess = dyn_cast<attn::PreprocessOp>(op))
        return schedule(preprocess, &Schedule::backward);
      if (auto backward = dyn_cast<attn::BackwardOp>(op))
        return schedule(backward, &Schedule::backward);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  template <typename Problem>
  WalkResult schedule(Problem problem, TileSize Schedule::*tiles) {
    if (problem.getSchedule())
      return WalkResult::advance();
    Expected<Schedule> chosen = hostSchedule(CompileOptions(), lanes);
    if (!chosen) {
      problem.emitOpError() << chosen.error().message;
      return WalkResult::interrupt();
    }
    const TileSize &tile = (*chosen).*tiles;
    problem.setScheduleAttr(
        attn::ScheduleAttr::get(&getContext(), tile.rows, tile.keys));
    return WalkResult::advance();
  }
};
} // namespace
