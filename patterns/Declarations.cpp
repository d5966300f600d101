//===- Declarations.cpp - words that both spellings share -----------------===//

#include "patterns/Declarations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

using namespace jacquard;

namespace {
template <typename T> using Words = std::vector<std::pair<std::string_view, T>>;
}

template <typename T>
static std::optional<T> find(const Words<T> &words, std::string_view name) {
  for (const auto &[word, value] : words)
    if (word == name)
      return value;
  return std::nullopt;
}

template <typename T>
static std::string_view nameOf(const Words<T> &words, T value) {
  for (const auto &[word, known] : words)
    if (known == value)
      return word;
  return {};
}

static const Words<Scalar> scalars{
    {"int", Scalar::Int}, {"float", Scalar::Float}, {"bool", Scalar::Bool}};
static const Words<Selection::Kind> selections{
    {"blocks", Selection::Blocks},
    {"token_blocks", Selection::TokenBlocks},
    {"row_intervals", Selection::RowIntervals},
    {"column_intervals", Selection::ColumnIntervals}};
static const Words<Extent::Kind> extents{{"batch", Extent::Batch},
                                         {"heads", Extent::Heads},
                                         {"kv_heads", Extent::KvHeads},
                                         {"q_len", Extent::QLen},
                                         {"k_len", Extent::KLen}};
static const Words<Align> aligns{{"top_left", Align::TopLeft},
                                 {"bottom_right", Align::BottomRight}};

std::optional<Scalar> jacquard::scalarFromName(std::string_view name) {
  return find(scalars, name);
}
std::string_view jacquard::scalarName(Scalar type) {
  return nameOf(scalars, type);
}
std::optional<Selection::Kind>
jacquard::selectionFromName(std::string_view name) {
  return find(selections, name);
}
std::string_view jacquard::selectionName(Selection::Kind kind) {
  return nameOf(selections, kind);
}
std::optional<Extent> jacquard::extentFromName(std::string_view name) {
  std::optional<Extent::Kind> kind = find(extents, name);
  return kind ? std::optional(Extent{*kind, 0}) : std::nullopt;
}
std::string jacquard::extentName(const Extent &extent) {
  if (extent.kind == Extent::Number)
    return std::to_string(extent.number);
  return std::string(nameOf(extents, extent.kind));
}
std::optional<Align> jacquard::alignFromName(std::string_view name) {
  return find(aligns, name);
}
std::string_view jacquard::alignName(Align align) {
  return nameOf(aligns, align);
}

static constexpr std::array<std::string_view, 27> reserved{
    "b",     "h",     "g",     "q",        "k",     "row", "s",
    "q_len", "k_len", "heads", "kv_heads", "batch", "and", "or",
    "not",   "true",  "false", "min",      "max",   "abs", "where",
    "exp",   "log",   "tanh",  "sigmoid",  "sqrt",  "bit"};

std::optional<std::string> jacquard::whyNoName(std::string_view word) {
  if (word.empty())
    return "a name must not be empty";
  if (word.size() > 64)
    return "a name has at most 64 characters";
  for (size_t i = 0; i < word.size(); ++i) {
    char c = word[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (i == 0 || c < '0' || c > '9'))
      return "a name is made of letters, digits and _, and does not begin with "
             "a "
             "digit";
  }
  for (std::string_view own : reserved)
    if (word == own)
      return "'" + std::string(word) + "' is a word of the language";
  return std::nullopt;
}

/// The description and the names of other cards, which stand as they are in
/// both spellings.
static Status checkTexts(const Ast &ast) {
  auto isControl = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  for (char c : ast.description)
    if (isControl(c) && c != '\n' && c != '\t')
      return ast.error("E0132", "the description holds a control character",
                       {0, 1});
  for (size_t i = 0; i < ast.uses.size(); ++i) {
    const std::string &use = ast.uses[i];
    if (use.empty() || std::any_of(use.begin(), use.end(), [&](char c) {
          return isControl(c) || c == '"';
        }))
      return ast.error("E0132",
                       "uses takes names and paths without quotes and "
                       "control characters",
                       ast.placeOf("uses." + std::to_string(i)));
  }
  return {};
}

static Status checkParam(const Ast &ast, const Param &param) {
  SourceSpan where = ast.placeOf(param.name);
  std::string what = "parameter '" + param.name + "'";
  auto isIn = [](const std::optional<double> &value, double limit) {
    return !value || std::fabs(*value) <= limit;
  };
  auto isWhole = [](const std::optional<double> &value) {
    return !value || std::floor(*value) == *value;
  };
  if (param.type == Scalar::Int)
    for (const auto &value : {param.defaultValue, param.min, param.max})
      if (!isIn(value, 2147483647.0) || !isWhole(value))
        return ast.error(
            "E0104",
            what + " is an int: its default and limits must be 32-bit ints",
            where);
  if (param.type == Scalar::Float)
    for (const auto &value : {param.defaultValue, param.min, param.max})
      if (!isIn(value, std::numeric_limits<float>::max()))
        return ast.error("E0104",
                         what + ": " + printNumber(*value) +
                             " is too large for a float",
                         where);
  if (param.type == Scalar::Bool && (param.min || param.max))
    return ast.error("E0107", what + " is a bool, which has no limits", where);
  if (param.min && param.max && *param.min > *param.max)
    return ast.error("E0107",
                     what + " has min " + printNumber(*param.min) +
                         " above max " + printNumber(*param.max),
                     where);
  if (param.defaultValue && ((param.min && *param.defaultValue < *param.min) ||
                             (param.max && *param.defaultValue > *param.max)))
    return ast.error("E0107",
                     what + " has default " + printNumber(*param.defaultValue) +
                         " outside its limits",
                     where);
  return {};
}

