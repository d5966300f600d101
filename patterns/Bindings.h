//===- Bindings.h - run-time values that a graph is evaluated with --------===//
//
// Sizes, parameters, tensors and selections of one launch, on the host. Views
// never own; axes of size 1 broadcast.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_BINDINGS_H
#define JACQUARD_PATTERNS_BINDINGS_H

#include "patterns/Graph.h"

#include <span>

namespace jacquard {

enum class ElementType : uint8_t { F32, F16, BF16, I32 };

/// Bytes of one element.
inline int64_t sizeOf(ElementType type) {
  return type == ElementType::F32 || type == ElementType::I32 ? 4 : 2;
}

/// "f32", "f16", "bf16" or "int32".
std::string_view elementName(ElementType type);

/// The value of an fp16 or bf16 bit pattern.
double decode16(uint16_t bits, ElementType type);

/// A strided array in host memory; strides count elements.
struct ArrayView {
  const void *data = nullptr;
  ElementType type = ElementType::I32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;

  /// Row-major strides for `shape`.
  static std::vector<int64_t> contiguous(std::span<const int64_t> shape);
};

/// Sizes of one problem. Lengths may differ per batch element.
struct ProblemShape {
  int64_t batch = 1, heads = 1, kvHeads = 1;
  int64_t qLen = 0, kLen = 0; ///< The longest of the batch.
  std::vector<int64_t> qLens,
      kLens;                     ///< Per batch element, or empty: all equal.
  std::vector<int64_t> qOffsets; ///< Per batch element: q = row + offset. Never
                                 ///< empty in a resolved problem.

  /// What an axis of a tensor measures.
  int64_t measure(const Extent &extent) const {
    switch (extent.kind) {
    case Extent::Batch:
      return batch;
    case Extent::Heads:
      return heads;
    case Extent::KvHeads:
      return kvHeads;
    case Extent::QLen:
      return qLen;
    case Extent::KLen:
      return kLen;
    case Extent::Number:
      return extent.number;
    }
    return 0;
  }
  int64_t qLenOf(int64_t b) const { return qLens.empty() ? qLen : qLens[b]; }
  int64_t kLenOf(int64_t b) const { return kLens.empty() ? kLen : kLens[b]; }
  int64_t qOffsetOf(int64_t b) const {
    return qOffsets.empty() ? 0 : qOffsets[b];
  }
};

/// A parameter's value; ints and bools are held exactly.
struct ParamValue {
  int64_t intValue = 0;
  double floatValue = 0;
};

/// Everything that a graph reads at launch, in the graph's order.
struct Bindings {
  ProblemShape shape;
  std::vector<ParamValue> params;
  std::vector<ArrayView> tensors;
  std::vector<ArrayView> selections;
};

/// Evaluates nodes at one (b, h, row, k), slowly and plainly. Loads are
/// clamped. Not thread safe: one an evaluating thread.
class Evaluator {
public:
  Evaluator(const Graph &graph, const Bindings &bindings);

  /// Fixes batch and query head; forgets the row and the key.
  void setHead(int64_t b, int64_t h);
  /// Fixes the query row (position row + offset).
  void setRow(int64_t row);
  /// Fixes the query position directly, where a row is not known (ends of
  /// blocks).
  void setPosition(int64_t q) { setRow(q - offset); }
  void setKey(int64_t k);
  void setLogit(double s);

  int64_t evalInt(NodeId id);  ///< Int or Bool (0 or 1).
  double evalFloat(NodeId id); ///< Float, in fp64.
  bool evalBool(NodeId id) { return evalInt(id) != 0; }

private:
  struct Value {
    int64_t i = 0;
    double f = 0;
  };
  void run(NodeId upTo);
  Value compute(const Node &node);
  bool selected(const Selection &decl, const ArrayView &view) const;

  const Graph &graph;
  const Bindings &bindings;
  int64_t b = 0, h = 0, row = 0, k = 0, offset = 0;
  double logit = 0;
  std::vector<Value> values;
  std::vector<uint8_t> level; ///< What a node depends on: 0 head, 1 row, 2 key.
  std::vector<uint64_t> stamp; ///< Generation in which a node was computed.
  std::array<uint64_t, 3> generation{1, 1, 1};
  std::vector<NodeId> pending;
};

/// Checks `bindings` against the graph's declarations: every parameter within
/// its limits, every tensor's type, rank and axes (1 broadcasts), selections'
/// ranks, head counts, lengths, offsets (`align` resolved into
/// `shape.qOffsets`; different lengths without either are an error). With
/// `checked`, also reads the data of `sorted` tensors.
Status resolveBindings(const Graph &graph, Bindings &bindings, Align align,
                       bool checked);

/// For the checked mode, slow: is every index that an expression computes
/// within its axis, for every kept pair? E0315 names the tensor, the index and
/// the place.
Status checkIndices(const Graph &graph, const Bindings &bindings);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_BINDINGS_H
