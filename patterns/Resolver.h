//===- Resolver.h - what turns a card into a graph --------------*- C++ -*-===//
//
// Expressions are stored operands first, so that one loop over a card's array
// turns each into a node; nothing recurses but the calls of patterns, whose
// depth and total work are limited.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_RESOLVER_H
#define JACQUARD_PATTERNS_RESOLVER_H

#include "patterns/Ast.h"

#include <set>

namespace jacquard {

struct Function {
  std::string_view name;
  Op op;
  size_t arity;
};
inline constexpr std::array<Function, 10> functions{
    {{"min", Op::Min, 2},
     {"max", Op::Max, 2},
     {"abs", Op::Abs, 1},
     {"where", Op::Where, 3},
     {"exp", Op::Exp, 1},
     {"log", Op::Log, 1},
     {"tanh", Op::Tanh, 1},
     {"sigmoid", Op::Sigmoid, 1},
     {"sqrt", Op::Sqrt, 1},
     {"bit", Op::Bit, 2}}};

/// What a card's names mean in the graph that is being made: its own
/// declarations, or the arguments of a call.
struct Scope {
  std::map<std::string, NodeId> params;       ///< Values.
  std::map<std::string, uint32_t> tensors;    ///< Index in the graph.
  std::map<std::string, uint32_t> selections; ///< Index in the graph.
  std::map<std::string, NodeId> lets;
  std::set<std::string>
      scoreLets;         ///< Lets that read `s`: without a value in keep.
  NodeId logit = noNode; ///< The value of `s`; none in keep.
};

class Resolver {
public:
  Resolver(Graph &graph, CardLoader &loader) : graph(graph), loader(loader) {}

  /// Sets the graph's keep, score and sink; its declarations are there already.
  Status run(const Ast &ast);

private:
  /// One expression: which card, what its names mean, and whether a call of a
  /// pattern denotes its score (else its keep).
  struct Context {
    const Ast &ast;
    const Scope &scope;
    bool score;
  };

  // Resolve.cpp: names and types.
  Status resolveSink(const Ast &ast, const Scope &scope);
  Expected<NodeId> value(const Ast &ast, Scope scope, bool score);
  Status resolveLets(const Ast &ast, Scope &scope, bool score);
  Expected<NodeId> expression(const Context &context, ExprId root);
  Expected<NodeId> one(const Context &context, const Expr &expr,
                       std::vector<NodeId> &operands);
  Expected<NodeId> name(const Context &context, const Expr &expr);
  Expected<NodeId> index(const Context &context, const Expr &expr,
                         const std::vector<NodeId> &operands);
  Expected<NodeId> unary(const Ast &ast, const Expr &expr, NodeId operand);
  Expected<NodeId> binary(const Ast &ast, const Expr &expr, NodeId a, NodeId b);
  Expected<NodeId> builtin(const Ast &ast, const Expr &expr,
                           const Function &function,
                           std::vector<NodeId> &operands);
  Status checkUse(const Ast &ast) const;
  void markArguments(const Ast &ast);

  // ResolveCalls.cpp: calls of patterns.
  Expected<NodeId> callPattern(const Context &context, const Expr &expr,
                               const std::vector<NodeId> &operands);
  Expected<const Ast *> callee(const Ast &ast, const Expr &expr);
  Expected<const Ast *> use(const Ast &ast, size_t index);
  Status bind(const Context &context, const Expr &expr,
              const std::vector<NodeId> &operands, const Ast &target,
              Scope &inner);
  Expected<NodeId> bindParam(const Ast &ast, const Expr &expr,
                             const Param &param, const Ast &target,
                             NodeId value, SourceSpan where);
  NodeId withinLimits(NodeId value, const Param &param);

  Scalar typeOf(NodeId id) const {
    // A tensor's bare name as an argument has no value of its own.
    return id == noNode ? Scalar::Bool : graph[id].type;
  }
  NodeId toFloat(NodeId id) {
    return graph[id].type == Scalar::Int ? graph.make(Op::ToFloat, {id}) : id;
  }
  bool unify(NodeId &a, NodeId &b);
  NodeId choose(NodeId condition, NodeId a, NodeId b);
  /// Places lead into the card itself, not into cards it calls.
  SourceSpan whereIn(const Ast &ast, const Expr &expr) const {
    return ast.source == graph.source ? expr.where : SourceSpan{};
  }

  Graph &graph;
  CardLoader &loader;
  size_t work = 0; ///< Expressions resolved, each call of a pattern anew.
  std::map<std::string, std::unique_ptr<Ast>> loaded;
  std::vector<const Ast *> active; ///< Cards whose calls are being expanded.
  std::set<const Ast *> marked;    ///< Whose `tensorArguments` are known.
  std::set<const Expr *> tensorArguments;
};

/// The note that suggests the nearest of `names`; none if none is near.
std::vector<std::string> suggest(const std::string &word,
                                 const std::vector<std::string> &names);

template <typename Map> std::vector<std::string> keysOf(const Map &map) {
  std::vector<std::string> names;
  for (const auto &entry : map)
    names.push_back(entry.first);
  return names;
}

} // namespace jacquard

#endif // JACQUARD_PATTERNS_RESOLVER_H
