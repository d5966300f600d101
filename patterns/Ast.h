//===- Ast.h - one card as it was written -----------------------*- C++ -*-===//
//
// The same tree for both spellings. Expressions live in one array a card and
// name each other by index, so that a deep one is freed without recursion.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_AST_H
#define JACQUARD_PATTERNS_AST_H

#include "patterns/Graph.h"

namespace jacquard {

using ExprId = uint32_t;
inline constexpr ExprId noExpr = ~ExprId(0);

struct Expr {
  enum Kind : uint8_t {
    Bool,
    Int,
    Float,
    Name,   ///< A name of the language, a let, a parameter, a tensor, a
            ///< selection.
    Index,  ///< name[operands...]
    Call,   ///< name(operands...): a function or a pattern
    Unary,  ///< op operand: Neg, Not
    Binary, ///< op, two operands; Greater forms are kept as written.
  } kind = Bool;
  enum Operator : uint8_t {
    Neg,
    Not,
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
  } op = Neg;
  std::string name;
  int64_t intValue = 0; ///< Int; Bool as 0 or 1.
  double floatValue = 0;
  std::vector<ExprId> operands;
  std::vector<std::string> argumentNames; ///< Call: empty for positional ones.
  SourceSpan where;
};

struct LetDecl {
  std::string name;
  ExprId value = noExpr;
  SourceSpan where;
};

/// A selection's block size: a number or the name of a parameter.
struct SizeExpr {
  bool given = false;
  int64_t number = 0;
  std::string param;
  SourceSpan where;
};

struct SelectionDecl {
  Selection::Kind kind = Selection::Blocks;
  std::string name;
  SizeExpr qBlock, kBlock;
};

struct Ast {
  std::shared_ptr<const SourceText> source;
  std::string name, description;
  std::vector<Param> params;
  std::vector<Tensor> tensors;
  std::vector<SelectionDecl> selections;
  std::vector<LetDecl> lets;
  ExprId keep = noExpr, score = noExpr;
  std::string sink;
  Align align = Align::Unset;
  std::vector<std::string> uses;
  std::vector<Expr> exprs;
  /// Where declared names stand; also "card.name", "card.sink", "uses.0", ...
  std::map<std::string, SourceSpan> places;

  const Expr &operator[](ExprId id) const { return exprs[id]; }
  /// A place recorded by a reader; nowhere if it was not.
  SourceSpan placeOf(const std::string &key) const;
  Error error(std::string code, std::string message, SourceSpan where,
              std::vector<std::string> notes = {}) const;
};

/// The newest card version that this reader knows.
inline constexpr int cardVersion = 1;
inline constexpr size_t largestCard = size_t(1) << 20;
inline constexpr int deepestNesting = 128;
/// Parameters, tensors, selections and lets: of each.
inline constexpr size_t mostDeclarations = 1024;

/// Parses a card in either spelling: one that begins with `{` is JSON.
Expected<Ast> parseCard(std::string name, std::string text);

/// Parses one expression of `ast.source` between two offsets of `text` (the
/// text may be an unescaped copy: `offsets[i]` is where its character i stands
/// in the source).
Expected<ExprId> parseExpression(Ast &ast, std::string_view text,
                                 const std::vector<uint32_t> &offsets);

std::string printText(const Ast &ast);
std::string printJson(const Ast &ast);
std::string printExpr(const Ast &ast, ExprId id);

/// Finds cards that others call: `uses` entries and the library.
class CardLoader {
public:
  virtual ~CardLoader() = default;
  /// The text of `use` as written in `from`; nothing if there is none.
  virtual std::optional<SourceText> load(const std::string &use,
                                         const SourceText &from) = 0;
};

/// Library cards only, and files beside the card for names ending in .json or
/// .jac.
std::unique_ptr<CardLoader> fileLoader();

/// Resolves names, expands calls, checks types. The graph keeps the card's
/// source.
Expected<Graph> resolve(const Ast &ast, CardLoader &loader);

/// A library card's JSON by name; empty if there is none.
std::string_view libraryCard(std::string_view name);
std::vector<std::string_view> libraryNames();
std::string_view cardSchema();

/// Structure only, as tagged, length-prefixed bytes: no names, defaults,
/// lengths.
std::string canonicalForm(const Graph &graph);
/// BLAKE3 of the canonical form, in hex.
std::string digest(const Graph &graph);

/// The entry of `names` nearest to `word`, if it is near enough to suggest.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string> &names);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_AST_H
