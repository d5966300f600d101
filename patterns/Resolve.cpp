//===- Resolve.cpp - names, types and calls --------------------------------===//
//
// Expressions are stored operands first, so that one loop over a card's array turns
// each into a node; nothing recurses but the calls of patterns, whose depth is
// limited.
//
//===----------------------------------------------------------------------===//

#include "patterns/Declarations.h"

#include <algorithm>
#include <array>
#include <set>

using namespace jacquard;

namespace {
constexpr size_t mostNodes = 4096;
constexpr int deepestCall = 16;

struct Function {
  std::string_view name;
  Op op;
  size_t arity;
};
constexpr std::array<Function, 10> functions{{{"min", Op::Min, 2},
                                              {"max", Op::Max, 2},
                                              {"abs", Op::Abs, 1},
                                              {"where", Op::Where, 3},
                                              {"exp", Op::Exp, 1},
                                              {"log", Op::Log, 1},
                                              {"tanh", Op::Tanh, 1},
                                              {"sigmoid", Op::Sigmoid, 1},
                                              {"sqrt", Op::Sqrt, 1},
                                              {"bit", Op::Bit, 2}}};

constexpr std::array<Op, 11> leafOps{Op::Batch, Op::Head, Op::KvHead, Op::Query,
                                     Op::Key,   Op::Row,  Op::QLen,   Op::KLen,
                                     Op::Heads, Op::KvHeads, Op::Logit};

std::string describe(Scalar type) { return std::string(scalarName(type)); }

/// What a card's names mean in the graph that is being made: its own declarations,
/// or the arguments of a call.
struct Scope {
  std::map<std::string, NodeId> params;       ///< Values.
  std::map<std::string, uint32_t> tensors;    ///< Index in the graph.
  std::map<std::string, uint32_t> selections; ///< Index in the graph.
  NodeId logit = noNode;                      ///< The value of `s`; none in keep.
};

class Resolver {
public:
  Resolver(Graph &graph, CardLoader &loader) : graph(graph), loader(loader) {}

  Status run(const Ast &ast) {
    Scope scope;
    for (uint32_t i = 0; i < graph.params.size(); ++i)
      scope.params[graph.params[i].name] = graph.make(Op::Param, {}, i);
    for (uint32_t i = 0; i < graph.tensors.size(); ++i)
      scope.tensors[graph.tensors[i].name] = i;
    for (uint32_t i = 0; i < graph.selections.size(); ++i)
      scope.selections[graph.selections[i].name] = i;
    active.push_back(ast.name);
    if (!ast.sink.empty())
      if (Status status = resolveSink(ast, scope); !status)
        return status;
    Expected<NodeId> keep = value(ast, scope, /*score=*/false, 0);
    if (!keep)
      return keep.takeError();
    graph.keep = *keep;
    scope.logit = graph.leaf(Op::Logit);
    Expected<NodeId> score = value(ast, scope, /*score=*/true, 0);
    if (!score)
      return score.takeError();
    graph.score = *score;
    return checkUse(ast);
  }

private:
  Status resolveSink(const Ast &ast, const Scope &scope) {
    SourceSpan where = placeOf(ast, "sink");
    auto found = scope.tensors.find(ast.sink);
    if (found == scope.tensors.end())
      return ast.error("E0121", "sink names no tensor of the card: '" + ast.sink + "'",
                       where, suggest(ast.sink, keys(scope.tensors)));
    const Tensor &tensor = graph.tensors[found->second];
    if (tensor.type != Scalar::Float || tensor.shape.size() != 1 ||
        tensor.shape[0].kind != Extent::Heads)
      return ast.error("E0129", "the sink must be a float[heads] tensor", where);
    graph.sink = found->second;
    return {};
  }

  static SourceSpan placeOf(const Ast &ast, const std::string &key) {
    auto found = ast.places.find(key);
    return found == ast.places.end() ? SourceSpan{} : found->second;
  }

  template <typename Map> static std::vector<std::string> keys(const Map &map) {
    std::vector<std::string> names;
    for (const auto &entry : map)
      names.push_back(entry.first);
    return names;
  }

  static std::vector<std::string> suggest(const std::string &word,
                                          const std::vector<std::string> &names) {
    if (std::optional<std::string> near = nearest(word, names))
      return {"did you mean '" + *near + "'?"};
    return {};
  }

