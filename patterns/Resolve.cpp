//===- Resolve.cpp - names and types --------------------------------------===//

#include "patterns/Declarations.h"
#include "patterns/Resolver.h"

#include <algorithm>

using namespace jacquard;

static constexpr size_t mostNodes = 4096;
/// Shared nodes cost nothing, but resolving them again and again does.
static constexpr size_t mostWork = 16 * mostNodes;

static constexpr std::array<Op, 11> leafOps{
    Op::Batch, Op::Head, Op::KvHead, Op::Query,   Op::Key,  Op::Row,
    Op::QLen,  Op::KLen, Op::Heads,  Op::KvHeads, Op::Logit};

static std::string describe(Scalar type) {
  return std::string(scalarName(type));
}

std::vector<std::string>
jacquard::suggest(const std::string &word,
                  const std::vector<std::string> &names) {
  if (std::optional<std::string> near = nearest(word, names))
    return {"did you mean '" + *near + "'?"};
  return {};
}

Status Resolver::run(const Ast &ast) {
  Scope scope;
  for (uint32_t i = 0; i < graph.params.size(); ++i)
    scope.params[graph.params[i].name] = graph.make(Op::Param, {}, i);
  for (uint32_t i = 0; i < graph.tensors.size(); ++i)
    scope.tensors[graph.tensors[i].name] = i;
  for (uint32_t i = 0; i < graph.selections.size(); ++i)
    scope.selections[graph.selections[i].name] = i;
  active.push_back(&ast);
  for (size_t i = 0; i < ast.uses.size(); ++i)
    if (Expected<const Ast *> used = use(ast, i); !used)
      return used.takeError();
  if (!ast.sink.empty())
    if (Status status = resolveSink(ast, scope); !status)
      return status;
  Expected<NodeId> keep = value(ast, scope, /*score=*/false);
  if (!keep)
    return keep.takeError();
  graph.keep = *keep;
  scope.logit = graph.leaf(Op::Logit);
  Expected<NodeId> score = value(ast, scope, /*score=*/true);
  if (!score)
    return score.takeError();
  graph.score = *score;
  return checkUse(ast);
}

Status Resolver::resolveSink(const Ast &ast, const Scope &scope) {
  SourceSpan where = ast.placeOf("card.sink");
  auto found = scope.tensors.find(ast.sink);
  if (found == scope.tensors.end())
    return ast.error("E0121",
                     "sink names no tensor of the card: '" + ast.sink + "'",
                     where, suggest(ast.sink, keysOf(scope.tensors)));
  const Tensor &tensor = graph.tensors[found->second];
  if (tensor.type != Scalar::Float || tensor.shape.size() != 1 ||
      tensor.shape[0].kind != Extent::Heads)
    return ast.error("E0129", "the sink must be a float[heads] tensor", where);
  graph.sink = found->second;
  return {};
}

/// The keep or the score of a card whose names mean what `scope` says.
Expected<NodeId> Resolver::value(const Ast &ast, Scope scope, bool score) {
  markArguments(ast);
  if (Status status = resolveLets(ast, scope, score); !status)
    return status.takeError();
  ExprId root = score ? ast.score : ast.keep;
  if (root == noExpr)
    return score ? scope.logit : graph.boolean(true);
  Expected<NodeId> node = expression({ast, scope, score}, root);
  if (!node)
    return node;
  Scalar wanted = score ? Scalar::Float : Scalar::Bool;
  NodeId result = score ? toFloat(*node) : *node;
  if (graph[result].type != wanted)
    return ast.error("E0122",
                     std::string(score ? "score" : "keep") + " must be " +
                         describe(wanted) + ", got " +
                         describe(graph[result].type),
                     ast[root].where);
  return result;
}

/// The expressions of `root`, which are contiguous and end with it: the first.
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

Status Resolver::resolveLets(const Ast &ast, Scope &scope, bool score) {
  for (const LetDecl &let : ast.lets) {
    if (!score) {
      // A let that reads `s` waits for the score.
      bool reads = false;
      for (ExprId id = firstOf(ast, let.value); id <= let.value; ++id)
        reads |= ast[id].kind == Expr::Name &&
                 (ast[id].name == "s" || scope.scoreLets.count(ast[id].name));
      if (reads) {
        scope.scoreLets.insert(let.name);
        continue;
      }
    }
    Expected<NodeId> node =
        expression({ast, scope, /*score=*/false}, let.value);
    if (!node)
      return node.takeError();
    scope.lets[let.name] = *node;
  }
  return {};
}

