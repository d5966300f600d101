//===- Compiler.h - from a pattern to host kernels, phase by phase --------===//
//
// The path has named phases (Phase). `emit` prints the module at the end of
// one, `compileForHost` runs all of them and returns entry points that live as
// long as the program. Nothing here depends on a length, a stride, a head count
// or a parameter's value.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_COMPILER_COMPILER_H
#define JACQUARD_COMPILER_COMPILER_H

#include "compiler/KernelAbi.h"

namespace jacquard {

/// In the order of the path; a phase's name is used in --emit, dumps, timing
/// and errors. File names in a dump folder: 00-card.json 10-attn.mlir
/// 20-tile.mlir 30-llvm.mlir 40-llvm.ll 50-kernel.s 90-timing.json.
enum class Phase : uint8_t { Card, Attn, Tile, LlvmDialect, LlvmIr, Assembly };

/// "card", "attn", "tile", "llvm", "ll", "asm".
std::string_view phaseName(Phase phase);
std::string_view phaseFile(Phase phase);
std::optional<Phase> phaseFromName(std::string_view name);

/// How a kernel is cut into tiles. Zero: the default for the target and head
/// dims.
struct Schedule {
  TileSize forward{0, 0};
  TileSize backward{0, 0};
};

/// Everything beside the pattern that changes code.
struct CompileOptions {
  ElementType element =
      ElementType::F32; ///< Of q, k, v, out and their gradients.
  int64_t headDim = 0;  ///< Of q and k: 1 to 1024.
  int64_t valueDim = 0; ///< Of v and out; 0: the same as headDim.
  bool backward = true; ///< Also compile the backward kernels.
  /// Element type of each float tensor of the pattern; empty: all fp32.
  std::vector<ElementType> tensorElements;
  Schedule schedule;
};

struct PhaseTime {
  Phase phase;
  double milliseconds = 0;
};

/// Compiled kernels and what a launch needs to know of them.
class HostProgram {
public:
  virtual ~HostProgram() = default;

  HostEntry forward = nullptr;
  HostEntry preprocess = nullptr, backwardDq = nullptr, backwardDkv = nullptr;
  /// Scratch of one call, in bytes, to be aligned to 64.
  int64_t scratchBytes = 0;
  /// Tiles of the forward kernel (walks keys), of backward_dq (walks keys; also
  /// the row blocks of preprocess) and of backward_dkv (walks queries; `keys`
  /// is the block, `rows` the walked tile).
  TileSize forwardTile, dqTile, dkvTile;
  TileForm keysForm, queriesForm;
  std::vector<PhaseTime> times;
};

/// Compiles for this machine. Errors: head dims out of range (E0601), a
/// schedule that does not fit (E0602), a fault of a phase, named (E0699).
Expected<std::unique_ptr<HostProgram>>
compileForHost(const Graph &graph, const CompileOptions &options);

/// The text at the end of `phase`.
Expected<std::string> emit(const Graph &graph, const CompileOptions &options,
                           Phase phase);

} // namespace jacquard

#endif // JACQUARD_COMPILER_COMPILER_H
