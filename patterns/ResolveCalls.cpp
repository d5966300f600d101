//===- ResolveCalls.cpp - calls of other patterns -------------------------===//

#include "patterns/Declarations.h"
#include "patterns/Resolver.h"

#include <algorithm>

using namespace jacquard;

static constexpr size_t deepestCall = 16;

static std::string describe(Scalar type) {
  return std::string(scalarName(type));
}

/// The card of the entry `index` of `uses`.
Expected<const Ast *> Resolver::use(const Ast &ast, size_t index) {
  const std::string &name = ast.uses[index];
  std::string key = ast.source->name + "\n" + name;
  if (auto found = loaded.find(key); found != loaded.end())
    return found->second.get();
  SourceSpan where = ast.placeOf("uses." + std::to_string(index));
  std::optional<SourceText> text = loader.load(name, *ast.source);
  if (!text)
    return ast.error(
        "E0127", "can't find the pattern \"" + name + "\"", where,
        {"uses takes names of the library and paths beside the card "
         "that end in .json or .jac"});
  Expected<Ast> parsed = parseCard(text->name, text->text);
  if (!parsed) {
    Error error =
        ast.error("E0127", "the pattern \"" + name + "\" is in error", where);
    error.cause = std::make_shared<Error>(parsed.takeError());
    return error;
  }
  auto own = std::make_unique<Ast>(std::move(*parsed));
  return loaded.emplace(key, std::move(own)).first->second.get();
}

/// The card that a call names: one of `uses`, the card itself (an error, but
/// its own), or one of the library.
Expected<const Ast *> Resolver::callee(const Ast &ast, const Expr &expr) {
  for (size_t i = 0; i < ast.uses.size(); ++i) {
    Expected<const Ast *> card = use(ast, i);
    if (!card || (*card)->name == expr.name)
      return card;
  }
  if (ast.name == expr.name)
    return &ast;
  std::string key = "\n" + expr.name;
  if (auto found = loaded.find(key); found != loaded.end())
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
  return loaded.emplace(key, std::move(own)).first->second.get();
}

Expected<NodeId> Resolver::callPattern(const Context &context, const Expr &expr,
                                       const std::vector<NodeId> &operands) {
  const Ast &ast = context.ast;
  Expected<const Ast *> found = callee(ast, expr);
  if (!found)
    return found.takeError();
  const Ast &target = **found;
  // One text may be loaded under several keys: it is known by its file and
  // name.
  auto cycle = std::find_if(active.begin(), active.end(), [&](const Ast *card) {
    return card->source->name == target.source->name &&
           card->name == target.name;
  });
  if (cycle != active.end()) {
    std::string path;
    for (auto it = cycle; it != active.end(); ++it)
      path += (*it)->name + " -> ";
    return ast.error(
        "E0128", "patterns call each other in a circle: " + path + target.name,
        expr.where);
  }
  if (active.size() > deepestCall)
    return ast.error("E0128",
                     "calls nest deeper than " + std::to_string(deepestCall),
                     expr.where);
  if (!target.sink.empty())
    return ast.error(
        "E0129", "'" + target.name + "' has a sink, which a call can't pass on",
        expr.where, {"declare the sink in the calling pattern"});
  if (target.align != Align::Unset && target.align != graph.align)
    return ast.error("E0129",
                     "'" + target.name + "' has align " +
                         std::string(alignName(target.align)) +
                         ", which a call can't pass on",
                     expr.where, {"declare the align in the calling pattern"});
  Scope inner;
  inner.logit = context.score ? context.scope.logit : noNode;
  if (Status status = bind(context, expr, operands, target, inner); !status)
    return status.takeError();
  active.push_back(&target);
  Expected<NodeId> result = value(target, std::move(inner), context.score);
  active.pop_back();
  if (result)
    return result;
  Error error =
      ast.error("E0127", "in this call of '" + target.name + "'", expr.where);
  error.cause = std::make_shared<Error>(result.takeError());
  return error;
}

namespace {
/// The argument of each declaration of the callee, by its index in the call.
using Given = std::map<std::string, size_t>;
} // namespace

