//===- JsonCard.cpp - the JSON spelling -----------------------------------===//

#include "patterns/Declarations.h"
#include "patterns/JsonTree.h"
#include "patterns/Spellings.h"

#include "llvm/Support/ConvertUTF.h"

#include <algorithm>
#include <functional>

using namespace jacquard;

namespace {
class CardReader {
public:
  CardReader(Ast &ast, const JsonTree &tree) : ast(ast), tree(tree) {}

  Status run() {
    const JsonValue &root = tree.values[0];
    if (root.kind != JsonValue::Object)
      return wrongType(root, "a card", "an object");
    // The version first: a newer card may hold what this reader can't judge.
    const JsonValue *version = find(root, "jacquard");
    if (!version)
      return ast.error(
          "E0113", "the key \"jacquard\" (the card version) is missing",
          {root.where.begin, root.where.begin + 1},
          {"this reader knows version " + std::to_string(cardVersion)});
    if (version->kind != JsonValue::Int)
      return wrongType(*version, "jacquard", "a number");
    if (version->integer > cardVersion)
      return ast.error("E0114",
                       "card version " + std::to_string(version->integer) +
                           " is newer than this reader's " +
                           std::to_string(cardVersion),
                       version->where);
    if (version->integer < 1)
      return ast.error("E0114",
                       "there is no card version " +
                           std::to_string(version->integer),
                       version->where);
    return members(
        root, "a card",
        {{"jacquard", [](const JsonValue &) { return Status(); }},
         {"$schema",
          [&](const JsonValue &v) { return isString(v, "$schema"); }},
         {"name",
          [&](const JsonValue &v) {
            ast.places["card.name"] = v.where;
            return text(v, "name", ast.name);
          }},
         {"description",
          [&](const JsonValue &v) {
            return text(v, "description", ast.description);
          }},
         {"params", [&](const JsonValue &v) { return params(v); }},
         {"tensors", [&](const JsonValue &v) { return tensors(v); }},
         {"selections", [&](const JsonValue &v) { return selections(v); }},
         {"let", [&](const JsonValue &v) { return lets(v); }},
         {"keep",
          [&](const JsonValue &v) { return expression(v, "keep", ast.keep); }},
         {"score",
          [&](const JsonValue &v) {
            return expression(v, "score", ast.score);
          }},
         {"sink",
          [&](const JsonValue &v) {
            ast.places["card.sink"] = v.where;
            return text(v, "sink", ast.sink);
          }},
         {"align", [&](const JsonValue &v) { return align(v); }},
         {"uses", [&](const JsonValue &v) { return uses(v); }}});
  }

private:
  using Reader = std::function<Status(const JsonValue &)>;
  using Readers = std::vector<std::pair<std::string, Reader>>;

  const JsonValue *find(const JsonValue &object, std::string_view key) const {
    for (const JsonValue::Member &member : object.members)
      if (member.key == key)
        return &tree.values[member.value];
    return nullptr;
  }

  Error wrongType(const JsonValue &value, const std::string &what,
                  const std::string &expected) const {
    constexpr const char *names[] = {"null",     "a boolean", "a number",
                                     "a number", "a string",  "an array",
                                     "an object"};
    return ast.error("E0115",
                     "'" + what + "' must be " + expected + ", got " +
                         names[value.kind],
                     value.where);
  }

  /// Reads each member by its reader; an unknown key is an error.
  Status members(const JsonValue &object, const std::string &what,
                 const Readers &readers) {
    if (object.kind != JsonValue::Object)
      return wrongType(object, what, "an object");
    for (const JsonValue::Member &member : object.members) {
      const Reader *reader = nullptr;
      std::vector<std::string> known;
      for (const auto &[key, own] : readers) {
        known.push_back(key);
        if (key == member.key)
          reader = &own;
      }
      if (!reader) {
        std::vector<std::string> notes;
        if (std::optional<std::string> near = nearest(member.key, known))
          notes.push_back("did you mean \"" + *near + "\"?");
        return ast.error("E0116",
                         "unknown key \"" + member.key + "\" in " + what,
                         member.where, std::move(notes));
      }
      if (Status status = (*reader)(tree.values[member.value]); !status)
        return status;
    }
    return {};
  }

  /// Each member of an object of declarations.
  Status declarations(const JsonValue &object, const std::string &what,
                      const std::function<Status(const std::string &,
                                                 const JsonValue &)> &read) {
    if (object.kind != JsonValue::Object)
      return wrongType(object, what, "an object");
    for (const JsonValue::Member &member : object.members) {
      ast.places[member.key] = member.where;
      if (Status status = read(member.key, tree.values[member.value]); !status)
        return status;
    }
    return {};
  }

  Status isString(const JsonValue &value, const std::string &what) const {
    if (value.kind == JsonValue::String)
      return {};
    return wrongType(value, what, "a string");
  }

  Status text(const JsonValue &value, const std::string &what,
              std::string &slot) const {
    slot = value.string;
    return isString(value, what);
  }

