//===- Graph.h - a checked pattern as a typed expression graph --*- C++ -*-===//
//
// The graph is what every later phase reads: names are resolved, calls of other
// patterns are expanded, types are checked, equal sub-expressions are one node.
// Nodes are stored in topological order (operands before users), so that every
// traversal is a loop and a shared sub-expression is visited once.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_GRAPH_H
#define JACQUARD_PATTERNS_GRAPH_H

#include "patterns/Error.h"

#include <array>
#include <map>
#include <string_view>

namespace jacquard {

/// Type of an expression. Integers are 32-bit values where they enter
/// (positions, parameters, tensor elements); arithmetic on them is exact in 64
/// bits and stays at the nearest end past them.
enum class Scalar : uint8_t { Bool, Int, Float };

enum class Op : uint8_t {
  // Leaves.
  BoolConst,
  IntConst,
  FloatConst,
  Batch,
  Head,
  KvHead, ///< b, h, g
  Query,
  Key,
  Row,   ///< q (row + q_offset[b]), k, row
  Logit, ///< s: the scaled logit, float
  QLen,
  KLen,
  Heads,
  KvHeads,
  Param, ///< ref: parameter
  // Run-time data.
  Load,     ///< ref: tensor; operands: one index an axis, each clamped to it
  Selected, ///< ref: selection; is (b, h, row, k) in it? bool
  // Arithmetic. Min, Max, Abs, Neg, Add, Sub, Mul: int or float.
  Add,
  Sub,
  Mul,
  FloorDiv,
  Mod, ///< int, rounding to minus infinity; a divisor of 0 gives 0
  Div, ///< float
  Neg,
  Abs,
  Min,
  Max,
  Where,   ///< bool ? x : y
  ToFloat, ///< int to float
  Exp,
  Log,
  Tanh,
  Sigmoid,
  Sqrt,
  Bit, ///< bit(x, i): bit i of the 32-bit int x; false for i outside [0, 32)
  // Comparisons of two ints or two floats. Greater forms swap their operands.
  Less,
  LessEqual,
  Equal,
  NotEqual,
  And,
  Or,
  Not,
  // Made by the tile analysis only: over the last axis of a `sorted` int tensor
  // `ref`, with operands (leading indices..., value): the first position whose
  // element is >= value. Indices past an end are clamped to it, so that a
  // result of
  // 0 or of the axis' length holds for every position: then -2^40 or 2^40.
  LowerBound,
};

using NodeId = uint32_t;
inline constexpr NodeId noNode = ~NodeId(0);

struct Node {
  Op op = Op::BoolConst;
  Scalar type = Scalar::Bool;
  uint32_t ref = 0;      ///< Param, Load, Selected, LowerBound, UpperBound.
  int64_t intValue = 0;  ///< BoolConst (0 or 1), IntConst.
  double floatValue = 0; ///< FloatConst (rounded to fp32).
  std::vector<NodeId> operands;
  /// Where the expression stands; not part of a node's identity.
  SourceSpan where;
};

struct Param {
  std::string name;
  Scalar type = Scalar::Int;          ///< Int, Float or Bool.
  std::optional<double> defaultValue; ///< Bool as 0 or 1.
  std::optional<double> min, max;     ///< Inclusive; checked at launch.
};

/// An axis of a tensor: a symbolic length or a number.
struct Extent {
  enum Kind : uint8_t {
    Batch,
    Heads,
    KvHeads,
    QLen,
    KLen,
    Number
  } kind = Number;
  int64_t number = 0;
  bool operator==(const Extent &) const = default;
};

struct Tensor {
  std::string name;
  Scalar type = Scalar::Int; ///< Int: int32 in memory; Float: fp32, fp16, bf16.
  std::vector<Extent> shape; ///< Up to 4 axes; none: one element.
  bool sorted = false;       ///< Non-decreasing along the last axis.
  bool grad = false;         ///< A gradient is wanted (Float only).
};

/// A number in a selection's declaration: a literal or an int parameter.
struct SizeRef {
  int64_t literal = 0;
  std::optional<uint32_t> param;
};

/// Block lists and intervals given at launch (int32 tensors).
struct Selection {
  enum Kind : uint8_t {
    Blocks, ///< [batch, heads, ceil(q_len / q_block), n]: key blocks, -1 pads
    TokenBlocks,     ///< [batch, kv_heads, q_len, n]: key blocks, -1 pads
    RowIntervals,    ///< [batch, heads, q_len, n, 2]: half-open key intervals
    ColumnIntervals, ///< [batch, heads, k_len, n, 2]: half-open row intervals
  } kind = Blocks;
  std::string name;
  SizeRef qBlock, kBlock; ///< Blocks: both; TokenBlocks: kBlock.
};

/// How a query's position follows from its row when lengths differ.
enum class Align : uint8_t { Unset, TopLeft, BottomRight };

class Graph {
public:
  std::string name;
  std::string description;
  std::vector<Param> params;
  std::vector<Tensor> tensors;
  std::vector<Selection> selections;
  Align align = Align::Unset;
  NodeId keep = noNode;  ///< Bool; always set (constant true when absent).
  NodeId score = noNode; ///< Float; always set (the Logit node when absent).
  std::optional<uint32_t> sink; ///< Index of a float[heads] tensor.
  std::shared_ptr<const SourceText>
      source; ///< For places of nodes; may be null.

  const std::vector<Node> &nodes() const { return storage; }
  const Node &operator[](NodeId id) const { return storage[id]; }

  /// The node equal to `node` (op, type, ref, values, operands), made if new.
  NodeId intern(Node node);

  NodeId boolean(bool value);
  NodeId integer(int64_t value);
  NodeId real(double value);
  /// A leaf without ref: Batch .. KvHeads.
  NodeId leaf(Op op);
  /// An operation whose type follows from its operands.
  NodeId make(Op op, std::vector<NodeId> operands, uint32_t ref = 0,
              SourceSpan where = {});

  /// True where `node` (transitively) reads any op for which `test` holds.
  /// One flag a node, in node order.
  template <typename Test> std::vector<bool> reach(Test test) const {
    std::vector<bool> flags(storage.size());
    for (size_t i = 0; i < storage.size(); ++i) {
      bool flag = test(storage[i]);
      for (NodeId operand : storage[i].operands)
        flag = flag || flags[operand];
      flags[i] = flag;
    }
    return flags;
  }

private:
  std::vector<Node> storage;
  std::map<std::string, NodeId> index; ///< Encoded node to id.
};

/// The quotient rounded to minus infinity and its remainder (of the divisor's
/// sign); both 0 for a divisor of 0.
struct FloorQuotient {
  int64_t quotient = 0, remainder = 0;
};
FloorQuotient floorDivide(int64_t a, int64_t b);

/// The op's name as it stands in text form ("+", "min", "q_len", ...).
std::string_view spelling(Op op);

/// A node as an expression in the text form, for messages and `explain`.
std::string printExpression(const Graph &graph, NodeId id);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_GRAPH_H