Expected<NodeId> Resolver::expression(const Context &context, ExprId root) {
  const Ast &ast = context.ast;
  ExprId first = firstOf(ast, root);
  std::vector<NodeId> nodes(root - first + 1, noNode);
  for (ExprId id = first; id <= root; ++id) {
    const Expr &expr = ast[id];
    std::vector<NodeId> operands;
    for (ExprId operand : expr.operands)
      operands.push_back(nodes[operand - first]);
    Expected<NodeId> node = one(context, expr, operands);
    if (!node)
      return node;
    if (graph.nodes().size() > mostNodes || ++work > mostWork)
      return ast.error("E0118",
                       "with its calls expanded the pattern has more than " +
                           std::to_string(mostNodes) + " nodes",
                       expr.where);
    nodes[id - first] = *node;
  }
  return nodes.back();
}

Expected<NodeId> Resolver::one(const Context &context, const Expr &expr,
                               std::vector<NodeId> &operands) {
  switch (expr.kind) {
  case Expr::Bool:
    return graph.boolean(expr.intValue != 0);
  case Expr::Int:
    return graph.integer(expr.intValue);
  case Expr::Float:
    return graph.real(expr.floatValue);
  case Expr::Name:
    return name(context, expr);
  case Expr::Index:
    return index(context, expr, operands);
  case Expr::Unary:
    return unary(context.ast, expr, operands[0]);
  case Expr::Binary:
    return binary(context.ast, expr, operands[0], operands[1]);
  case Expr::Call:
    for (const Function &function : functions)
      if (function.name == expr.name)
        return builtin(context.ast, expr, function, operands);
    return callPattern(context, expr, operands);
  }
  return graph.boolean(false);
}

Expected<NodeId> Resolver::name(const Context &context, const Expr &expr) {
  const Ast &ast = context.ast;
  const Scope &scope = context.scope;
  if (auto let = scope.lets.find(expr.name); let != scope.lets.end())
    return let->second;
  if (scope.scoreLets.count(expr.name))
    return ast.error("E0123",
                     "'" + expr.name + "' reads s, which has no value in keep",
                     expr.where);
  if (auto param = scope.params.find(expr.name); param != scope.params.end())
    return param->second;
  if (auto tensor = scope.tensors.find(expr.name);
      tensor != scope.tensors.end()) {
    size_t axes = graph.tensors[tensor->second].shape.size();
    if (axes == 0)
      return graph.make(Op::Load, {}, tensor->second, whereIn(ast, expr));
    if (tensorArguments.count(&expr))
      return noNode;
    return ast.error("E0124",
                     "tensor '" + expr.name + "' needs " +
                         std::to_string(axes) +
                         (axes == 1 ? " index" : " indices"),
                     expr.where);
  }
  if (auto own = scope.selections.find(expr.name);
      own != scope.selections.end())
    return graph.make(Op::Selected, {}, own->second, whereIn(ast, expr));
  for (Op op : leafOps)
    if (spelling(op) == expr.name) {
      if (op != Op::Logit)
        return graph.leaf(op);
      if (scope.logit != noNode)
        return scope.logit;
      return ast.error("E0123", "s, the scaled logit, has no value in keep",
                       expr.where);
    }
  std::vector<std::string> known = keysOf(scope.params);
  for (const auto &names :
       {keysOf(scope.tensors), keysOf(scope.selections), keysOf(scope.lets)})
    known.insert(known.end(), names.begin(), names.end());
  for (Op op : leafOps)
    known.emplace_back(spelling(op));
  std::vector<std::string> notes = suggest(expr.name, known);
  bool isLater =
      std::any_of(ast.lets.begin(), ast.lets.end(),
                  [&](const LetDecl &let) { return let.name == expr.name; });
  if (isLater)
    notes = {"a let can be read after its line only"};
  else if (!libraryCard(expr.name).empty())
    notes = {"a pattern is called: " + expr.name + "()"};
  return ast.error("E0121", "unknown name '" + expr.name + "'", expr.where,
                   std::move(notes));
}

Expected<NodeId> Resolver::index(const Context &context, const Expr &expr,
                                 const std::vector<NodeId> &operands) {
  const Ast &ast = context.ast;
  auto tensor = context.scope.tensors.find(expr.name);
  if (tensor == context.scope.tensors.end())
    return ast.error("E0121", "no tensor is named '" + expr.name + "'",
                     expr.where,
                     suggest(expr.name, keysOf(context.scope.tensors)));
  const Tensor &decl = graph.tensors[tensor->second];
  if (decl.shape.size() != operands.size())
    return ast.error("E0124",
                     "tensor '" + expr.name + "' has " +
                         std::to_string(decl.shape.size()) + " axes, got " +
                         std::to_string(operands.size()) + " indices",
                     expr.where);
  for (size_t i = 0; i < operands.size(); ++i)
    if (typeOf(operands[i]) != Scalar::Int)
      return ast.error(
          "E0122", "an index must be int, got " + describe(typeOf(operands[i])),
          ast[expr.operands[i]].where);
  return graph.make(Op::Load, operands, tensor->second, whereIn(ast, expr));
}

