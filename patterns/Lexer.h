//===- Lexer.h - words of the text form and of expressions ------*- C++ -*-===//
#ifndef JACQUARD_PATTERNS_LEXER_H
#define JACQUARD_PATTERNS_LEXER_H

#include "patterns/Error.h"

#include <string_view>

namespace jacquard {

struct Token {
  enum Kind : uint8_t { End, Word, Int, Float, Symbol, String, Bad } kind = End;
  std::string_view text; ///< As written; String: without its quotes.
  int64_t intValue = 0;
  double floatValue = 0;
  size_t begin = 0, end = 0; ///< Offsets in the lexer's text.

  bool is(std::string_view what) const {
    return (kind == Word || kind == Symbol) && text == what;
  }
};

/// Splits a text into tokens; `#` starts a comment that ends with its line.
class Lexer {
public:
  explicit Lexer(std::string_view text, size_t from = 0)
      : text(text), at(from) {}
  Token next();

private:
  Token number(size_t begin);
  std::string_view text;
  size_t at;
};

} // namespace jacquard

#endif // JACQUARD_PATTERNS_LEXER_H
