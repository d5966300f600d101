//===- JsonTree.cpp - building the tree from events -----------------------===//

#include "patterns/JsonTree.h"
#include "patterns/Ast.h"

#include <nlohmann/json.hpp>

#include <unordered_set>

using namespace jacquard;

namespace {
/// Counts what the parser has taken.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  const char *at;
  size_t *taken;

  reference operator*() const { return *at; }
  CountingIterator &operator++() {
    ++at;
    ++*taken;
    return *this;
  }
  bool operator==(const CountingIterator &other) const {
    return at == other.at;
  }
  bool operator!=(const CountingIterator &other) const {
    return at != other.at;
  }
};

class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
  TreeBuilder(const std::shared_ptr<const SourceText> &source,
              const size_t &taken)
      : source(source), text(source->text), taken(taken) {}

  bool null() override { return leaf({}); }
  bool boolean(bool value) override {
    JsonValue leafValue;
    leafValue.kind = JsonValue::Bool;
    leafValue.boolean = value;
    return leaf(std::move(leafValue));
  }
  bool number_integer(number_integer_t value) override {
    JsonValue leafValue;
    leafValue.kind = JsonValue::Int;
    leafValue.integer = value;
    leafValue.number = static_cast<double>(value);
    return leaf(std::move(leafValue));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<number_unsigned_t>(INT64_MAX))
      return number_integer(static_cast<number_integer_t>(value));
    return number_float(static_cast<double>(value), "");
  }
  bool number_float(number_float_t value, const string_t &) override {
    JsonValue leafValue;
    leafValue.kind = JsonValue::Float;
    leafValue.number = value;
    return leaf(std::move(leafValue));
  }
  bool string(string_t &value) override {
    JsonValue leafValue;
    leafValue.kind = JsonValue::String;
    leafValue.string = value;
    return leaf(std::move(leafValue));
  }
  bool binary(binary_t &) override { return false; }
  bool start_object(std::size_t) override { return open(JsonValue::Object); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(JsonValue::Array); }
  bool end_array() override { return close(); }

  bool key(string_t &value) override {
    JsonValue &object = tree.values[stack.back()];
    SourceSpan where = tokenSpan();
    if (!keys.back().insert(value).second) {
      problem = makeError(ErrorKind::Invalid, "E0112",
                          "the key \"" + value + "\" stands twice");
      problem->place = SourcePlace{source, where};
      return false;
    }
    object.members.push_back({value, where, 0});
    return true;
  }

  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    uint32_t at = static_cast<uint32_t>(
        std::min(position ? position - 1 : 0, text.size()));
    std::string got =
        at < text.size() ? "'" + text.substr(at, 1) + "'" : "the end";
    if (at < text.size() && static_cast<unsigned char>(text[at]) < ' ')
      got = "a line or control character";
    if (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80)
      got = "a byte outside of UTF-8";
    problem = makeError(ErrorKind::Invalid, "E0111",
                        "this is no JSON: unexpected " + got);
    problem->place =
        SourcePlace{source, {at, std::min<uint32_t>(at + 1, text.size())}};
    return false;
  }

  JsonTree tree;
  std::optional<Error> problem;

private:
  /// The token that ended where the parser is now. A number ends one character
  /// before, since that was looked at.
  SourceSpan tokenSpan(bool number = false) {
    size_t end = std::min(taken, text.size());
    if (number) {
      while (end > last &&
             !std::isdigit(static_cast<unsigned char>(text[end - 1])))
        --end;
    }
    size_t begin = last;
    while (begin < end && std::string_view(" \t\r\n,:[{").find(text[begin]) !=
                              std::string_view::npos)
      ++begin;
    last = end;
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  size_t attach(JsonValue value) {
    size_t index = tree.values.size();
    tree.values.push_back(std::move(value));
    if (!stack.empty()) {
      JsonValue &parent = tree.values[stack.back()];
      if (parent.kind == JsonValue::Array)
        parent.members.push_back({"", tree.values[index].where, index});
      else
        parent.members.back().value = index;
    }
    return index;
  }

  bool leaf(JsonValue value) {
    bool number =
        value.kind == JsonValue::Int || value.kind == JsonValue::Float;
    value.where = tokenSpan(number);
    attach(std::move(value));
    return true;
  }

  bool open(JsonValue::Kind kind) {
    uint32_t at = static_cast<uint32_t>(std::min(taken, text.size()));
    JsonValue value;
    value.kind = kind;
    value.where = {at ? at - 1 : 0, at};
    if (static_cast<int>(stack.size()) >= deepestNesting) {
      problem = makeError(ErrorKind::Invalid, "E0103",
                          "values nest deeper than " +
                              std::to_string(deepestNesting));
      problem->place = SourcePlace{source, value.where};
      return false;
    }
    size_t index = attach(std::move(value));
    stack.push_back(index);
    keys.emplace_back();
    last = at;
    return true;
  }

  bool close() {
    tree.values[stack.back()].where.end = static_cast<uint32_t>(taken);
    stack.pop_back();
    keys.pop_back();
    last = taken;
    return true;
  }

  std::shared_ptr<const SourceText> source;
  const std::string &text;
  const size_t &taken;
  size_t last = 0; ///< Where the token before ended.
  std::vector<size_t> stack;
  std::vector<std::unordered_set<std::string>> keys; ///< Of each in the stack.
};
} // namespace

Expected<JsonTree>
jacquard::readJsonTree(const std::shared_ptr<const SourceText> &source) {
  size_t taken = 0;
  TreeBuilder builder(source, taken);
  const char *first = source->text.data(), *last = first + source->text.size();
  bool good =
      nlohmann::json::sax_parse(CountingIterator{first, &taken},
                                CountingIterator{last, &taken}, &builder);
  if (builder.problem)
    return *builder.problem;
  if (!good || builder.tree.values.empty())
    return makeError(ErrorKind::Invalid, "E0111", source->name + " is no JSON");
  return std::move(builder.tree);
}