  /// The keep or the score of a card whose names mean what `scope` says.
  Expected<NodeId> value(const Ast &ast, const Scope &scope, bool score, int calls) {
    markArguments(ast);
    ExprId root = score ? ast.score : ast.keep;
    if (root == noExpr)
      return score ? scope.logit : graph.boolean(true);
    std::map<std::string, NodeId> lets;
    Scope inLet = scope; // `s` has no meaning there: a let may stand in keep too.
    if (!score)
      inLet.logit = noNode;
    for (const LetDecl &let : ast.lets) {
      Expected<NodeId> node =
          expression(ast, inLet, lets, firstOf(ast, let.value), let.value, false, calls);
      if (!node)
        return node;
      lets[let.name] = *node;
    }
    Expected<NodeId> node =
        expression(ast, scope, lets, firstOf(ast, root), root, score, calls);
    if (!node)
      return node;
    Scalar wanted = score ? Scalar::Float : Scalar::Bool;
    NodeId result = *node;
    if (score && graph[result].type == Scalar::Int)
      result = graph.make(Op::ToFloat, {result});
    if (graph[result].type != wanted)
      return ast.error("E0122",
                       std::string(score ? "score" : "keep") + " must be " +
                           describe(wanted) + ", got " + describe(graph[result].type),
                       ast[root].where);
    return result;
  }

  /// The first of the expressions that belong to `root`: they are contiguous.
  static ExprId firstOf(const Ast &ast, ExprId root) {
    std::vector<ExprId> work{root};
    ExprId least = root;
    while (!work.empty()) {
      ExprId id = work.back();
      work.pop_back();
      least = std::min(least, id);
      work.insert(work.end(), ast[id].operands.begin(), ast[id].operands.end());
    }
    return least;
  }

  Expected<NodeId> expression(const Ast &ast, const Scope &scope,
                              const std::map<std::string, NodeId> &lets, ExprId first,
                              ExprId root, bool score, int calls) {
    std::vector<NodeId> nodes(root - first + 1, noNode);
    for (ExprId id = first; id <= root; ++id) {
      const Expr &expr = ast[id];
      std::vector<NodeId> operands;
      for (ExprId operand : expr.operands)
        operands.push_back(nodes[operand - first]);
      Expected<NodeId> node = one(ast, scope, lets, expr, operands, score, calls);
      if (!node)
        return node;
      if (graph.nodes().size() > mostNodes)
        return ast.error("E0118",
                         "with its calls expanded the pattern has more than " +
                             std::to_string(mostNodes) + " nodes",
                         expr.where);
      nodes[id - first] = *node;
    }
    return nodes.back();
  }

  Expected<NodeId> one(const Ast &ast, const Scope &scope,
                       const std::map<std::string, NodeId> &lets, const Expr &expr,
                       std::vector<NodeId> &operands, bool score, int calls) {
    switch (expr.kind) {
    case Expr::Bool: return graph.boolean(expr.intValue != 0);
    case Expr::Int: return graph.integer(expr.intValue);
    case Expr::Float: return graph.real(expr.floatValue);
    case Expr::Name: return name(ast, scope, lets, expr);
    case Expr::Index: return index(ast, scope, expr, operands);
    case Expr::Call: return call(ast, scope, expr, operands, score, calls);
    case Expr::Unary: {
      Scalar type = typeOf(operands[0]);
      bool isNot = expr.op == Expr::Not;
      if (isNot != (type == Scalar::Bool))
        return ast.error("E0122",
                         isNot ? "not takes a bool, got " + describe(type)
                               : "- takes a number, got bool",
                         expr.where);
      return graph.make(isNot ? Op::Not : Op::Neg, operands, 0, whereIn(ast, expr));
    }
    case Expr::Binary: return binary(ast, expr, operands);
    }
    return graph.boolean(false);
  }

  Scalar typeOf(NodeId id) const {
    // A selection's or tensor's bare name as an argument has no value of its own.
    return id == noNode ? Scalar::Bool : graph[id].type;
  }

  /// Places lead into the card itself, not into cards it calls.
  SourceSpan whereIn(const Ast &ast, const Expr &expr) const {
    return ast.source == graph.source ? expr.where : SourceSpan{};
  }