/// Makes two numbers of one type; false if one is no number.
bool Resolver::unify(NodeId &a, NodeId &b) {
  if (typeOf(a) == Scalar::Bool || typeOf(b) == Scalar::Bool)
    return false;
  if (graph[a].type != graph[b].type) {
    a = toFloat(a);
    b = toFloat(b);
  }
  return true;
}

/// `where` of bools, by and, or, not: the analysis of tiles sees through these.
NodeId Resolver::choose(NodeId condition, NodeId a, NodeId b) {
  NodeId otherwise = graph.make(Op::Not, {condition});
  return graph.make(Op::Or, {graph.make(Op::And, {condition, a}),
                             graph.make(Op::And, {otherwise, b})});
}

Expected<NodeId> Resolver::unary(const Ast &ast, const Expr &expr,
                                 NodeId operand) {
  Scalar type = typeOf(operand);
  bool isNot = expr.op == Expr::Not;
  if (isNot != (type == Scalar::Bool))
    return ast.error("E0122",
                     isNot ? "not takes a bool, got " + describe(type)
                           : "- takes a number, got bool",
                     expr.where);
  return graph.make(isNot ? Op::Not : Op::Neg, {operand}, 0,
                    whereIn(ast, expr));
}

Expected<NodeId> Resolver::binary(const Ast &ast, const Expr &expr, NodeId a,
                                  NodeId b) {
  auto mismatch = [&](const std::string &needs) {
    return ast.error("E0122",
                     needs + ", got " + describe(typeOf(a)) + " and " +
                         describe(typeOf(b)),
                     expr.where);
  };
  auto byZero = [&] {
    return ast.error("E0125", "division by zero", ast[expr.operands[1]].where);
  };
  SourceSpan where = whereIn(ast, expr);
  bool bools = typeOf(a) == Scalar::Bool && typeOf(b) == Scalar::Bool;
  switch (expr.op) {
  case Expr::And:
  case Expr::Or:
    if (!bools)
      return mismatch("and, or take two bools");
    return graph.make(expr.op == Expr::And ? Op::And : Op::Or, {a, b}, 0,
                      where);
  case Expr::Equal:
  case Expr::NotEqual:
    if (bools) {
      NodeId notB = graph.make(Op::Not, {b});
      return expr.op == Expr::Equal ? choose(a, b, notB) : choose(a, notB, b);
    }
    if (!unify(a, b))
      return mismatch("a comparison takes two numbers or two bools");
    return graph.make(expr.op == Expr::Equal ? Op::Equal : Op::NotEqual, {a, b},
                      0, where);
  case Expr::Less:
  case Expr::LessEqual:
  case Expr::Greater:
  case Expr::GreaterEqual: {
    if (!unify(a, b))
      return mismatch("a comparison takes two numbers");
    if (expr.op == Expr::Greater || expr.op == Expr::GreaterEqual)
      std::swap(a, b);
    bool strict = expr.op == Expr::Less || expr.op == Expr::Greater;
    return graph.make(strict ? Op::Less : Op::LessEqual, {a, b}, 0, where);
  }
  case Expr::FloorDiv:
  case Expr::Mod:
    if (typeOf(a) != Scalar::Int || typeOf(b) != Scalar::Int)
      return mismatch(expr.op == Expr::Mod ? "% takes two ints"
                                           : "// takes two ints");
    if (graph[b].op == Op::IntConst && graph[b].intValue == 0)
      return byZero();
    return graph.make(expr.op == Expr::Mod ? Op::Mod : Op::FloorDiv, {a, b}, 0,
                      where);
  case Expr::Div:
    if (typeOf(a) == Scalar::Bool || typeOf(b) == Scalar::Bool)
      return mismatch("/ takes two numbers");
    a = toFloat(a);
    b = toFloat(b);
    if (graph[b].op == Op::FloatConst && graph[b].floatValue == 0)
      return byZero();
    return graph.make(Op::Div, {a, b}, 0, where);
  default: {
    if (!unify(a, b))
      return mismatch("arithmetic takes two numbers");
    Op op = expr.op == Expr::Add   ? Op::Add
            : expr.op == Expr::Sub ? Op::Sub
                                   : Op::Mul;
    return graph.make(op, {a, b}, 0, where);
  }
  }
}