  /// A default or limit of a parameter of the given type.
  Status number(const JsonValue *value, const std::string &what, Scalar type,
                std::optional<double> &slot) const {
    if (!value)
      return {};
    bool isBool = type == Scalar::Bool;
    if (isBool
            ? value->kind != JsonValue::Bool
            : value->kind != JsonValue::Int && value->kind != JsonValue::Float)
      return wrongType(*value, what, isBool ? "true or false" : "a number");
    slot = isBool ? value->boolean : value->number;
    return {};
  }

  Status flag(const JsonValue &value, const std::string &what,
              bool &slot) const {
    slot = value.boolean;
    if (value.kind == JsonValue::Bool)
      return {};
    return wrongType(value, what, "true or false");
  }

  Status scalar(const JsonValue &value, std::optional<Scalar> &slot) const {
    if (Status status = isString(value, "type"); !status)
      return status;
    slot = scalarFromName(value.string);
    if (slot)
      return {};
    return ast.error("E0115", "unknown type \"" + value.string + "\"",
                     value.where, {"the types are int, float and bool"});
  }

  Status missing(const JsonValue &object, const std::string &what,
                 const std::string &key) const {
    return ast.error("E0113", what + " needs the key \"" + key + "\"",
                     object.where);
  }

  Status params(const JsonValue &object) {
    return declarations(
        object, "params",
        [&](const std::string &name, const JsonValue &value) -> Status {
          Param param;
          param.name = name;
          std::optional<Scalar> type;
          std::string what = "parameter '" + name + "'";
          auto later = [](const JsonValue &) { return Status(); };
          Status status = members(
              value, what,
              {{"type", [&](const JsonValue &v) { return scalar(v, type); }},
               {"default", later},
               {"min", later},
               {"max", later}});
          if (!status)
            return status;
          if (!type)
            return missing(value, what, "type");
          param.type = *type;
          for (auto [key, slot] :
               {std::pair("default", &param.defaultValue),
                std::pair("min", &param.min), std::pair("max", &param.max)})
            if (Status own = number(find(value, key), key, *type, *slot); !own)
              return own;
          ast.params.push_back(std::move(param));
          return {};
        });
  }

  Status tensors(const JsonValue &object) {
    return declarations(
        object, "tensors",
        [&](const std::string &name, const JsonValue &value) -> Status {
          Tensor tensor;
          tensor.name = name;
          std::optional<Scalar> type;
          bool shaped = false;
          std::string what = "tensor '" + name + "'";
          Status status = members(
              value, what,
              {{"type", [&](const JsonValue &v) { return scalar(v, type); }},
               {"shape",
                [&](const JsonValue &v) {
                  shaped = true;
                  return shape(v, tensor.shape);
                }},
               {"sorted",
                [&](const JsonValue &v) {
                  return flag(v, "sorted", tensor.sorted);
                }},
               {"grad", [&](const JsonValue &v) {
                  return flag(v, "grad", tensor.grad);
                }}});
          if (!status)
            return status;
          if (!type)
            return missing(value, what, "type");
          if (!shaped)
            return missing(value, what, "shape");
          tensor.type = *type;
          ast.tensors.push_back(std::move(tensor));
          return {};
        });
  }

  Status shape(const JsonValue &value, std::vector<Extent> &axes) const {
    if (value.kind != JsonValue::Array)
      return wrongType(value, "shape", "an array");
    for (const JsonValue::Member &member : value.members) {
      const JsonValue &axis = tree.values[member.value];
      if (axis.kind == JsonValue::Int) {
        axes.push_back({Extent::Number, axis.integer});
        continue;
      }
      std::optional<Extent> extent;
      if (axis.kind == JsonValue::String)
        extent = extentFromName(axis.string);
      if (!extent)
        return ast.error(
            "E0115", "an axis must be a number or a size", axis.where,
            {"the sizes are batch, heads, kv_heads, q_len and k_len"});
      axes.push_back(*extent);
    }
    return {};
  }

  Status size(const JsonValue &value, const std::string &what,
              SizeExpr &slot) const {
    slot.given = true;
    slot.where = value.where;
    if (value.kind == JsonValue::Int)
      slot.number = value.integer;
    else if (value.kind == JsonValue::String)
      slot.param = value.string;
    else
      return wrongType(value, what, "a number or the name of a parameter");
    return {};
  }