/// The bare name given for a tensor or selection of the callee.
static Expected<std::string> argumentName(const Ast &ast, const Expr &expr,
                                          const Given &given,
                                          const std::string &name,
                                          const Ast &target) {
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

Status Resolver::bind(const Context &context, const Expr &expr,
                      const std::vector<NodeId> &operands, const Ast &target,
                      Scope &inner) {
  const Ast &ast = context.ast;
  const Scope &scope = context.scope;
  std::vector<std::string> order;
  for (const Param &param : target.params)
    order.push_back(param.name);
  for (const Tensor &tensor : target.tensors)
    order.push_back(tensor.name);
  for (const SelectionDecl &selection : target.selections)
    order.push_back(selection.name);

  Given given;
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
        return ast.error("E0126",
                         "'" + target.name + "' takes " +
                             std::to_string(order.size()) +
                             (order.size() == 1 ? " argument" : " arguments"),
                         where);
      name = order[position++];
    } else if (std::find(order.begin(), order.end(), name) == order.end()) {
      return ast.error("E0126", "'" + target.name + "' has no '" + name + "'",
                       where, suggest(name, order));
    }
    if (!given.emplace(name, i).second)
      return ast.error("E0126", "'" + name + "' is given twice", where);
  }

  for (const Param &param : target.params) {
    auto argument = given.find(param.name);
    bool isGiven = argument != given.end();
    Expected<NodeId> value = bindParam(
        ast, expr, param, target, isGiven ? operands[argument->second] : noNode,
        isGiven ? ast[expr.operands[argument->second]].where : SourceSpan{});
    if (!value)
      return value.takeError();
    inner.params[param.name] = *value;
  }
  for (const Tensor &tensor : target.tensors) {
    Expected<std::string> name =
        argumentName(ast, expr, given, tensor.name, target);
    if (!name)
      return name.takeError();
    SourceSpan where = ast[expr.operands[given[tensor.name]]].where;
    auto own = scope.tensors.find(*name);
    if (own == scope.tensors.end())
      return ast.error("E0126",
                       "'" + tensor.name + "' must be a tensor of this card",
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
      return ast.error("E0126",
                       "'" + selection.name + "' must be a selection of " +
                           std::string(selectionName(selection.kind)),
                       ast[expr.operands[given[selection.name]]].where);
    inner.selections[selection.name] = own->second;
  }
  return {};
}

/// The value of a callee's parameter; `where` is empty if none is given.
Expected<NodeId> Resolver::bindParam(const Ast &ast, const Expr &expr,
                                     const Param &param, const Ast &target,
                                     NodeId value, SourceSpan where) {
  if (where.begin == where.end) {
    if (!param.defaultValue)
      return ast.error("E0126",
                       "'" + target.name + "' needs '" + param.name + "'",
                       expr.where);
    if (param.type == Scalar::Float)
      return graph.real(*param.defaultValue);
    if (param.type == Scalar::Int)
      return graph.integer(static_cast<int64_t>(*param.defaultValue));
    return graph.boolean(*param.defaultValue != 0);
  }
  if (value == noNode)
    return ast.error("E0122",
                     "'" + param.name + "' takes a value, got a tensor", where);
  if (param.type == Scalar::Float)
    value = toFloat(value);
  if (graph[value].type != param.type)
    return ast.error("E0122",
                     "'" + param.name + "' is " + describe(param.type) +
                         ", got " + describe(graph[value].type),
                     where);
  const Node &node = graph[value];
  if (node.op != Op::IntConst && node.op != Op::FloatConst)
    return withinLimits(value, param);
  double number = node.op == Op::IntConst ? static_cast<double>(node.intValue)
                                          : node.floatValue;
  if ((param.min && number < *param.min) || (param.max && number > *param.max))
    return ast.error("E0107",
                     "'" + param.name + "' of '" + target.name +
                         "' is out of its "
                         "limits: " +
                         printNumber(number),
                     where);
  return value;
}

/// The callee's limits hold for whatever is computed: the value is clamped,
/// unless it is a parameter whose own limits are as narrow.
NodeId Resolver::withinLimits(NodeId value, const Param &param) {
  const Param *own =
      graph[value].op == Op::Param ? &graph.params[graph[value].ref] : nullptr;
  auto constant = [&](double number) {
    return param.type == Scalar::Int
               ? graph.integer(static_cast<int64_t>(number))
               : graph.real(number);
  };
  bool low = param.min && !(own && own->min && *own->min >= *param.min);
  bool high = param.max && !(own && own->max && *own->max <= *param.max);
  if (low)
    value = graph.make(Op::Max, {value, constant(*param.min)});
  if (high)
    value = graph.make(Op::Min, {value, constant(*param.max)});
  return value;
}
