//===- Lexer.cpp - splitting text into tokens -----------------------------===//

#include "patterns/Lexer.h"

#include <charconv>

using namespace jacquard;

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

Token Lexer::number(size_t begin) {
  Token token;
  token.begin = begin;
  auto digits = [&] {
    while (at < text.size() && isDigit(text[at]))
      ++at;
  };
  digits();
  bool isFloat = false;
  if (at + 1 < text.size() && text[at] == '.' && isDigit(text[at + 1])) {
    isFloat = true;
    ++at;
    digits();
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    size_t mark = at++;
    if (at < text.size() && (text[at] == '+' || text[at] == '-'))
      ++at;
    if (at < text.size() && isDigit(text[at])) {
      isFloat = true;
      digits();
    } else {
      at = mark;
    }
  }
  token.end = at;
  token.text = text.substr(begin, at - begin);
  token.kind = isFloat ? Token::Float : Token::Int;
  const char *first = token.text.data(), *last = first + token.text.size();
  std::from_chars_result result =
      isFloat ? std::from_chars(first, last, token.floatValue)
              : std::from_chars(first, last, token.intValue);
  if (result.ec != std::errc() || (at < text.size() && isLetter(text[at])))
    token.kind = Token::Bad;
  return token;
}

Token Lexer::next() {
  while (at < text.size()) {
    char c = text[at];
    if (c == '#')
      while (at < text.size() && text[at] != '\n')
        ++at;
    else if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
      ++at;
    else
      break;
  }
  Token token;
  token.begin = token.end = at;
  if (at >= text.size())
    return token;
  size_t begin = at;
  char c = text[at];
  if (isDigit(c))
    return number(begin);
  if (isLetter(c)) {
    while (at < text.size() && (isLetter(text[at]) || isDigit(text[at])))
      ++at;
    token.kind = Token::Word;
  } else if (c == '"') {
    size_t close = text.find_first_of("\"\n", at + 1);
    bool closed = close != std::string_view::npos && text[close] == '"';
    at = closed ? close + 1 : text.size();
    token.kind = closed ? Token::String : Token::Bad;
    token.end = at;
    token.text = text.substr(begin + 1, closed ? close - begin - 1 : 0);
    return token;
  } else {
    std::string_view two = text.substr(at, 2);
    for (std::string_view pair : {"//", "==", "!=", "<=", ">="})
      if (two == pair)
        at += 2;
    if (at == begin) {
      ++at;
      constexpr std::string_view singles = "()[]{},:=<>+-*/%";
      token.kind = singles.find(c) != std::string_view::npos ? Token::Symbol
                                                             : Token::Bad;
      // A character beyond ASCII is reported whole.
      while (at < text.size() &&
             (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80)
        ++at;
    } else {
      token.kind = Token::Symbol;
    }
  }
  token.end = at;
  token.text = text.substr(begin, at - begin);
  return token;
}
