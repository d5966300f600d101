//===- RandomAst.cpp - cards over the whole language ----------------------===//

#include "RandomAst.h"

#include <cmath>
#include <set>

using namespace jacquard;

namespace {
class Generator {
public:
  explicit Generator(std::mt19937_64 &random) : random(random) {}

  Ast run() {
    ast.name = name();
    if (flip())
      ast.description = description();
    for (int64_t i = pick(0, 3); i > 0; --i)
      addParam();
    for (int64_t i = pick(0, 3); i > 0; --i)
      addTensor();
    for (int64_t i = pick(0, 2); i > 0; --i)
      addSelection();
    for (int64_t i = pick(0, 3); i > 0; --i) {
      LetDecl let;
      let.name = name();
      let.value = expression(pick(0, 4));
      ast.lets.push_back(let);
    }
    if (flip())
      ast.keep = expression(pick(0, 6));
    if (flip())
      ast.score = expression(pick(0, 6));
    if (flip())
      ast.sink = name();
    ast.align = Align(pick(0, 2));
    for (int64_t i = pick(0, 2); i > 0; --i)
      ast.uses.push_back(flip() ? name()
                                : "../dir " + name() + "/\xc3\xa9.json");
    return std::move(ast);
  }

private:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  bool flip() { return pick(0, 1); }

  /// Never the same twice. Some are words of statements, which are names
  /// elsewhere.
  std::string name() {
    constexpr const char *words[] = {"keep",   "score", "let",  "sink",
                                     "align",  "uses",  "grad", "sorted",
                                     "blocks", "int",   "a",    "B_9"};
    std::string word = words[pick(0, 11)];
    if (!used.insert(word).second)
      word += "_" + std::to_string(used.size());
    used.insert(word);
    return word;
  }

  std::string description() {
    constexpr const char *parts[] = {
        "\n",           "a line",         "  ",  "#", "\"quoted\"", "\\", "\t",
        "\xe2\x82\xac", "pattern p() {}", "\n\n"};
    std::string text;
    for (int64_t i = pick(1, 6); i > 0; --i)
      text += parts[pick(0, 9)];
    return text;
  }

  double number(Scalar type) {
    switch (type) {
    case Scalar::Bool:
      return double(pick(0, 1));
    case Scalar::Int:
      return double(pick(-2147483647, 2147483647));
    case Scalar::Float:
      break;
    }
    double mantissa = std::uniform_real_distribution<double>(-2, 2)(random);
    return flip() ? double(pick(-100, 100))
                  : std::ldexp(mantissa, int(pick(-120, 120)));
  }

  void addParam() {
    Param param;
    param.name = name();
    param.type = Scalar(pick(0, 2));
    if (flip())
      param.defaultValue = number(param.type);
    if (param.type != Scalar::Bool) {
      if (flip())
        param.min = param.defaultValue
                        ? std::min(*param.defaultValue, number(param.type))
                        : number(param.type);
      if (flip())
        param.max = std::max(param.defaultValue.value_or(number(param.type)),
                             param.min.value_or(number(param.type)));
    }
    ast.params.push_back(param);
  }

  void addTensor() {
    Tensor tensor;
    tensor.name = name();
    tensor.type = flip() ? Scalar::Int : Scalar::Float;
    for (int64_t i = pick(0, 4); i > 0; --i) {
      auto kind = Extent::Kind(pick(0, 5));
      tensor.shape.push_back(
          {kind, kind == Extent::Number ? pick(1, 2147483647) : 0});
    }
    tensor.sorted =
        tensor.type == Scalar::Int && !tensor.shape.empty() && flip();
    tensor.grad = tensor.type == Scalar::Float && flip();
    ast.tensors.push_back(tensor);
  }

  SizeExpr size() {
    SizeExpr result;
    result.given = true;
    if (flip())
      result.number = pick(1, 2147483647);
    else
      result.param = name();
    return result;
  }

  void addSelection() {
    SelectionDecl selection;
    selection.name = name();
    selection.kind = Selection::Kind(pick(0, 3));
    if (selection.kind == Selection::Blocks)
      selection.qBlock = size();
    if (selection.kind == Selection::Blocks ||
        selection.kind == Selection::TokenBlocks)
      selection.kBlock = size();
    ast.selections.push_back(selection);
  }