  Expected<NodeId> name(const Ast &ast, const Scope &scope,
                        const std::map<std::string, NodeId> &lets,
                        const Expr &expr) {
    if (auto let = lets.find(expr.name); let != lets.end())
      return let->second;
    if (auto param = scope.params.find(expr.name); param != scope.params.end())
      return param->second;
    if (auto tensor = scope.tensors.find(expr.name); tensor != scope.tensors.end()) {
      // A bare tensor is a scalar, or the argument of a call.
      if (graph.tensors[tensor->second].shape.empty())
        return graph.make(Op::Load, {}, tensor->second, whereIn(ast, expr));
      return pendingArgument(ast, expr, "tensor '" + expr.name + "' needs " +
                                            std::to_string(graph.tensors[tensor->second]
                                                               .shape.size()) +
                                            " indices");
    }
    if (auto selection = scope.selections.find(expr.name);
        selection != scope.selections.end())
      return graph.make(Op::Selected, {}, selection->second, whereIn(ast, expr));
    for (Op op : leafOps)
      if (spelling(op) == expr.name) {
        if (op != Op::Logit)
          return graph.leaf(op);
        if (scope.logit != noNode)
          return scope.logit;
        return ast.error("E0123", "'s', the score, has no value in keep", expr.where);
      }
    std::vector<std::string> known = keys(scope.params);
    for (const auto &names : {keys(scope.tensors), keys(scope.selections), keys(lets)})
      known.insert(known.end(), names.begin(), names.end());
    for (Op op : leafOps)
      known.emplace_back(spelling(op));
    return ast.error("E0121", "unknown name '" + expr.name + "'", expr.where,
                     suggest(expr.name, known));
  }

  /// A tensor's bare name is no value: only a call may use it, by its expression.
  Expected<NodeId> pendingArgument(const Ast &ast, const Expr &expr,
                                   const std::string &problem) {
    if (tensorArguments.count(&expr))
      return noNode;
    return ast.error("E0124", problem, expr.where);
  }

  Expected<NodeId> index(const Ast &ast, const Scope &scope, const Expr &expr,
                         const std::vector<NodeId> &operands) {
    auto tensor = scope.tensors.find(expr.name);
    if (tensor == scope.tensors.end())
      return ast.error("E0121", "no tensor is named '" + expr.name + "'", expr.where,
                       suggest(expr.name, keys(scope.tensors)));
    const Tensor &decl = graph.tensors[tensor->second];
    if (decl.shape.size() != operands.size())
      return ast.error("E0124",
                       "tensor '" + expr.name + "' has " +
                           std::to_string(decl.shape.size()) + " axes, got " +
                           std::to_string(operands.size()) + " indices",
                       expr.where);
    for (size_t i = 0; i < operands.size(); ++i)
      if (typeOf(operands[i]) != Scalar::Int)
        return ast.error("E0122", "an index must be int, got " +
                                      describe(typeOf(operands[i])),
                         ast[expr.operands[i]].where);
    return graph.make(Op::Load, operands, tensor->second, whereIn(ast, expr));
  }

  NodeId toFloat(NodeId id) {
    return graph[id].type == Scalar::Int ? graph.make(Op::ToFloat, {id}) : id;
  }

  /// Makes two numbers of one type; false if one is no number.
  bool unify(NodeId &a, NodeId &b) {
    if (graph[a].type == Scalar::Bool || graph[b].type == Scalar::Bool)
      return false;
    if (graph[a].type != graph[b].type) {
      a = toFloat(a);
      b = toFloat(b);
    }
    return true;
  }

