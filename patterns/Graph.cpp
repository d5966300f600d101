//===- Graph.cpp - making and printing expression nodes -------------------===//

#include "patterns/Graph.h"
#include "patterns/SaturatingMath.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

using namespace jacquard;

/// Identity of a node: every field but its place, each of fixed width.
static std::string encode(const Node &node) {
  std::string bytes;
  auto put = [&](uint64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  };
  put(static_cast<uint64_t>(node.op));
  put(static_cast<uint64_t>(node.type));
  put(node.ref);
  put(static_cast<uint64_t>(node.intValue));
  put(std::bit_cast<uint64_t>(node.floatValue));
  for (NodeId operand : node.operands)
    put(operand);
  return bytes;
}

NodeId Graph::intern(Node node) {
  auto [found, isNew] = index.try_emplace(encode(node), storage.size());
  if (isNew)
    storage.push_back(std::move(node));
  return found->second;
}

NodeId Graph::boolean(bool value) {
  Node node;
  node.op = Op::BoolConst;
  node.intValue = value;
  return intern(std::move(node));
}

NodeId Graph::integer(int64_t value) {
  Node node;
  node.op = Op::IntConst;
  node.type = Scalar::Int;
  node.intValue = value;
  return intern(std::move(node));
}

NodeId Graph::real(double value) {
  Node node;
  node.op = Op::FloatConst;
  node.type = Scalar::Float;
  node.floatValue = static_cast<float>(value);
  return intern(std::move(node));
}

NodeId Graph::leaf(Op op) {
  Node node;
  node.op = op;
  node.type = op == Op::Logit ? Scalar::Float : Scalar::Int;
  return intern(std::move(node));
}

/// The type of an operation over operands of the given types.
static Scalar resultType(const Graph &graph, Op op,
                         const std::vector<NodeId> &operands, uint32_t ref) {
  switch (op) {
  case Op::Param:
    return graph.params[ref].type;
  case Op::Load:
    return graph.tensors[ref].type;
  case Op::Selected:
  case Op::Bit:
  case Op::Less:
  case Op::LessEqual:
  case Op::Equal:
  case Op::NotEqual:
  case Op::And:
  case Op::Or:
  case Op::Not:
    return Scalar::Bool;
  case Op::FloorDiv:
  case Op::Mod:
  case Op::LowerBound:
    return Scalar::Int;
  case Op::Div:
  case Op::ToFloat:
  case Op::Exp:
  case Op::Log:
  case Op::Tanh:
  case Op::Sigmoid:
  case Op::Sqrt:
    return Scalar::Float;
  case Op::Where:
    return graph[operands[1]].type;
  default:
    return graph[operands[0]].type;
  }
}

/// The value of an int or bool operation on constants.
static std::optional<int64_t> foldInt(Op op, const std::vector<int64_t> &v) {
  switch (op) {
  case Op::Add:
    return saturatingAdd(v[0], v[1]);
  case Op::Sub:
    return saturatingSub(v[0], v[1]);
  case Op::Mul:
    return saturatingMul(v[0], v[1]);
  case Op::Neg:
    return saturatingSub(0, v[0]);
  case Op::Abs:
    return v[0] < 0 ? saturatingSub(0, v[0]) : v[0];
  case Op::Min:
    return std::min(v[0], v[1]);
  case Op::Max:
    return std::max(v[0], v[1]);
  case Op::FloorDiv:
    return floorDivide(v[0], v[1]).quotient;
  case Op::Mod:
    return floorDivide(v[0], v[1]).remainder;
  case Op::Less:
    return v[0] < v[1];
  case Op::LessEqual:
    return v[0] <= v[1];
  case Op::Equal:
    return v[0] == v[1];
  case Op::NotEqual:
    return v[0] != v[1];
  case Op::Bit:
    return v[1] >= 0 && v[1] < 32 && ((v[0] >> v[1]) & 1);
  default:
    return std::nullopt;
  }
}

FloorQuotient jacquard::floorDivide(int64_t a, int64_t b) {
  if (b == 0)
    return {0, 0};
  if (b == -1) // The quotient of the lowest number does not fit.
    return {saturatingSub(0, a), 0};
  int64_t quotient = a / b, remainder = a % b;
  if (remainder != 0 && (remainder < 0) != (b < 0))
    return {quotient - 1, remainder + b};
  return {quotient, remainder};
}

