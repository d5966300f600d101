//===- TextParser.cpp - the text form -------------------------------------===//

#include "patterns/Declarations.h"
#include "patterns/ExprParser.h"
#include "patterns/Spellings.h"

using namespace jacquard;

namespace {
class TextParser {
public:
  explicit TextParser(Ast &ast)
      : ast(ast), parser(ast, ast.source->text, 0,
                         [](size_t at) { return static_cast<uint32_t>(at); }) {}

  Status run() {
    readDescription();
    if (!token().is("pattern"))
      return parser.unexpected("'pattern'");
    parser.advance();
    if (Status status = readName(ast.name, "card.name"); !status)
      return status;
    if (Status status = readDeclarations(); !status)
      return status;
    if (!token().is("{"))
      return parser.unexpected("'{'");
    parser.advance();
    while (!token().is("}"))
      if (Status status = readStatement(); !status)
        return status;
    parser.advance();
    if (token().kind != Token::End)
      return parser.unexpected("the end of the card");
    return {};
  }

private:
  const Token &token() const { return parser.current(); }

  /// The comment lines before the pattern.
  void readDescription() {
    std::string_view text = ast.source->text;
    size_t at = 0;
    bool any = false;
    while (at < text.size()) {
      size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = text.substr(at, end - at);
      size_t first = line.find_first_not_of(" \t\r");
      if (first != std::string_view::npos && line[first] != '#')
        return;
      if (first != std::string_view::npos) {
        line.remove_prefix(first + 1);
        if (!line.empty() && line.front() == ' ')
          line.remove_prefix(1);
        while (!line.empty() && line.back() == '\r')
          line.remove_suffix(1);
        if (any)
          ast.description += "\n";
        any = true;
        ast.description += line;
      }
      at = end + 1;
    }
  }

  Status expect(std::string_view what) {
    if (!token().is(what))
      return parser.unexpected("'" + std::string(what) + "'");
    parser.advance();
    return {};
  }

  Status readName(std::string &name, const std::string &key) {
    if (token().kind != Token::Word)
      return parser.unexpected("a name");
    name = token().text;
    ast.places[key.empty() ? name : key] = parser.span(token());
    parser.advance();
    return {};
  }

  /// A default or limit of a parameter of the given type.
  Expected<double> readNumber(Scalar type) {
    if (type == Scalar::Bool) {
      bool value = token().is("true");
      if (!value && !token().is("false"))
        return parser.unexpected("true or false");
      parser.advance();
      return double(value);
    }
    bool negative = token().is("-");
    if (negative)
      parser.advance();
    double value;
    if (token().kind == Token::Int)
      value = static_cast<double>(token().intValue);
    else if (token().kind == Token::Float)
      value = token().floatValue;
    else
      return parser.unexpected("a number");
    parser.advance();
    return negative ? -value : value;
  }

  Status readDeclarations() {
    if (!token().is("("))
      return {};
    parser.advance();
    while (!token().is(")")) {
      if (Status status = readDeclaration(); !status)
        return status;
      if (token().is(","))
        parser.advance();
      else if (!token().is(")"))
        return parser.unexpected("',' or ')'");
    }
    parser.advance();
    return {};
  }

  Status readDeclaration() {
    Token start = token();
    std::string name;
    if (Status status = readName(name, ""); !status)
      return status;
    if (Status status = expect(":"); !status)
      return status;
    if (std::optional<Selection::Kind> kind = selectionFromName(token().text))
      return readSelection(name, *kind);
    std::optional<Scalar> type = scalarFromName(token().text);
    if (!type)
      return parser.unexpected(
          "a type (int, float, bool) or a kind of selection");
    parser.advance();
    if (token().is("["))
      return readTensor(name, *type, start);
    if (!ast.tensors.empty() || !ast.selections.empty())
      return outOfOrder(start);
    Param param;
    param.name = name;
    param.type = *type;
    while (true) {
      std::optional<double> *slot = token().is("=")     ? &param.defaultValue
                                    : token().is("min") ? &param.min
                                    : token().is("max") ? &param.max
                                                        : nullptr;
      if (!slot)
        break;
      if (*slot)
        return twice(token());
      parser.advance();
      Expected<double> value = readNumber(*type);
      if (!value)
        return value.takeError();
      *slot = *value;
    }
    ast.params.push_back(std::move(param));
    return {};
  }

