//===- ExprParser.cpp - expressions by recursive descent ------------------===//

#include "patterns/ExprParser.h"

#include <array>
#include <limits>

using namespace jacquard;

namespace {
struct BinaryOperator {
  std::string_view spelling;
  Expr::Operator op;
  int level;
};
} // namespace

/// Terms in one chain of operators; resolving them is a loop over few levels.
static constexpr int largestChain = 1024;

enum Level {
  OrLevel,
  AndLevel,
  NotLevel,
  CompareLevel,
  SumLevel,
  ProductLevel,
  UnaryLevel
};

static constexpr std::array<BinaryOperator, 14> binaryOperators{{
    {"or", Expr::Or, OrLevel},
    {"and", Expr::And, AndLevel},
    {"==", Expr::Equal, CompareLevel},
    {"!=", Expr::NotEqual, CompareLevel},
    {"<", Expr::Less, CompareLevel},
    {"<=", Expr::LessEqual, CompareLevel},
    {">", Expr::Greater, CompareLevel},
    {">=", Expr::GreaterEqual, CompareLevel},
    {"+", Expr::Add, SumLevel},
    {"-", Expr::Sub, SumLevel},
    {"*", Expr::Mul, ProductLevel},
    {"/", Expr::Div, ProductLevel},
    {"//", Expr::FloorDiv, ProductLevel},
    {"%", Expr::Mod, ProductLevel},
}};

static const BinaryOperator *binaryOperator(const Token &token) {
  for (const BinaryOperator &entry : binaryOperators)
    if (token.is(entry.spelling))
      return &entry;
  return nullptr;
}

Error ExprParser::unexpected(const std::string &expected) const {
  std::string got = token.kind == Token::End ? "the end"
                    : token.kind == Token::Bad && !token.text.empty()
                        ? "'" + std::string(token.text.substr(0, 20)) +
                              "', which is no word of the language"
                    : token.text.empty()
                        ? "an unfinished string"
                        : "'" + std::string(token.text.substr(0, 40)) + "'";
  std::vector<std::string> notes;
  if (token.kind == Token::Symbol && token.text == "=")
    notes.push_back("equality is written ==");
  return ast.error("E0101", "expected " + expected + ", got " + got,
                   span(token), std::move(notes));
}

Error ExprParser::tooDeep() const {
  return ast.error(
      "E0103", "expressions nest deeper than " + std::to_string(deepestNesting),
      span(token));
}

ExprId ExprParser::add(Expr expr) {
  ast.exprs.push_back(std::move(expr));
  return static_cast<ExprId>(ast.exprs.size() - 1);
}

Expected<ExprId> ExprParser::parse() { return parseBinary(OrLevel); }

Expected<ExprId> ExprParser::parseBinary(int level) {
  if (level == UnaryLevel)
    return parseUnary();
  if (level == NotLevel) {
    if (!token.is("not"))
      return parseBinary(CompareLevel);
    Deeper deeper(depth);
    if (depth > deepestNesting)
      return tooDeep();
    Token start = token;
    advance();
    Expected<ExprId> operand = parseBinary(NotLevel);
    if (!operand)
      return operand;
    Expr expr;
    expr.kind = Expr::Unary;
    expr.op = Expr::Not;
    expr.operands = {*operand};
    expr.where = {span(start).begin, ast[*operand].where.end};
    return add(std::move(expr));
  }
  Expected<ExprId> left = parseBinary(level + 1);
  // A long chain is a deep tree: its length counts too.
  int chain = 0;
  while (left) {
    const BinaryOperator *entry = binaryOperator(token);
    if (!entry || entry->level != level)
      return left;
    if (level == CompareLevel && chain > 0)
      return ast.error("E0102", "comparisons don't chain", span(token),
                       {"join two of them by `and`"});
    if (depth + ++chain > largestChain)
      return tooDeep();
    advance();
    Expected<ExprId> right = parseBinary(level + 1);
    if (!right)
      return right;
    Expr expr;
    expr.kind = Expr::Binary;
    expr.op = entry->op;
    expr.operands = {*left, *right};
    expr.where = {ast[*left].where.begin, ast[*right].where.end};
    left = add(std::move(expr));
  }
  return left;
}