NodeId Graph::make(Op op, std::vector<NodeId> operands, uint32_t ref,
                   SourceSpan where) {
  auto isBool = [&](NodeId id, bool value) {
    return storage[id].op == Op::BoolConst &&
           (storage[id].intValue != 0) == value;
  };
  auto isInt = [&](NodeId id, int64_t value) {
    return storage[id].op == Op::IntConst && storage[id].intValue == value;
  };
  switch (op) {
  case Op::And:
  case Op::Or: {
    bool neutral = op == Op::And;
    if (isBool(operands[0], !neutral) || isBool(operands[1], neutral) ||
        operands[0] == operands[1])
      return operands[0];
    if (isBool(operands[1], !neutral) || isBool(operands[0], neutral))
      return operands[1];
    break;
  }
  case Op::Not:
    if (storage[operands[0]].op == Op::Not)
      return storage[operands[0]].operands[0];
    if (storage[operands[0]].op == Op::BoolConst)
      return boolean(!storage[operands[0]].intValue);
    break;
  case Op::Where:
    if (isBool(operands[0], true) || operands[1] == operands[2])
      return operands[1];
    if (isBool(operands[0], false))
      return operands[2];
    break;
  case Op::Add:
    if (isInt(operands[0], 0))
      return operands[1];
    [[fallthrough]];
  case Op::Sub:
    if (isInt(operands[1], 0))
      return operands[0];
    break;
  case Op::Mul:
    if (isInt(operands[0], 1))
      return operands[1];
    [[fallthrough]];
  case Op::FloorDiv:
    if (isInt(operands[1], 1))
      return operands[0];
    break;
  case Op::ToFloat:
    if (storage[operands[0]].op == Op::IntConst)
      return real(static_cast<double>(storage[operands[0]].intValue));
    break;
  default:
    break;
  }
  bool constant = !operands.empty() && op != Op::Load && op != Op::Selected &&
                  op != Op::LowerBound;
  std::vector<int64_t> values;
  for (NodeId operand : operands) {
    constant = constant && storage[operand].op == Op::IntConst;
    values.push_back(storage[operand].intValue);
  }
  Scalar type = resultType(*this, op, operands, ref);
  if (constant)
    if (std::optional<int64_t> value = foldInt(op, values))
      return type == Scalar::Bool ? boolean(*value != 0) : integer(*value);
  Node node;
  node.op = op;
  node.type = type;
  node.ref = ref;
  node.operands = std::move(operands);
  node.where = where;
  return intern(std::move(node));
}

std::string_view jacquard::spelling(Op op) {
  switch (op) {
  case Op::BoolConst:
    return "bool";
  case Op::IntConst:
    return "int";
  case Op::FloatConst:
    return "float";
  case Op::Batch:
    return "b";
  case Op::Head:
    return "h";
  case Op::KvHead:
    return "g";
  case Op::Query:
    return "q";
  case Op::Key:
    return "k";
  case Op::Row:
    return "row";
  case Op::Logit:
    return "s";
  case Op::QLen:
    return "q_len";
  case Op::KLen:
    return "k_len";
  case Op::Heads:
    return "heads";
  case Op::KvHeads:
    return "kv_heads";
  case Op::Param:
    return "param";
  case Op::Load:
    return "load";
  case Op::Selected:
    return "selected";
  case Op::Add:
    return "+";
  case Op::Sub:
  case Op::Neg:
    return "-";
  case Op::Mul:
    return "*";
  case Op::FloorDiv:
    return "//";
  case Op::Mod:
    return "%";
  case Op::Div:
    return "/";
  case Op::Abs:
    return "abs";
  case Op::Min:
    return "min";
  case Op::Max:
    return "max";
  case Op::Where:
    return "where";
  case Op::ToFloat:
    return "float";
  case Op::Exp:
    return "exp";
  case Op::Log:
    return "log";
  case Op::Tanh:
    return "tanh";
  case Op::Sigmoid:
    return "sigmoid";
  case Op::Sqrt:
    return "sqrt";
  case Op::Bit:
    return "bit";
  case Op::Less:
    return "<";
  case Op::LessEqual:
    return "<=";
  case Op::Equal:
    return "==";
  case Op::NotEqual:
    return "!=";
  case Op::And:
    return "and";
  case Op::Or:
    return "or";
  case Op::Not:
    return "not";
  case Op::LowerBound:
    return "lower_bound";
  }
  return "";
}