  Error outOfOrder(const Token &start) const {
    return ast.error("E0110",
                     "parameters come first, then tensors, then selections",
                     parser.span(start));
  }

  Status readTensor(const std::string &name, Scalar type, const Token &start) {
    if (!ast.selections.empty())
      return outOfOrder(start);
    Tensor tensor;
    tensor.name = name;
    tensor.type = type;
    parser.advance();
    while (!token().is("]")) {
      if (token().kind == Token::Int)
        tensor.shape.push_back({Extent::Number, token().intValue});
      else if (std::optional<Extent> extent = extentFromName(token().text))
        tensor.shape.push_back(*extent);
      else
        return parser.unexpected(
            "an axis: batch, heads, kv_heads, q_len, k_len or a number");
      parser.advance();
      if (token().is(","))
        parser.advance();
      else if (!token().is("]"))
        return parser.unexpected("',' or ']'");
    }
    parser.advance();
    while (token().is("sorted") || token().is("grad")) {
      (token().is("sorted") ? tensor.sorted : tensor.grad) = true;
      parser.advance();
    }
    ast.tensors.push_back(std::move(tensor));
    return {};
  }

  Status readSelection(const std::string &name, Selection::Kind kind) {
    SelectionDecl selection;
    selection.name = name;
    selection.kind = kind;
    parser.advance();
    if (token().is("(")) {
      parser.advance();
      while (!token().is(")")) {
        SizeExpr *size = token().is("q_block")   ? &selection.qBlock
                         : token().is("k_block") ? &selection.kBlock
                                                 : nullptr;
        if (!size)
          return parser.unexpected("q_block or k_block");
        parser.advance();
        if (Status status = expect("="); !status)
          return status;
        size->given = true;
        size->where = parser.span(token());
        if (token().kind == Token::Int)
          size->number = token().intValue;
        else if (token().kind == Token::Word)
          size->param = token().text;
        else
          return parser.unexpected("a number or the name of a parameter");
        parser.advance();
        if (token().is(","))
          parser.advance();
        else if (!token().is(")"))
          return parser.unexpected("',' or ')'");
      }
      parser.advance();
    }
    ast.selections.push_back(std::move(selection));
    return {};
  }

  Status readStatement() {
    Token word = token();
    if (word.is("let")) {
      parser.advance();
      LetDecl let;
      if (Status status = readName(let.name, ""); !status)
        return status;
      let.where = ast.places[let.name];
      if (Status status = expect("="); !status)
        return status;
      Expected<ExprId> value = parser.parse();
      if (!value)
        return value.takeError();
      let.value = *value;
      ast.lets.push_back(std::move(let));
      return {};
    }
    if (word.is("keep") || word.is("score")) {
      ExprId &slot = word.is("keep") ? ast.keep : ast.score;
      if (slot != noExpr)
        return twice(word);
      parser.advance();
      Expected<ExprId> value = parser.parse();
      if (!value)
        return value.takeError();
      slot = *value;
      return {};
    }
    if (word.is("sink")) {
      if (!ast.sink.empty())
        return twice(word);
      parser.advance();
      return readName(ast.sink, "card.sink");
    }
    if (word.is("align")) {
      if (ast.align != Align::Unset)
        return twice(word);
      parser.advance();
      std::optional<Align> align = alignFromName(token().text);
      if (!align)
        return parser.unexpected("top_left or bottom_right");
      ast.align = *align;
      parser.advance();
      return {};
    }
    if (word.is("uses")) {
      parser.advance();
      while (token().kind == Token::String || token().kind == Token::Word) {
        ast.places["uses." + std::to_string(ast.uses.size())] =
            parser.span(token());
        ast.uses.emplace_back(token().text);
        parser.advance();
        if (!token().is(","))
          return {};
        parser.advance();
      }
      return parser.unexpected("the name or the quoted path of a pattern");
    }
    return parser.unexpected("let, keep, score, sink, align, uses or '}'");
  }

  Error twice(const Token &word) const {
    return ast.error("E0106", "'" + std::string(word.text) + "' stands twice",
                     parser.span(word));
  }

  Ast &ast;
  ExprParser parser;
};
} // namespace

Status jacquard::readText(Ast &ast) { return TextParser(ast).run(); }