Expected<ExprId> ExprParser::parseUnary() {
  if (!token.is("-"))
    return parseAtom();
  Deeper deeper(depth);
  if (depth > deepestNesting)
    return tooDeep();
  Token start = token;
  advance();
  Expected<ExprId> operand = parseUnary();
  if (!operand)
    return operand;
  Expr expr;
  expr.kind = Expr::Unary;
  expr.op = Expr::Neg;
  expr.operands = {*operand};
  expr.where = {span(start).begin, ast[*operand].where.end};
  return add(std::move(expr));
}

Expected<ExprId> ExprParser::parseAtom() {
  Expr expr;
  expr.where = span(token);
  switch (token.kind) {
  case Token::Int:
    if (token.intValue > 2147483647)
      return ast.error("E0104",
                       "'" + std::string(token.text) + "' is no 32-bit int",
                       expr.where);
    expr.kind = Expr::Int;
    expr.intValue = token.intValue;
    advance();
    return add(std::move(expr));
  case Token::Float:
    if (token.floatValue > std::numeric_limits<float>::max())
      return ast.error(
          "E0104", "'" + std::string(token.text) + "' is too large for a float",
          expr.where);
    expr.kind = Expr::Float;
    expr.floatValue = token.floatValue;
    advance();
    return add(std::move(expr));
  case Token::Word:
    if (token.is("true") || token.is("false")) {
      expr.intValue = token.is("true");
      advance();
      return add(std::move(expr));
    }
    if (token.is("and") || token.is("or") || token.is("not"))
      return unexpected("an expression");
    return parseNamed();
  case Token::Symbol:
    if (token.is("(")) {
      Deeper deeper(depth);
      if (depth > deepestNesting)
        return tooDeep();
      advance();
      Expected<ExprId> inner = parseBinary(OrLevel);
      if (!inner)
        return inner;
      if (!token.is(")"))
        return unexpected("')'");
      advance();
      return inner;
    }
    return unexpected("an expression");
  default:
    return unexpected("an expression");
  }
}

Expected<ExprId> ExprParser::parseNamed() {
  Expr expr;
  expr.kind = Expr::Name;
  expr.name = token.text;
  expr.where = span(token);
  advance();
  bool call = token.is("("), index = token.is("[");
  if (!call && !index)
    return add(std::move(expr));
  Deeper deeper(depth);
  if (depth > deepestNesting)
    return tooDeep();
  expr.kind = call ? Expr::Call : Expr::Index;
  advance();
  if (Status status = parseOperands(expr, call ? ")" : "]", call); !status)
    return status.takeError();
  return add(std::move(expr));
}

Status ExprParser::parseOperands(Expr &expr, std::string_view close,
                                 bool named) {
  while (!token.is(close)) {
    std::string argument;
    // `name = expr` needs a look past the name.
    Lexer mark = lexer;
    Token word = token;
    if (named && token.kind == Token::Word) {
      advance();
      if (token.is("=")) {
        argument = word.text;
        advance();
      } else {
        lexer = mark;
        token = word;
      }
    }
    Expected<ExprId> operand = parseBinary(OrLevel);
    if (!operand)
      return operand.takeError();
    expr.operands.push_back(*operand);
    expr.argumentNames.push_back(argument);
    if (token.is(","))
      advance();
    else if (!token.is(close))
      return unexpected("',' or '" + std::string(close) + "'");
  }
  expr.where.end = span(token).end;
  advance();
  return {};
}

Expected<ExprId>
jacquard::parseExpression(Ast &ast, std::string_view text,
                          const std::vector<uint32_t> &offsets) {
  ExprParser parser(ast, text, 0, [&](size_t at) {
    return offsets[std::min(at, offsets.size() - 1)];
  });
  Expected<ExprId> expr = parser.parse();
  if (expr && parser.current().kind != Token::End)
    return parser.unexpected("the end of the expression");
  return expr;
}
