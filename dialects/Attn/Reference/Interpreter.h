//===- Interpreter.h - executes attn problems in fp64 -----------*- C++ -*-===//
//
// Slow and obvious: every pair of every (b, h, row) by the definition, in
// double precision. What every kernel is tested against.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_DIALECTS_ATTN_REFERENCE_INTERPRETER_H
#define JACQUARD_DIALECTS_ATTN_REFERENCE_INTERPRETER_H

#include "dialects/Attn/Reference/ScalarProgram.h"

namespace jacquard::attn {

/// Executes the problems that name one pattern. Operands and results are arrays
/// [batch, heads, longest length, dim], statistics without the dim; rows past a
/// length are 0 in results and never read. `bindings` must be resolved and
/// outlive the interpreter; its order is that of the pattern's declarations.
class Interpreter {
public:
  static Expected<Interpreter> create(PatternOp pattern,
                                      const Bindings &bindings);

  struct Forward {
    ReferenceArray out, lse;
  };
  Forward forward(const ReferenceArray &q, const ReferenceArray &k,
                  const ReferenceArray &v, double scale);

  struct Preprocess {
    ReferenceArray delta;
    ReferenceArray dSink; ///< Of the sink's own shape; empty without a sink.
  };
  Preprocess preprocess(const ReferenceArray &out, const ReferenceArray &dOut,
                        const ReferenceArray &lse, const ReferenceArray &dLse);

  struct Backward {
    ReferenceArray dq, dk, dv;
    /// One a tensor of the pattern, empty for those not marked grad.
    TensorGradients gradients;
  };
  /// Needs the pattern's score_grad, where it has a score (see
  /// differentiateScore).
  Expected<Backward> backward(const ReferenceArray &q, const ReferenceArray &k,
                              const ReferenceArray &v,
                              const ReferenceArray &lse,
                              const ReferenceArray &dOut,
                              const ReferenceArray &delta, double scale);

  /// [batch, heads, row blocks, key blocks]: 0 skip, 1 partial, 2 full. Only
  /// pairs within the lengths count; a tile without any is skipped.
  ReferenceArray classify(int64_t rows, int64_t keys);

private:
  Interpreter(PatternOp pattern, const Bindings &bindings)
      : pattern(pattern), bindings(&bindings) {}

  bool kept(const PairPlace &place);
  double changedScore(const PairPlace &place, double s);
  std::optional<double> sinkOf(int64_t h) const;
  /// Calls `visit` for every (b, h, row) within the lengths.
  void everyRow(llvm::function_ref<void(PairPlace)> visit) const;

  PatternOp pattern;
  const Bindings *bindings;
  std::optional<ScalarProgram> keep, score, scoreGrad;
  const ArrayView *sink = nullptr;
};

/// Joins results over disjoint sets of keys.
Interpreter::Forward combine(llvm::ArrayRef<Interpreter::Forward> parts);

/// Executes a function whose body is attn problems on one pattern (and
/// constants): returns the operands of its terminator. `arguments` are arrays,
/// or for an f32 argument an array of rank 0.
Expected<std::vector<ReferenceArray>>
interpret(mlir::Region &function, std::vector<ReferenceArray> arguments,
          const Bindings &bindings);

} // namespace jacquard::attn

#endif // JACQUARD_DIALECTS_ATTN_REFERENCE_INTERPRETER_H
