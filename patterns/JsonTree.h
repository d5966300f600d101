//===- JsonTree.h - a JSON text with the place of everything ----*- C++ -*-===//
//
// nlohmann_json's event parser over an iterator that counts: values keep the
// range they stand in, members their order, and a key that stands twice is an
// error.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_JSONTREE_H
#define JACQUARD_PATTERNS_JSONTREE_H

#include "patterns/Error.h"

namespace jacquard {

struct JsonValue {
  enum Kind : uint8_t {
    Null,
    Bool,
    Int,
    Float,
    String,
    Array,
    Object
  } kind = Null;
  SourceSpan where;
  bool boolean = false;
  int64_t integer = 0;
  double number = 0; ///< Int and Float.
  std::string string;
  struct Member {
    std::string key;
    SourceSpan where;
    size_t value; ///< Index in the tree.
  };
  std::vector<Member> members; ///< Object; Array: keys are empty.
};

struct JsonTree {
  std::vector<JsonValue> values; ///< The first is the root.
};

/// Codes: E0111 (no JSON), E0112 (a key twice), E0103 (too deep).
Expected<JsonTree>
readJsonTree(const std::shared_ptr<const SourceText> &source);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_JSONTREE_H