Expected<NodeId> Resolver::builtin(const Ast &ast, const Expr &expr,
                                   const Function &function,
                                   std::vector<NodeId> &operands) {
  for (const std::string &argument : expr.argumentNames)
    if (!argument.empty())
      return ast.error("E0126", "'" + expr.name + "' takes no named arguments",
                       expr.where);
  if (operands.size() != function.arity)
    return ast.error("E0126",
                     "'" + expr.name + "' takes " +
                         std::to_string(function.arity) +
                         (function.arity == 1 ? " argument" : " arguments") +
                         ", got " + std::to_string(operands.size()),
                     expr.where);
  auto wrong = [&](const std::string &needs) {
    std::string got;
    for (NodeId operand : operands)
      got += (got.empty() ? "" : ", ") + describe(typeOf(operand));
    return ast.error("E0122",
                     "'" + expr.name + "' takes " + needs + ", got " + got,
                     expr.where);
  };
  SourceSpan where = whereIn(ast, expr);
  switch (function.op) {
  case Op::Min:
  case Op::Max:
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
    if (bools)
      return choose(operands[0], operands[1], operands[2]);
    break;
  }
  case Op::Bit:
    if (typeOf(operands[0]) != Scalar::Int ||
        typeOf(operands[1]) != Scalar::Int)
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

/// Everything that is declared is read.
Status Resolver::checkUse(const Ast &ast) const {
  std::vector<bool> used(graph.nodes().size());
  used[graph.keep] = used[graph.score] = true;
  std::vector<bool> tensors(graph.tensors.size()), params(graph.params.size()),
      selections(graph.selections.size());
  for (NodeId id = used.size(); id-- > 0;) {
    if (!used[id])
      continue;
    const Node &node = graph[id];
    for (NodeId operand : node.operands)
      used[operand] = true;
    if (node.op == Op::Load)
      tensors[node.ref] = true;
    else if (node.op == Op::Param)
      params[node.ref] = true;
    else if (node.op == Op::Selected)
      selections[node.ref] = true;
  }
  if (graph.sink)
    tensors[*graph.sink] = true;
  for (const Selection &selection : graph.selections)
    for (const SizeRef &size : {selection.qBlock, selection.kBlock})
      if (size.param)
        params[*size.param] = true;
  auto unread = [&](const char *kind, const std::string &name) {
    return ast.error(
        "E0130", std::string(kind) + " '" + name + "' is never read",
        ast.placeOf(name), {"read it in an expression, or remove it"});
  };
  for (uint32_t i = 0; i < graph.tensors.size(); ++i) {
    const Tensor &tensor = graph.tensors[i];
    if (tensors[i])
      continue;
    if (tensor.type == Scalar::Float && ast.score != noExpr)
      return ast.error("E0131",
                       "the score does not read the tensor '" + tensor.name +
                           "' that the card declares",
                       ast[ast.score].where,
                       {"index it in score, or remove its declaration"});
    return unread("tensor", tensor.name);
  }
  for (uint32_t i = 0; i < graph.selections.size(); ++i)
    if (!selections[i])
      return unread("selection", graph.selections[i].name);
  for (uint32_t i = 0; i < graph.params.size(); ++i)
    if (!params[i])
      return unread("parameter", graph.params[i].name);
  return {};
}

/// Notes the bare names that stand as arguments of calls of patterns.
void Resolver::markArguments(const Ast &ast) {
  if (!marked.insert(&ast).second)
    return;
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

static Expected<SizeRef> resolveSize(const Ast &ast, const SizeExpr &size) {
  SizeRef result;
  result.literal = size.number;
  if (size.param.empty())
    return result;
  std::vector<std::string> ints;
  for (uint32_t i = 0; i < ast.params.size(); ++i) {
    if (ast.params[i].type != Scalar::Int)
      continue;
    ints.push_back(ast.params[i].name);
    if (ast.params[i].name != size.param)
      continue;
    if (!ast.params[i].min || *ast.params[i].min < 1)
      return ast.error("E0109",
                       "'" + size.param +
                           "' is a block size: it needs a min of at "
                           "least 1",
                       ast.placeOf(size.param));
    result.param = i;
    return result;
  }
  return ast.error("E0121",
                   "a block size names no int parameter: '" + size.param + "'",
                   size.where, suggest(size.param, ints));
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