static Status checkTensor(const Ast &ast, const Tensor &tensor) {
  std::string what = "tensor '" + tensor.name + "'";
  auto wrong = [&](const std::string &why) {
    return ast.error("E0108", what + why, ast.placeOf(tensor.name));
  };
  if (tensor.type == Scalar::Bool)
    return wrong(" must be int or float");
  if (tensor.shape.size() > 4)
    return wrong(" has " + std::to_string(tensor.shape.size()) +
                 " axes; at most 4 are allowed");
  for (const Extent &extent : tensor.shape)
    if (extent.kind == Extent::Number &&
        (extent.number < 1 || extent.number > 2147483647))
      return wrong(" has an axis of " + std::to_string(extent.number));
  if (tensor.sorted && (tensor.type != Scalar::Int || tensor.shape.empty()))
    return wrong(": only int tensors with an axis can be sorted");
  if (tensor.grad && tensor.type != Scalar::Float)
    return wrong(": only float tensors have a gradient");
  return {};
}

static Status checkSelection(const Ast &ast, const SelectionDecl &selection) {
  bool wantsQ = selection.kind == Selection::Blocks;
  bool wantsK = wantsQ || selection.kind == Selection::TokenBlocks;
  SourceSpan where = ast.placeOf(selection.name);
  for (auto [word, size, wanted] :
       {std::tuple("q_block", &selection.qBlock, wantsQ),
        std::tuple("k_block", &selection.kBlock, wantsK)}) {
    if (size->given != wanted)
      return ast.error("E0109",
                       "selection '" + selection.name + "' " +
                           (wanted ? "needs " : "takes no ") + word,
                       where);
    if (!size->given)
      continue;
    if (!size->param.empty()) {
      if (std::optional<std::string> why = whyNoName(size->param))
        return ast.error("E0105",
                         "'" + size->param + "' is no parameter: " + *why,
                         size->where);
      continue;
    }
    if (size->number < 1 || size->number > 2147483647)
      return ast.error("E0109",
                       "selection '" + selection.name + "': " + word +
                           " must be at least 1, got " +
                           std::to_string(size->number),
                       size->where);
  }
  return {};
}

Status jacquard::checkDeclarations(const Ast &ast) {
  std::set<std::string> seen;
  auto name = [&](const std::string &word, const char *kind) -> Status {
    SourceSpan where = ast.placeOf(word);
    if (std::optional<std::string> why = whyNoName(word))
      return ast.error(
          "E0105", "'" + word + "' can't name a " + kind + ": " + *why, where);
    if (!seen.insert(word).second)
      return ast.error("E0106", "'" + word + "' is declared twice", where);
    return {};
  };
  if (ast.name.empty())
    return ast.error("E0113", "the card has no name", {0, 1});
  if (std::optional<std::string> why = whyNoName(ast.name))
    return ast.error("E0105",
                     "'" + ast.name + "' can't name a pattern: " + *why,
                     ast.placeOf("card.name"));
  if (Status status = checkTexts(ast); !status)
    return status;
  if (std::optional<std::string> why = whyNoName(ast.sink);
      why && ast.places.count("card.sink"))
    return ast.error("E0105", "'" + ast.sink + "' is no tensor: " + *why,
                     ast.placeOf("card.sink"));
  for (size_t count : {ast.params.size(), ast.tensors.size(),
                       ast.selections.size(), ast.lets.size(), ast.uses.size()})
    if (count > mostDeclarations)
      return ast.error(
          "E0117",
          "a card has at most " + std::to_string(mostDeclarations) +
              " declarations of a kind; this one has " + std::to_string(count),
          {0, 1});
  for (const Param &param : ast.params) {
    if (Status status = name(param.name, "parameter"); !status)
      return status;
    if (Status status = checkParam(ast, param); !status)
      return status;
  }
  for (const Tensor &tensor : ast.tensors) {
    if (Status status = name(tensor.name, "tensor"); !status)
      return status;
    if (Status status = checkTensor(ast, tensor); !status)
      return status;
  }
  for (const SelectionDecl &selection : ast.selections) {
    if (Status status = name(selection.name, "selection"); !status)
      return status;
    if (Status status = checkSelection(ast, selection); !status)
      return status;
  }
  for (const LetDecl &let : ast.lets)
    if (Status status = name(let.name, "let"); !status)
      return status;
  return {};
}

std::string jacquard::printNumber(double value) {
  char text[64];
  bool isWhole = value == std::floor(value) && std::fabs(value) < 1e15;
  char *end = isWhole ? std::to_chars(text, text + sizeof text,
                                      static_cast<int64_t>(value))
                            .ptr
                      : std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}
