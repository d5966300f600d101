//===- Declarations.cpp - words that both spellings share ------------------===//

#include "patterns/Declarations.h"

#include <array>
#include <cmath>
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
std::string_view jacquard::scalarName(Scalar type) { return nameOf(scalars, type); }
std::optional<Selection::Kind> jacquard::selectionFromName(std::string_view name) {
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
std::string_view jacquard::alignName(Align align) { return nameOf(aligns, align); }

static constexpr std::array<std::string_view, 27> reserved{
    "b",     "h",     "g",        "q",    "k",    "row",  "s",       "q_len", "k_len",
    "heads", "kv_heads", "batch", "and",  "or",   "not",  "true",    "false", "min",
    "max",   "abs",   "where",    "exp",  "log",  "tanh", "sigmoid", "sqrt",  "bit"};

std::optional<std::string> jacquard::whyNoName(std::string_view word) {
  if (word.empty())
    return "a name must not be empty";
  if (word.size() > 64)
    return "a name has at most 64 characters";
  for (size_t i = 0; i < word.size(); ++i) {
    char c = word[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (i == 0 || c < '0' || c > '9'))
      return "a name is made of letters, digits and _, and does not begin with a "
             "digit";
  }
  for (std::string_view own : reserved)
    if (word == own)
      return "'" + std::string(word) + "' is a word of the language";
  return std::nullopt;
}

/// A place recorded by a reader; nowhere if it was not.
static SourceSpan placeOf(const Ast &ast, const std::string &key) {
  auto found = ast.places.find(key);
  return found == ast.places.end() ? SourceSpan{} : found->second;
}

Status jacquard::checkDeclarations(const Ast &ast) {
  std::set<std::string> seen;
  auto name = [&](const std::string &word, const char *kind) -> Status {
    SourceSpan where = placeOf(ast, word);
    if (std::optional<std::string> why = whyNoName(word))
      return ast.error("E0105", "'" + word + "' can't name a " + kind + ": " + *why,
                       where);
    if (!seen.insert(word).second)
      return ast.error("E0106", "'" + word + "' is declared twice", where);
    return {};
  };
  if (ast.name.empty())
    return ast.error("E0113", "the card has no name", {0, 1});
  if (std::optional<std::string> why = whyNoName(ast.name))
    return ast.error("E0105", "'" + ast.name + "' can't name a pattern: " + *why,
                     placeOf(ast, "name"));
  for (const Param &param : ast.params) {
    if (Status status = name(param.name, "parameter"); !status)
      return status;
    SourceSpan where = placeOf(ast, param.name);
    auto outOfRange = [&](const std::optional<double> &value) {
      if (!value || param.type != Scalar::Int)
        return false;
      return std::floor(*value) != *value || std::fabs(*value) > 2147483647.0;
    };
    if (outOfRange(param.defaultValue) || outOfRange(param.min) ||
        outOfRange(param.max))
      return ast.error("E0104", "parameter '" + param.name +
                                    "' is an int: its default and limits must be "
                                    "32-bit ints",
                       where);
    if (param.min && param.max && *param.min > *param.max)
      return ast.error("E0107", "parameter '" + param.name + "' has min " +
                                    printNumber(*param.min) + " above max " +
                                    printNumber(*param.max),
                       where);
    if (param.defaultValue && ((param.min && *param.defaultValue < *param.min) ||
                               (param.max && *param.defaultValue > *param.max)))
      return ast.error("E0107", "parameter '" + param.name + "' has default " +
                                    printNumber(*param.defaultValue) +
                                    " outside its limits",
                       where);
  }
  for (const Tensor &tensor : ast.tensors) {
    if (Status status = name(tensor.name, "tensor"); !status)
      return status;
    SourceSpan where = placeOf(ast, tensor.name);
    if (tensor.type == Scalar::Bool)
      return ast.error("E0108", "tensor '" + tensor.name + "' must be int or float",
                       where);
    if (tensor.shape.size() > 4)
      return ast.error("E0108", "tensor '" + tensor.name + "' has " +
                                    std::to_string(tensor.shape.size()) +
                                    " axes; at most 4 are allowed",
                       where);
    for (const Extent &extent : tensor.shape)
      if (extent.kind == Extent::Number &&
          (extent.number < 1 || extent.number > 2147483647))
        return ast.error("E0108", "tensor '" + tensor.name + "' has an axis of " +
                                      std::to_string(extent.number),
                         where);
    if (tensor.sorted && (tensor.type != Scalar::Int || tensor.shape.empty()))
      return ast.error("E0108", "tensor '" + tensor.name +
                                    "': only int tensors with an axis can be sorted",
                       where);
    if (tensor.grad && tensor.type != Scalar::Float)
      return ast.error("E0108", "tensor '" + tensor.name +
                                    "': only float tensors have a gradient",
                       where);
  }
  for (const SelectionDecl &selection : ast.selections) {
    if (Status status = name(selection.name, "selection"); !status)
      return status;
    bool wantsQ = selection.kind == Selection::Blocks;
    bool wantsK = wantsQ || selection.kind == Selection::TokenBlocks;
    SourceSpan where = placeOf(ast, selection.name);
    for (auto [word, size, wanted] :
         {std::tuple("q_block", &selection.qBlock, wantsQ),
          std::tuple("k_block", &selection.kBlock, wantsK)}) {
      if (size->given != wanted)
        return ast.error("E0109", "selection '" + selection.name + "' " +
                                      (wanted ? "needs " : "takes no ") + word,
                         where);
      if (!size->given || !size->param.empty())
        continue;
      if (size->number < 1 || size->number > 2147483647)
        return ast.error("E0109", "selection '" + selection.name + "': " + word +
                                      " must be at least 1, got " +
                                      std::to_string(size->number),
                         where);
    }
  }
  for (const LetDecl &let : ast.lets)
    if (Status status = name(let.name, "let"); !status)
      return status;
  return {};
}

std::string jacquard::printNumber(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15)
    return std::to_string(static_cast<int64_t>(value));
  char text[64];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  return text;
}
