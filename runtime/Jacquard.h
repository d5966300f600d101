//===- Jacquard.h - the C++ API ---------------------------------*- C++ -*-===//
//
// Declare a pattern, prepare it for a device, plan a problem, run it:
//
//   auto pattern = jacquard::Pattern::fromFile("window_sink.json");
//   auto device = jacquard::Device::host();
//   auto op = device->prepare(*pattern, {.element = BF16, .headDim = 128});
//   auto plan = (*op)->plan(problem, inputs);
//   auto status = (*op)->forward(*plan, {q, k, v, out, lse});
//
// Everything returns Expected or Status; nothing throws or prints. Objects may
// be used from several threads; a plan by one at a time.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_RUNTIME_JACQUARD_H
#define JACQUARD_RUNTIME_JACQUARD_H

#include "compiler/Compiler.h"
#include "patterns/Ast.h"
#include "patterns/TileForm.h"

#define JACQUARD_API __attribute__((visibility("default")))

namespace jacquard {

/// A checked card.
class JACQUARD_API Pattern {
public:
  /// Reads a card in either spelling; a name without a file is looked up in the
  /// library. Errors: E0001 (no such file), E01xx with their place.
  static Expected<Pattern> fromFile(const std::string &path);
  static Expected<Pattern> fromText(std::string name, std::string text);
  static Expected<Pattern> library(std::string_view name);

  const Graph &graph() const { return *checked; }
  const Ast &ast() const { return *written; }
  std::string toJson() const;
  std::string toText() const;
  std::string digest() const;
  /// How tiles are found walking keys (forward) or queries (backward).
  TileForm tiles(Walk walk) const;

private:
  std::shared_ptr<const Ast> written;
  std::shared_ptr<const Graph> checked;
};

/// A strided array of the caller: for q, k, v and the like [batch, heads,
/// length, dim], the last stride 1; for lse, dLse [batch, heads, length].
/// Strides in elements; empty: contiguous. Inputs may have strides of 0.
struct TensorView {
  void *data = nullptr;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

/// Sizes of a problem. Lengths per batch element are either lengths in padded
/// arrays (rows past them are written as 0, their lse as -inf) or, as
/// cu_seqlens (batch + 1 offsets), packed one after another in arrays of
/// batch 1.
struct Problem {
  int64_t batch = 1, heads = 1, kvHeads = 1, qLen = 0, kLen = 0;
  std::vector<int64_t> qLens, kLens;
  std::vector<int64_t> cuQ, cuK;
  std::vector<int64_t> qOffsets; ///< One, or one per batch element.
  Align align = Align::Unset;    ///< Overrides the card's.
};

/// What the pattern declares, by name.
struct Inputs {
  std::map<std::string, double> params; ///< Missing ones take their default.
  std::map<std::string, TensorView> tensors, selections;
};

struct PlanOptions {
  bool checked =
      false; ///< Also read the data: is what is declared sorted sorted?
};

struct ForwardArgs {
  TensorView q, k, v, out;
  TensorView lse; ///< May be empty: then it is not returned.
};

struct BackwardArgs {
  TensorView q, k, v, out, lse, dOut;
  TensorView dLse; ///< May be empty: zeros.
  TensorView dq, dk, dv;
  /// By tensor name (also the sink's): fp32, contiguous, of the tensor's own
  /// shape. Every tensor marked `grad` and the sink must be there.
  std::map<std::string, TensorView> gradients;
};

/// A problem made ready: bound inputs, offsets, runs of tiles, scratch sums.
class JACQUARD_API Plan {
public:
  Plan();
  ~Plan();
  Plan(Plan &&) noexcept;
  Plan &operator=(Plan &&) noexcept;

  /// Memory that depends on the problem: nothing that grows with the length for
  /// closed forms (but two small sums a row of the backward pass, made on its
  /// first use).
  int64_t bytes() const;
  double milliseconds() const; ///< Time that planning took.

  struct Impl;
  std::unique_ptr<Impl> impl;
};

struct PrepareOptions {
  ElementType element = ElementType::F32;
  int64_t headDim = 0, valueDim = 0; ///< valueDim 0: headDim.
  bool backward = true;
  std::map<std::string, ElementType> tensorElements = {}; ///< Default fp32.
  Schedule schedule = {};
};

struct Counters {
  int64_t compiles = 0, hits = 0;
};

/// A pattern compiled for a device.
class JACQUARD_API Operator {
public:
  virtual ~Operator() = default;
  virtual Expected<Plan> plan(const Problem &problem, const Inputs &inputs,
                              const PlanOptions &options = {}) = 0;
  /// scale: NaN for 1 / sqrt(headDim).
  virtual Status forward(Plan &plan, const ForwardArgs &args,
                         std::optional<double> scale = std::nullopt) = 0;
  virtual Status backward(Plan &plan, const BackwardArgs &args,
                          std::optional<double> scale = std::nullopt) = 0;
  virtual double compileMilliseconds() const = 0;
  virtual const std::vector<PhaseTime> &phases() const = 0;
};

class JACQUARD_API Device {
public:
  /// This machine's processor; 0 threads: all of them.
  static std::shared_ptr<Device> host(int threads = 0);
  virtual ~Device() = default;
  /// From memory, or compiled: one compilation for any lengths, heads, strides
  /// and values of parameters.
  virtual Expected<std::shared_ptr<Operator>>
  prepare(const Pattern &pattern, const PrepareOptions &options) = 0;
  virtual Counters counters() const = 0;
  virtual int threads() const = 0;
};

/// Values, and for each how far a target may be from it by rounding alone.
struct Bounded {
  std::vector<double> value, bound;
};

/// The same problem in fp64, pair by pair: what every target is tested against.
/// Contiguous: out, dq [batch, heads, q_len, dim], lse [batch, heads, q_len],
/// dk, dv [batch, kv_heads, k_len, dim], gradients of the tensors' own shapes.
/// Rows past a batch element's length are 0, their lse -inf.
struct Reference {
  Bounded out, lse, dq, dk, dv;
  std::map<std::string, Bounded> gradients;
};
/// Reads q, k, v and, backward, dOut and dLse of `args`.
JACQUARD_API Expected<Reference>
reference(const Pattern &pattern, const Problem &problem, const Inputs &inputs,
          const BackwardArgs &args, bool backward,
          std::optional<double> scale = std::nullopt);

/// The text at the end of a phase of the compilation.
JACQUARD_API Expected<std::string>
emitPhase(const Pattern &pattern, const PrepareOptions &options, Phase phase);

/// The pattern's data for a problem, checked and in the graph's order. The
/// views of `inputs` must outlive it.
JACQUARD_API Expected<Bindings> bind(const Pattern &pattern,
                                     const Problem &problem,
                                     const Inputs &inputs, bool checked);

JACQUARD_API std::string_view versionString();

} // namespace jacquard

#endif // JACQUARD_RUNTIME_JACQUARD_H