namespace {
/// Binding strength in the text form; calls and names bind strongest.
enum Precedence {
  OrLevel = 1,
  AndLevel,
  NotLevel,
  CompareLevel,
  SumLevel,
  ProductLevel,
  UnaryLevel,
  AtomLevel
};
} // namespace

static Precedence precedence(const Graph &graph, const Node &node) {
  switch (node.op) {
  case Op::ToFloat:
    return precedence(graph, graph[node.operands[0]]);
  case Op::Or:
    return OrLevel;
  case Op::And:
    return AndLevel;
  case Op::Not:
    return NotLevel;
  case Op::Less:
  case Op::LessEqual:
  case Op::Equal:
  case Op::NotEqual:
    return CompareLevel;
  case Op::Add:
  case Op::Sub:
    return SumLevel;
  case Op::Mul:
  case Op::FloorDiv:
  case Op::Mod:
  case Op::Div:
    return ProductLevel;
  case Op::Neg:
    return UnaryLevel;
  case Op::IntConst:
    return node.intValue < 0 ? UnaryLevel : AtomLevel;
  case Op::FloatConst:
    return node.floatValue < 0 ? UnaryLevel : AtomLevel;
  default:
    return AtomLevel;
  }
}

static std::string printFloat(double value) {
  char text[64];
  char *end =
      std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr;
  std::string result(text, end);
  if (result.find_first_of(".en") == std::string::npos)
    result += ".0";
  return result;
}

namespace {
/// A string a node, built in node order so that nothing recurses; an expression
/// longer than this is cut.
struct Printer {
  static constexpr size_t longest = 2000;
  const Graph &graph;
  std::vector<std::string> texts;

  std::string wrapped(NodeId id, int level) const {
    if (precedence(graph, graph[id]) < level)
      return "(" + texts[id] + ")";
    return texts[id];
  }

  std::string list(const std::vector<NodeId> &operands, size_t count) const {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += (i ? ", " : "") + texts[operands[i]];
    return text;
  }

  std::string print(const Node &node) const {
    std::string name(spelling(node.op));
    const std::vector<NodeId> &operands = node.operands;
    switch (node.op) {
    case Op::BoolConst:
      return node.intValue ? "true" : "false";
    case Op::IntConst:
      return std::to_string(node.intValue);
    case Op::FloatConst:
      return printFloat(node.floatValue);
    case Op::Param:
      return graph.params[node.ref].name;
    case Op::Selected:
      return graph.selections[node.ref].name;
    case Op::ToFloat:
      return texts[operands[0]];
    case Op::Load:
      if (operands.empty())
        return graph.tensors[node.ref].name;
      return graph.tensors[node.ref].name + "[" +
             list(operands, operands.size()) + "]";
    case Op::LowerBound: {
      std::string text = name + "(" + graph.tensors[node.ref].name;
      if (operands.size() > 1)
        text += "[" + list(operands, operands.size() - 1) + "]";
      return text + ", " + texts[operands.back()] + ")";
    }
    case Op::Neg:
      return "-" + wrapped(operands[0], UnaryLevel);
    case Op::Not:
      return "not " + wrapped(operands[0], NotLevel);
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::FloorDiv:
    case Op::Mod:
    case Op::Div:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual:
    case Op::And:
    case Op::Or: {
      int level = precedence(graph, node);
      bool compare = level == CompareLevel; // Comparisons do not chain.
      return wrapped(operands[0], compare ? level + 1 : level) + " " + name +
             " " + wrapped(operands[1], level + 1);
    }
    default:
      if (operands.empty())
        return name;
      return name + "(" + list(operands, operands.size()) + ")";
    }
  }
};
} // namespace

std::string jacquard::printExpression(const Graph &graph, NodeId id) {
  Printer printer{graph, std::vector<std::string>(id + 1)};
  std::vector<bool> needed(id + 1);
  needed[id] = true;
  for (NodeId i = id + 1; i-- > 0;)
    if (needed[i])
      for (NodeId operand : graph[i].operands)
        needed[operand] = true;
  for (NodeId i = 0; i <= id; ++i) {
    if (!needed[i])
      continue;
    printer.texts[i] = printer.print(graph[i]);
    if (printer.texts[i].size() > Printer::longest)
      printer.texts[i] = printer.texts[i].substr(0, Printer::longest) + "...";
  }
  return printer.texts[id];
}
