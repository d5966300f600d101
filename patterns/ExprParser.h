//===- ExprParser.h - expressions by recursive descent ----------*- C++ -*-===//
//
// Precedence from weak to strong: or, and, not, comparisons (no chains), + -,
// * / // %, unary -, calls and indices. Depth is counted: a hostile text gets
// an error, not a stack overflow.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_EXPRPARSER_H
#define JACQUARD_PATTERNS_EXPRPARSER_H

#include "patterns/Ast.h"
#include "patterns/Lexer.h"

#include <functional>

namespace jacquard {

class ExprParser {
public:
  /// Reads `text` from offset `from`; `place` maps offsets of the text to the
  /// source.
  ExprParser(Ast &ast, std::string_view text, size_t from,
             std::function<uint32_t(size_t)> place)
      : ast(ast), lexer(text, from), place(std::move(place)) {
    token = lexer.next();
  }

  /// One expression; `current` is then the token after it.
  Expected<ExprId> parse();
  const Token &current() const { return token; }
  void advance() { token = lexer.next(); }
  SourceSpan span(const Token &of) const {
    return {place(of.begin), place(of.end)};
  }
  /// "expected X, got Y" at the current token.
  Error unexpected(const std::string &expected) const;

private:
  struct Deeper {
    explicit Deeper(int &depth) : depth(depth) { ++depth; }
    ~Deeper() { --depth; }
    int &depth;
  };
  Expected<ExprId> parseBinary(int level);
  Expected<ExprId> parseUnary();
  Expected<ExprId> parseAtom();
  Expected<ExprId> parseNamed();
  Status parseOperands(Expr &expr, std::string_view close, bool named);
  ExprId add(Expr expr);
  Error tooDeep() const;

  Ast &ast;
  Lexer lexer;
  Token token;
  std::function<uint32_t(size_t)> place;
  int depth = 0;
};

} // namespace jacquard

#endif // JACQUARD_PATTERNS_EXPRPARSER_H
