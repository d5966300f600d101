//===- PrintCard.cpp - both spellings of a card ---------------------------===//

#include "patterns/Declarations.h"

#include <nlohmann/json.hpp>

using namespace jacquard;

namespace {
struct OperatorText {
  const char *spelling;
  int level;
};
} // namespace

/// In the order of Expr::Operator; levels as the parser's, unary minus
/// strongest.
static constexpr OperatorText operators[] = {
    {"-", 7}, {"not ", 3}, {"or", 1}, {"and", 2}, {"==", 4}, {"!=", 4},
    {"<", 4}, {"<=", 4},   {">", 4},  {">=", 4},  {"+", 5},  {"-", 5},
    {"*", 6}, {"/", 6},    {"//", 6}, {"%", 6}};
static constexpr int compareLevel = 4, atomLevel = 8;

static int levelOf(const Expr &expr) {
  if (expr.kind == Expr::Unary || expr.kind == Expr::Binary)
    return operators[expr.op].level;
  return atomLevel;
}

static std::string printFloat(double value) {
  std::string result = printNumber(value);
  if (result.find_first_of(".en") == std::string::npos)
    result += ".0";
  return result;
}

std::string jacquard::printExpr(const Ast &ast, ExprId root) {
  // Operands come before their users, so that one pass over the ids will do.
  std::vector<bool> needed(root + 1);
  needed[root] = true;
  for (ExprId id = root + 1; id-- > 0;)
    if (needed[id])
      for (ExprId operand : ast[id].operands)
        needed[operand] = true;
  std::vector<std::string> texts(root + 1);
  auto wrapped = [&](ExprId id, int level) {
    std::string text = std::move(texts[id]);
    return levelOf(ast[id]) < level ? "(" + text + ")" : text;
  };
  for (ExprId id = 0; id <= root; ++id) {
    if (!needed[id])
      continue;
    const Expr &expr = ast[id];
    std::string &text = texts[id];
    switch (expr.kind) {
    case Expr::Bool:
      text = expr.intValue ? "true" : "false";
      break;
    case Expr::Int:
      text = std::to_string(expr.intValue);
      break;
    case Expr::Float:
      text = printFloat(expr.floatValue);
      break;
    case Expr::Name:
      text = expr.name;
      break;
    case Expr::Index:
    case Expr::Call: {
      bool call = expr.kind == Expr::Call;
      text = expr.name + (call ? "(" : "[");
      for (size_t i = 0; i < expr.operands.size(); ++i) {
        if (i)
          text += ", ";
        if (!expr.argumentNames[i].empty())
          text += expr.argumentNames[i] + " = ";
        text += texts[expr.operands[i]];
      }
      text += call ? ")" : "]";
      break;
    }
    case Expr::Unary:
      text = operators[expr.op].spelling +
             wrapped(expr.operands[0], operators[expr.op].level);
      break;
    case Expr::Binary: {
      int level = operators[expr.op].level;
      bool chains = level != compareLevel;
      text = wrapped(expr.operands[0], chains ? level : level + 1);
      text += std::string(" ") + operators[expr.op].spelling + " ";
      text += wrapped(expr.operands[1], level + 1);
      break;
    }
    }
  }
  return texts[root];
}

static std::string printValue(Scalar type, double value) {
  if (type == Scalar::Bool)
    return value != 0 ? "true" : "false";
  return type == Scalar::Float ? printFloat(value) : printNumber(value);
}

static std::string sizeText(const SizeExpr &size) {
  return size.param.empty() ? std::to_string(size.number) : size.param;
}

static bool isPath(const std::string &use) {
  return whyNoName(use).has_value();
}