  Status selections(const JsonValue &object) {
    return declarations(
        object, "selections",
        [&](const std::string &name, const JsonValue &value) -> Status {
          SelectionDecl selection;
          selection.name = name;
          std::optional<Selection::Kind> kind;
          std::string what = "selection '" + name + "'";
          Status status = members(
              value, what,
              {{"kind",
                [&](const JsonValue &v) -> Status {
                  if (Status own = isString(v, "kind"); !own)
                    return own;
                  kind = selectionFromName(v.string);
                  if (kind)
                    return {};
                  return ast.error(
                      "E0115", "unknown kind \"" + v.string + "\"", v.where,
                      {"the kinds are blocks, token_blocks, row_intervals "
                       "and column_intervals"});
                }},
               {"q_block",
                [&](const JsonValue &v) {
                  return size(v, "q_block", selection.qBlock);
                }},
               {"k_block", [&](const JsonValue &v) {
                  return size(v, "k_block", selection.kBlock);
                }}});
          if (!status)
            return status;
          if (!kind)
            return missing(value, what, "kind");
          selection.kind = *kind;
          ast.selections.push_back(std::move(selection));
          return {};
        });
  }

  Status lets(const JsonValue &object) {
    return declarations(
        object, "let",
        [&](const std::string &name, const JsonValue &value) -> Status {
          LetDecl let;
          let.name = name;
          let.where = ast.places[name];
          if (Status status = expression(value, "let " + name, let.value);
              !status)
            return status;
          ast.lets.push_back(std::move(let));
          return {};
        });
  }

  Status align(const JsonValue &value) {
    if (Status status = isString(value, "align"); !status)
      return status;
    std::optional<Align> align = alignFromName(value.string);
    if (!align)
      return ast.error("E0115", "unknown align \"" + value.string + "\"",
                       value.where, {"align is top_left or bottom_right"});
    ast.align = *align;
    return {};
  }

  Status uses(const JsonValue &value) {
    if (value.kind != JsonValue::Array)
      return wrongType(value, "uses", "an array");
    for (const JsonValue::Member &member : value.members) {
      const JsonValue &use = tree.values[member.value];
      if (Status status = isString(use, "uses"); !status)
        return status;
      ast.places["uses." + std::to_string(ast.uses.size())] = use.where;
      ast.uses.push_back(use.string);
    }
    return {};
  }

  Status expression(const JsonValue &value, const std::string &what,
                    ExprId &slot) {
    if (value.kind != JsonValue::String)
      return wrongType(value, what, "a string with an expression");
    Expected<ExprId> parsed =
        parseExpression(ast, value.string, offsets(value));
    if (!parsed)
      return parsed.takeError();
    slot = *parsed;
    return {};
  }

  /// Where each byte of a string's value stands in the source.
  std::vector<uint32_t> offsets(const JsonValue &value) const {
    const std::string &source = ast.source->text;
    std::vector<uint32_t> places;
    uint32_t at = value.where.begin + 1, end = value.where.end - 1;
    while (places.size() < value.string.size() && at < end) {
      if (source[at] != '\\') {
        places.push_back(at++);
        continue;
      }
      // \uXXXX gives one to three bytes, a pair of them four.
      bool isUnicode = at + 1 < end && source[at + 1] == 'u';
      uint32_t from = at;
      size_t bytes = 1;
      if (isUnicode) {
        unsigned code = 0;
        for (uint32_t i = at + 2; i < std::min(at + 6, end); ++i)
          code = code * 16 + hexDigit(source[i]);
        bool pair = code >= 0xd800 && code < 0xdc00;
        bytes = pair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
        at += pair ? 12 : 6;
      } else {
        at += 2;
      }
      places.insert(places.end(), bytes, from);
    }
    places.push_back(end);
    return places;
  }

  static unsigned hexDigit(char c) {
    return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
  }

  Ast &ast;
  const JsonTree &tree;
};
} // namespace

Status jacquard::readJson(Ast &ast) {
  Expected<JsonTree> tree = readJsonTree(ast.source);
  if (!tree)
    return tree.takeError();
  return CardReader(ast, *tree).run();
}

Expected<Ast> jacquard::parseCard(std::string name, std::string text) {
  Ast ast;
  auto source = std::make_shared<SourceText>();
  source->name = std::move(name);
  source->text = std::move(text);
  if (source->text.starts_with(
          "\xef\xbb\xbf")) // A byte order mark says nothing.
    source->text.erase(0, 3);
  ast.source = source;
  if (source->text.size() > largestCard)
    return ast.error("E0117",
                     "a card has at most " + std::to_string(largestCard) +
                         " bytes; this one has " +
                         std::to_string(source->text.size()),
                     {0, 1});
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(source->text.data());
  const llvm::UTF8 *end = begin + source->text.size();
  // The ASCII before the first other character needs no slow look.
  const llvm::UTF8 *at =
      std::find_if(begin, end, [](llvm::UTF8 c) { return c > 127; });
  if (!llvm::isLegalUTF8String(&at, end)) {
    uint32_t place = static_cast<uint32_t>(at - begin);
    return ast.error("E0119", "the card is no UTF-8 text", {place, place + 1});
  }
  size_t first = source->text.find_first_not_of(" \t\r\n");
  bool isJson = first != std::string::npos && source->text[first] == '{';
  if (Status status = isJson ? readJson(ast) : readText(ast); !status)
    return status.takeError();
  if (Status status = checkDeclarations(ast); !status)
    return status.takeError();
  return ast;
}