  Expected<NodeId> binary(const Ast &ast, const Expr &expr,
                          std::vector<NodeId> &operands) {
    NodeId a = operands[0], b = operands[1];
    auto mismatch = [&](const std::string &needs) {
      return ast.error("E0122", needs + ", got " + describe(typeOf(a)) + " and " +
                                    describe(typeOf(b)),
                       expr.where);
    };
    SourceSpan where = whereIn(ast, expr);
    bool bools = typeOf(a) == Scalar::Bool && typeOf(b) == Scalar::Bool;
    switch (expr.op) {
    case Expr::And:
    case Expr::Or:
      if (!bools)
        return mismatch("and, or take two bools");
      return graph.make(expr.op == Expr::And ? Op::And : Op::Or, {a, b}, 0, where);
    case Expr::Equal:
    case Expr::NotEqual:
      if (!bools && !unify(a, b))
        return mismatch("a comparison takes two numbers or two bools");
      return graph.make(expr.op == Expr::Equal ? Op::Equal : Op::NotEqual, {a, b}, 0,
                        where);
    case Expr::Less: case Expr::LessEqual: case Expr::Greater: case Expr::GreaterEqual: {
      if (!unify(a, b))
        return mismatch("a comparison takes two numbers");
      bool swap = expr.op == Expr::Greater || expr.op == Expr::GreaterEqual;
      bool strict = expr.op == Expr::Less || expr.op == Expr::Greater;
      if (swap)
        std::swap(a, b);
      return graph.make(strict ? Op::Less : Op::LessEqual, {a, b}, 0, where);
    }
    case Expr::FloorDiv:
    case Expr::Mod:
      if (typeOf(a) != Scalar::Int || typeOf(b) != Scalar::Int)
        return mismatch(expr.op == Expr::Mod ? "% takes two ints"
                                             : "// takes two ints");
      if (graph[b].op == Op::IntConst && graph[b].intValue == 0)
        return ast.error("E0125", "division by zero", ast[expr.operands[1]].where);
      return graph.make(expr.op == Expr::Mod ? Op::Mod : Op::FloorDiv, {a, b}, 0, where);
    case Expr::Div: {
      if (typeOf(a) == Scalar::Bool || typeOf(b) == Scalar::Bool)
        return mismatch("/ takes two numbers");
      a = toFloat(a);
      b = toFloat(b);
      if (graph[b].op == Op::FloatConst && graph[b].floatValue == 0)
        return ast.error("E0125", "division by zero", ast[expr.operands[1]].where);
      return graph.make(Op::Div, {a, b}, 0, where);
    }
    case Expr::Add: case Expr::Sub: case Expr::Mul: {
      if (!unify(a, b))
        return mismatch("arithmetic takes two numbers");
      Op op = expr.op == Expr::Add ? Op::Add : expr.op == Expr::Sub ? Op::Sub : Op::Mul;
      return graph.make(op, {a, b}, 0, where);
    }
    default: return mismatch("two operands");
    }
  }

  Expected<NodeId> call(const Ast &ast, const Scope &scope, const Expr &expr,
                        std::vector<NodeId> &operands, bool score, int calls) {
    for (const Function &function : functions)
      if (function.name == expr.name)
        return builtin(ast, expr, function, operands);
    return callPattern(ast, scope, expr, operands, score, calls);
  }

  Expected<NodeId> builtin(const Ast &ast, const Expr &expr, const Function &function,
                           std::vector<NodeId> &operands) {
    for (const std::string &argument : expr.argumentNames)
      if (!argument.empty())
        return ast.error("E0126", "'" + expr.name + "' takes no named arguments",
                         expr.where);
    if (operands.size() != function.arity)
      return ast.error("E0126", "'" + expr.name + "' takes " +
                                    std::to_string(function.arity) +
                                    " arguments, got " +
                                    std::to_string(operands.size()),
                       expr.where);
    auto wrong = [&](const std::string &needs) {
      std::string got;
      for (NodeId operand : operands)
        got += (got.empty() ? "" : ", ") + describe(typeOf(operand));
      return ast.error("E0122", "'" + expr.name + "' takes " + needs + ", got " + got,
                       expr.where);
    };
    SourceSpan where = whereIn(ast, expr);
    switch (function.op) {
    case Op::Min: case Op::Max:
      if (!unify(operands[0], operands[1]))
        return wrong("two numbers");
      break;
    case Op::Abs:
      if (typeOf(operands[0]) == Scalar::Bool)
        return wrong("a number");
      break;
    case Op::Where: {
      bool bools = typeOf(operands[1]) == Scalar::Bool &&
                   typeOf(operands[2]) == Scalar::Bool;
      if (typeOf(operands[0]) != Scalar::Bool ||
          (!bools && !unify(operands[1], operands[2])))
        return wrong("a bool and two values of one type");
      break;
    }
    case Op::Bit:
      if (typeOf(operands[0]) != Scalar::Int || typeOf(operands[1]) != Scalar::Int)
        return wrong("two ints");
      break;
    default:
      if (typeOf(operands[0]) == Scalar::Bool)
        return wrong("a number");
      operands[0] = toFloat(operands[0]);
      break;
    }
    return graph.make(function.op, operands, 0, where);
  }

