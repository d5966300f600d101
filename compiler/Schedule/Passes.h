//===- Passes.h - choosing schedules ----------------------------*- C++ -*-===//
#ifndef JACQUARD_COMPILER_SCHEDULE_PASSES_H
#define JACQUARD_COMPILER_SCHEDULE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace jacquard {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Schedule/Passes.h.inc"

} // namespace jacquard

#endif // JACQUARD_COMPILER_SCHEDULE_PASSES_H
