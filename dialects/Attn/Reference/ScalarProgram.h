//===- ScalarProgram.h - a pattern's region, ready to be evaluated --------===//
//
// A region of a pattern compiled once into a flat list of instructions and then
// evaluated pair by pair in fp64. An instruction runs again only when something
// it depends on changed: the head, the row, or the pair.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_DIALECTS_ATTN_REFERENCE_SCALARPROGRAM_H
#define JACQUARD_DIALECTS_ATTN_REFERENCE_SCALARPROGRAM_H

#include "dialects/Attn/IR/Attn.h"
#include "dialects/Attn/Reference/ReferenceArray.h"

#include <functional>

namespace jacquard::attn {

/// A scalar: `i` for integers and bools, `f` for floats.
struct ScalarValue {
  int64_t i = 0;
  double f = 0;
};

/// Where a pair stands.
struct PairPlace {
  int64_t b = 0, h = 0, g = 0, row = 0, k = 0;
};

/// Gradients of the pattern's tensors, one array a tensor, of the tensor's own
/// shape (an axis of 1 collects every index); empty where none is wanted.
using TensorGradients = std::vector<ReferenceArray>;

class ScalarProgram {
public:
  /// Compiles the only block of `region`, whose arguments are `floats` floats
  /// and then b, h, g, q, k, row. Fails on an op that has no meaning here.
  static Expected<ScalarProgram> compile(mlir::Region &region, unsigned floats,
                                         PatternOp pattern,
                                         const Bindings &bindings);

  /// Evaluates at a pair, with `inputs` for the leading float arguments; adds
  /// what attn.accumulate says to `gradients`.
  ScalarValue evaluate(const PairPlace &place,
                       std::initializer_list<double> inputs,
                       TensorGradients *gradients = nullptr);

private:
  enum Level : uint8_t { HeadLevel, RowLevel, PairLevel, LevelCount };
  using Values = std::vector<ScalarValue>;
  struct Instruction {
    uint32_t result = 0;
    std::function<ScalarValue(const Values &)> compute;
    /// Accumulation instead: tensor, then its index values and the value.
    std::optional<uint32_t> tensor;
    std::vector<uint32_t> operands;
  };
  class Builder;

  void runLevel(Level level);

  const Bindings *bindings = nullptr;
  Values values;
  std::vector<Instruction> levels[LevelCount];
  std::vector<Instruction> accumulations;
  uint32_t result = 0;
  unsigned floats = 0;
  std::optional<PairPlace> last;
};

} // namespace jacquard::attn

#endif // JACQUARD_DIALECTS_ATTN_REFERENCE_SCALARPROGRAM_H