  /// The card that a call names: one of `uses`, or of the library.
  Expected<const Ast *> callee(const Ast &ast, const Expr &expr) {
    for (size_t i = 0; i < ast.uses.size(); ++i) {
      const std::string &use = ast.uses[i];
      std::string key = ast.source->name + "\n" + use;
      auto found = loaded.find(key);
      if (found == loaded.end()) {
        std::optional<SourceText> text = loader.load(use, *ast.source);
        SourceSpan where = placeOf(ast, "uses." + std::to_string(i));
        if (!text)
          return ast.error("E0127", "can't find the pattern \"" + use + "\"", where);
        Expected<Ast> parsed = parseCard(text->name, text->text);
        if (!parsed) {
          Error error = ast.error("E0127", "the pattern \"" + use + "\" is in error",
                                  where);
          error.cause = std::make_shared<Error>(parsed.takeError());
          return error;
        }
        found = loaded.emplace(key, std::make_unique<Ast>(std::move(*parsed))).first;
      }
      if (found->second->name == expr.name)
        return found->second.get();
    }
    auto found = loaded.find("\n" + expr.name);
    if (found != loaded.end())
      return found->second.get();
    std::string_view text = libraryCard(expr.name);
    if (text.empty()) {
      std::vector<std::string> known;
      for (const Function &function : functions)
        known.emplace_back(function.name);
      for (std::string_view own : libraryNames())
        known.emplace_back(own);
      return ast.error("E0121", "unknown function or pattern '" + expr.name + "'",
                       expr.where, suggest(expr.name, known));
    }
    Expected<Ast> parsed =
        parseCard("library/" + expr.name + ".json", std::string(text));
    if (!parsed)
      return parsed.takeError();
    auto own = std::make_unique<Ast>(std::move(*parsed));
    return loaded.emplace("\n" + expr.name, std::move(own)).first->second.get();
  }

  Expected<NodeId> callPattern(const Ast &ast, const Scope &scope, const Expr &expr,
                               const std::vector<NodeId> &operands, bool score,
                               int calls) {
    Expected<const Ast *> found = callee(ast, expr);
    if (!found)
      return found.takeError();
    const Ast &target = **found;
    auto cycle = std::find(active.begin(), active.end(), target.name);
    if (cycle != active.end()) {
      std::string path;
      for (auto it = cycle; it != active.end(); ++it)
        path += *it + " -> ";
      return ast.error("E0128", "patterns call each other in a circle: " + path +
                                    target.name,
                       expr.where);
    }
    if (calls >= deepestCall)
      return ast.error("E0128", "calls nest deeper than " +
                                    std::to_string(deepestCall),
                       expr.where);
    if (!target.sink.empty())
      return ast.error("E0129", "'" + target.name +
                                    "' has a sink, which a call can't pass on",
                       expr.where, {"declare the sink in the calling pattern"});
    Scope inner;
    inner.logit = score ? scope.logit : noNode;
    if (Status status = bind(ast, scope, expr, operands, target, inner); !status)
      return status.takeError();
    active.push_back(target.name);
    Expected<NodeId> result = value(target, inner, score, calls + 1);
    active.pop_back();
    if (result)
      return result;
    Error error = ast.error("E0127", "in this call of '" + target.name + "'",
                            expr.where);
    error.cause = std::make_shared<Error>(result.takeError());
    return error;
  }