std::string jacquard::printText(const Ast &ast) {
  std::string text;
  for (size_t at = 0;
       !ast.description.empty() && at <= ast.description.size();) {
    size_t end =
        std::min(ast.description.find('\n', at), ast.description.size());
    text += "# " + ast.description.substr(at, end - at) + "\n";
    at = end + 1;
  }
  std::vector<std::string> declarations;
  for (const Param &param : ast.params) {
    std::string own = param.name + ": " + std::string(scalarName(param.type));
    if (param.defaultValue)
      own += " = " + printValue(param.type, *param.defaultValue);
    if (param.min)
      own += " min " + printValue(param.type, *param.min);
    if (param.max)
      own += " max " + printValue(param.type, *param.max);
    declarations.push_back(own);
  }
  for (const Tensor &tensor : ast.tensors) {
    std::string own =
        tensor.name + ": " + std::string(scalarName(tensor.type)) + "[";
    for (size_t i = 0; i < tensor.shape.size(); ++i)
      own += (i ? ", " : "") + extentName(tensor.shape[i]);
    own += "]";
    own += tensor.sorted ? " sorted" : "";
    own += tensor.grad ? " grad" : "";
    declarations.push_back(own);
  }
  for (const SelectionDecl &selection : ast.selections) {
    std::string own =
        selection.name + ": " + std::string(selectionName(selection.kind));
    std::string sizes;
    if (selection.qBlock.given)
      sizes += "q_block = " + sizeText(selection.qBlock);
    if (selection.kBlock.given)
      sizes += (sizes.empty() ? "" : ", ") +
               ("k_block = " + sizeText(selection.kBlock));
    declarations.push_back(own + (sizes.empty() ? "" : "(" + sizes + ")"));
  }
  text += "pattern " + ast.name + "(";
  for (size_t i = 0; i < declarations.size(); ++i)
    text += (i ? ", " : "") + declarations[i];
  text += ") {\n";
  for (const std::string &use : ast.uses)
    text += "  uses " + (isPath(use) ? "\"" + use + "\"" : use) + "\n";
  if (ast.align != Align::Unset)
    text += "  align " + std::string(alignName(ast.align)) + "\n";
  for (const LetDecl &let : ast.lets)
    text += "  let " + let.name + " = " + printExpr(ast, let.value) + "\n";
  if (ast.keep != noExpr)
    text += "  keep " + printExpr(ast, ast.keep) + "\n";
  if (ast.score != noExpr)
    text += "  score " + printExpr(ast, ast.score) + "\n";
  if (!ast.sink.empty())
    text += "  sink " + ast.sink + "\n";
  return text + "}\n";
}

static nlohmann::ordered_json number(Scalar type, double value) {
  if (type == Scalar::Bool)
    return value != 0;
  if (type == Scalar::Int)
    return static_cast<int64_t>(value);
  return value;
}

std::string jacquard::printJson(const Ast &ast) {
  nlohmann::ordered_json card;
  card["jacquard"] = cardVersion;
  card["name"] = ast.name;
  if (!ast.description.empty())
    card["description"] = ast.description;
  for (const Param &param : ast.params) {
    nlohmann::ordered_json own{{"type", scalarName(param.type)}};
    if (param.defaultValue)
      own["default"] = number(param.type, *param.defaultValue);
    if (param.min)
      own["min"] = number(param.type, *param.min);
    if (param.max)
      own["max"] = number(param.type, *param.max);
    card["params"][param.name] = own;
  }
  for (const Tensor &tensor : ast.tensors) {
    nlohmann::ordered_json own{{"type", scalarName(tensor.type)},
                               {"shape", nlohmann::ordered_json::array()}};
    for (const Extent &extent : tensor.shape) {
      if (extent.kind == Extent::Number)
        own["shape"].push_back(extent.number);
      else
        own["shape"].push_back(extentName(extent));
    }
    if (tensor.sorted)
      own["sorted"] = true;
    if (tensor.grad)
      own["grad"] = true;
    card["tensors"][tensor.name] = own;
  }
  for (const SelectionDecl &selection : ast.selections) {
    nlohmann::ordered_json own{{"kind", selectionName(selection.kind)}};
    for (auto [key, size] : {std::pair("q_block", &selection.qBlock),
                             std::pair("k_block", &selection.kBlock)}) {
      if (!size->given)
        continue;
      if (size->param.empty())
        own[key] = size->number;
      else
        own[key] = size->param;
    }
    card["selections"][selection.name] = own;
  }
  for (const LetDecl &let : ast.lets)
    card["let"][let.name] = printExpr(ast, let.value);
  if (ast.keep != noExpr)
    card["keep"] = printExpr(ast, ast.keep);
  if (ast.score != noExpr)
    card["score"] = printExpr(ast, ast.score);
  if (!ast.sink.empty())
    card["sink"] = ast.sink;
  if (ast.align != Align::Unset)
    card["align"] = alignName(ast.align);
  if (!ast.uses.empty())
    card["uses"] = ast.uses;
  // Bytes that are no UTF-8 are replaced rather than thrown about.
  return card.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}