  ExprId expression(int64_t depth) {
    Expr expr;
    if (depth == 0) {
      expr.kind = Expr::Kind(pick(0, 3));
      if (expr.kind == Expr::Bool)
        expr.intValue = pick(0, 1);
      else if (expr.kind == Expr::Int)
        expr.intValue = flip() ? pick(0, 9) : pick(0, 2147483647);
      else if (expr.kind == Expr::Float)
        expr.floatValue = std::fabs(number(Scalar::Float));
      else
        expr.name = flip() ? "q" : "keep";
    } else {
      expr.kind = Expr::Kind(pick(Expr::Index, Expr::Binary));
      int64_t operands = 2;
      if (expr.kind == Expr::Unary) {
        expr.op = flip() ? Expr::Neg : Expr::Not;
        operands = 1;
      } else if (expr.kind == Expr::Binary) {
        expr.op = Expr::Operator(pick(Expr::Or, Expr::Mod));
      } else {
        expr.name = flip() ? "max" : "score";
        operands = pick(0, 3);
      }
      for (int64_t i = 0; i < operands; ++i)
        expr.operands.push_back(expression(pick(0, depth - 1)));
      if (expr.kind == Expr::Call || expr.kind == Expr::Index)
        for (int64_t i = 0; i < operands; ++i)
          expr.argumentNames.push_back(expr.kind == Expr::Call && flip() ? "x"
                                                                         : "");
    }
    ast.exprs.push_back(std::move(expr));
    return static_cast<ExprId>(ast.exprs.size() - 1);
  }

  std::mt19937_64 &random;
  std::set<std::string> used;
  Ast ast;
};

bool sameExpr(const Ast &a, ExprId x, const Ast &b, ExprId y) {
  if (x == noExpr || y == noExpr)
    return x == y;
  const Expr &p = a[x], &q = b[y];
  if (p.kind != q.kind || p.op != q.op || p.name != q.name ||
      p.intValue != q.intValue || p.floatValue != q.floatValue ||
      p.argumentNames != q.argumentNames ||
      p.operands.size() != q.operands.size())
    return false;
  for (size_t i = 0; i < p.operands.size(); ++i)
    if (!sameExpr(a, p.operands[i], b, q.operands[i]))
      return false;
  return true;
}

bool operator==(const SizeExpr &a, const SizeExpr &b) {
  return a.given == b.given && a.number == b.number && a.param == b.param;
}
} // namespace

Ast jacquard::randomAst(std::mt19937_64 &random) {
  return Generator(random).run();
}

std::string jacquard::difference(const Ast &a, const Ast &b) {
  if (a.name != b.name)
    return "name";
  if (a.description != b.description)
    return "description";
  if (a.sink != b.sink || a.align != b.align || a.uses != b.uses)
    return "sink, align or uses";
  if (a.params.size() != b.params.size() ||
      a.tensors.size() != b.tensors.size() ||
      a.selections.size() != b.selections.size() ||
      a.lets.size() != b.lets.size())
    return "number of declarations";
  for (size_t i = 0; i < a.params.size(); ++i) {
    const Param &p = a.params[i], &q = b.params[i];
    if (p.name != q.name || p.type != q.type ||
        p.defaultValue != q.defaultValue || p.min != q.min || p.max != q.max)
      return "parameter " + p.name;
  }
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    const Tensor &p = a.tensors[i], &q = b.tensors[i];
    if (p.name != q.name || p.type != q.type || p.shape != q.shape ||
        p.sorted != q.sorted || p.grad != q.grad)
      return "tensor " + p.name;
  }
  for (size_t i = 0; i < a.selections.size(); ++i) {
    const SelectionDecl &p = a.selections[i], &q = b.selections[i];
    if (p.name != q.name || p.kind != q.kind || !(p.qBlock == q.qBlock) ||
        !(p.kBlock == q.kBlock))
      return "selection " + p.name;
  }
  for (size_t i = 0; i < a.lets.size(); ++i)
    if (a.lets[i].name != b.lets[i].name ||
        !sameExpr(a, a.lets[i].value, b, b.lets[i].value))
      return "let " + a.lets[i].name;
  if (!sameExpr(a, a.keep, b, b.keep))
    return "keep";
  return sameExpr(a, a.score, b, b.score) ? "" : "score";
}