  Status bind(const Ast &ast, const Scope &scope, const Expr &expr,
              const std::vector<NodeId> &operands, const Ast &target, Scope &inner) {
    std::vector<std::string> order;
    for (const Param &param : target.params)
      order.push_back(param.name);
    for (const Tensor &tensor : target.tensors)
      order.push_back(tensor.name);
    for (const SelectionDecl &selection : target.selections)
      order.push_back(selection.name);
    std::map<std::string, size_t> given;
    size_t position = 0;
    for (size_t i = 0; i < operands.size(); ++i) {
      std::string name = expr.argumentNames[i];
      SourceSpan where = ast[expr.operands[i]].where;
      if (name == "s") {
        if (inner.logit == noNode || typeOf(operands[i]) == Scalar::Bool)
          return ast.error("E0126", "'s' can be given in score only, as a number",
                           where);
        inner.logit = toFloat(operands[i]);
        continue;
      }
      if (name.empty()) {
        if (position >= order.size())
          return ast.error("E0126", "'" + target.name + "' takes " +
                                        std::to_string(order.size()) + " arguments",
                           where);
        name = order[position++];
      } else if (std::find(order.begin(), order.end(), name) == order.end()) {
        return ast.error("E0126", "'" + target.name + "' has no '" + name + "'", where,
                         suggest(name, order));
      }
      if (!given.emplace(name, i).second)
        return ast.error("E0126", "'" + name + "' is given twice", where);
    }
    for (const Param &param : target.params)
      if (Status status = bindParam(ast, expr, operands, given, param, target, inner);
          !status)
        return status;
    for (const Tensor &tensor : target.tensors) {
      Expected<std::string> name = argumentName(ast, expr, given, tensor.name, target);
      if (!name)
        return name.takeError();
      SourceSpan where = ast[expr.operands[given[tensor.name]]].where;
      auto own = scope.tensors.find(*name);
      if (own == scope.tensors.end())
        return ast.error("E0126", "'" + tensor.name + "' must be a tensor of this card",
                         where);
      const Tensor &decl = graph.tensors[own->second];
      if (decl.type != tensor.type || decl.shape.size() != tensor.shape.size() ||
          (tensor.sorted && !decl.sorted))
        return ast.error("E0126",
                         "tensor '" + *name + "' does not fit '" + tensor.name +
                             "' of '" + target.name + "'",
                         where, {"type, number of axes and `sorted` must agree"});
      inner.tensors[tensor.name] = own->second;
    }
    for (const SelectionDecl &selection : target.selections) {
      Expected<std::string> name =
          argumentName(ast, expr, given, selection.name, target);
      if (!name)
        return name.takeError();
      auto own = scope.selections.find(*name);
      if (own == scope.selections.end() ||
          graph.selections[own->second].kind != selection.kind)
        return ast.error("E0126", "'" + selection.name + "' must be a selection of " +
                                      std::string(selectionName(selection.kind)),
                         ast[expr.operands[given[selection.name]]].where);
      inner.selections[selection.name] = own->second;
    }
    return {};
  }

  Status bindParam(const Ast &ast, const Expr &expr,
                   const std::vector<NodeId> &operands,
                   const std::map<std::string, size_t> &given, const Param &param,
                   const Ast &target, Scope &inner) {
    auto argument = given.find(param.name);
    if (argument == given.end()) {
      if (!param.defaultValue)
        return ast.error("E0126", "'" + target.name + "' needs '" + param.name + "'",
                         expr.where);
      inner.params[param.name] =
          param.type == Scalar::Float ? graph.real(*param.defaultValue)
          : param.type == Scalar::Int
              ? graph.integer(static_cast<int64_t>(*param.defaultValue))
              : graph.boolean(*param.defaultValue != 0);
      return {};
    }
    NodeId value = operands[argument->second];
    SourceSpan where = ast[expr.operands[argument->second]].where;
    if (value == noNode)
      return ast.error("E0122", "'" + param.name + "' takes a value, got a tensor",
                       where);
    if (param.type == Scalar::Float)
      value = toFloat(value);
    if (graph[value].type != param.type)
      return ast.error("E0122", "'" + param.name + "' is " + describe(param.type) +
                                    ", got " + describe(graph[value].type),
                       where);
    const Node &node = graph[value];
    if (node.op == Op::IntConst || node.op == Op::FloatConst) {
      double number = node.op == Op::IntConst ? static_cast<double>(node.intValue)
                                              : node.floatValue;
      if ((param.min && number < *param.min) || (param.max && number > *param.max))
        return ast.error("E0107", "'" + param.name + "' of '" + target.name +
                                      "' is out of its limits",
                         where);
    } else if (param.min || param.max) {
      // The callee's limits hold for whatever is passed.
      if (param.min && param.type == Scalar::Int)
        value = graph.make(Op::Max,
                           {value, graph.integer(static_cast<int64_t>(*param.min))});
      if (param.max && param.type == Scalar::Int)
        value = graph.make(Op::Min,
                           {value, graph.integer(static_cast<int64_t>(*param.max))});
    }
    inner.params[param.name] = value;
    return {};
  }

