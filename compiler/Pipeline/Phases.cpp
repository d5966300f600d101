//===- Phases.cpp - names and file names of the phases --------------------===//

#include "compiler/Compiler.h"

#include <array>

using namespace jacquard;

namespace {
struct PhaseInfo {
  Phase phase;
  std::string_view name, file;
};
} // namespace

static constexpr std::array<PhaseInfo, 6> phases{{
    {Phase::Card, "card", "00-card.json"},
    {Phase::Attn, "attn", "10-attn.mlir"},
    {Phase::Tile, "tile", "20-tile.mlir"},
    {Phase::LlvmDialect, "llvm", "30-llvm.mlir"},
    {Phase::LlvmIr, "ll", "40-llvm.ll"},
    {Phase::Assembly, "asm", "50-kernel.s"},
}};

std::string_view jacquard::phaseName(Phase phase) {
  return phases[static_cast<size_t>(phase)].name;
}

std::string_view jacquard::phaseFile(Phase phase) {
  return phases[static_cast<size_t>(phase)].file;
}

std::optional<Phase> jacquard::phaseFromName(std::string_view name) {
  for (const PhaseInfo &info : phases)
    if (info.name == name)
      return info.phase;
  return std::nullopt;
}