  /// The bare name given for a tensor or selection of the callee.
  Expected<std::string> argumentName(const Ast &ast, const Expr &expr,
                                     const std::map<std::string, size_t> &given,
                                     const std::string &name, const Ast &target) {
    auto argument = given.find(name);
    if (argument == given.end())
      return ast.error("E0126", "'" + target.name + "' needs '" + name + "'",
                       expr.where);
    const Expr &value = ast[expr.operands[argument->second]];
    if (value.kind != Expr::Name)
      return ast.error("E0126", "'" + name + "' takes the name of a declaration",
                       value.where);
    return value.name;
  }

  /// Everything that is declared is read.
  Status checkUse(const Ast &ast) {
    std::vector<bool> used(graph.nodes().size());
    used[graph.keep] = used[graph.score] = true;
    for (NodeId id = used.size(); id-- > 0;)
      if (used[id])
        for (NodeId operand : graph[id].operands)
          used[operand] = true;
    auto reads = [&](Op op, uint32_t ref) {
      for (NodeId id = 0; id < used.size(); ++id)
        if (used[id] && graph[id].op == op && graph[id].ref == ref)
          return true;
      return false;
    };
    auto unread = [&](const char *kind, const std::string &name) {
      return ast.error("E0130", std::string(kind) + " '" + name + "' is never read",
                       placeOf(ast, name));
    };
    for (uint32_t i = 0; i < graph.tensors.size(); ++i)
      if (graph.sink != i && !reads(Op::Load, i))
        return unread("tensor", graph.tensors[i].name);
    for (uint32_t i = 0; i < graph.selections.size(); ++i)
      if (!reads(Op::Selected, i))
        return unread("selection", graph.selections[i].name);
    for (uint32_t i = 0; i < graph.params.size(); ++i) {
      bool sizes = std::any_of(
          graph.selections.begin(), graph.selections.end(),
          [&](const Selection &selection) {
            return selection.qBlock.param == i || selection.kBlock.param == i;
          });
      if (!sizes && !reads(Op::Param, i))
        return unread("parameter", graph.params[i].name);
    }
    return {};
  }

  /// Notes the bare names that stand as arguments of calls of patterns.
  void markArguments(const Ast &ast) {
    for (const Expr &expr : ast.exprs) {
      bool isFunction = std::any_of(
          functions.begin(), functions.end(),
          [&](const Function &function) { return function.name == expr.name; });
      if (expr.kind != Expr::Call || isFunction)
        continue;
      for (ExprId operand : expr.operands)
        if (ast[operand].kind == Expr::Name)
          tensorArguments.insert(&ast[operand]);
    }
  }

  Graph &graph;
  CardLoader &loader;
  std::map<std::string, std::unique_ptr<Ast>> loaded;
  std::vector<std::string> active;
  std::set<const Expr *> tensorArguments;
};
} // namespace

static Expected<SizeRef> resolveSize(const Ast &ast, const SizeExpr &size) {
  SizeRef result;
  result.literal = size.number;
  if (size.param.empty())
    return result;
  for (uint32_t i = 0; i < ast.params.size(); ++i)
    if (ast.params[i].name == size.param && ast.params[i].type == Scalar::Int) {
      result.param = i;
      return result;
    }
  return ast.error("E0121", "a block size names no int parameter: '" + size.param + "'",
                   size.where);
}

Expected<Graph> jacquard::resolve(const Ast &ast, CardLoader &loader) {
  Graph graph;
  graph.name = ast.name;
  graph.description = ast.description;
  graph.params = ast.params;
  graph.tensors = ast.tensors;
  graph.align = ast.align;
  graph.source = ast.source;
  for (const SelectionDecl &decl : ast.selections) {
    Selection selection;
    selection.kind = decl.kind;
    selection.name = decl.name;
    for (auto [from, to] : {std::pair(&decl.qBlock, &selection.qBlock),
                            std::pair(&decl.kBlock, &selection.kBlock)}) {
      if (!from->given)
        continue;
      Expected<SizeRef> size = resolveSize(ast, *from);
      if (!size)
        return size.takeError();
      *to = *size;
    }
    graph.selections.push_back(std::move(selection));
  }
  Resolver resolver(graph, loader);
  if (Status status = resolver.run(ast); !status)
    return status.takeError();
  return graph;
}
