//===- Error.h - one error type for the whole project -----------*- C++ -*-===//
//
// `Expected<T>` holds a value or an `Error`. An error has a kind (which decides
// the exit code of the command), a stable code, a message saying what was given
// and what is allowed, optionally the place in a card, notes, and a cause.
// No function of the library throws, prints, aborts or exits.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_ERROR_H
#define JACQUARD_PATTERNS_ERROR_H

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jacquard {

/// What the caller should do about an error; also the command's exit code.
enum class ErrorKind : uint8_t {
  Invalid = 1,     ///< The card, a tensor or an argument is wrong: correct it.
  Usage = 2,       ///< The command line or the order of calls is wrong.
  Environment = 3, ///< A device, file, tool or resource is missing.
  Internal = 4,    ///< A fault of Jacquard: report it.
};

/// A half-open byte range of a source text.
struct SourceSpan {
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// A text together with the name it is reported under.
struct SourceText {
  std::string name;
  std::string text;
};

/// A place in a text. `source` may be null: then only the message is printed.
struct SourcePlace {
  std::shared_ptr<const SourceText> source;
  SourceSpan span;
};

struct Error {
  ErrorKind kind = ErrorKind::Invalid;
  std::string code; ///< Stable, e.g. "E0107"; never reused.
  std::string message;
  std::optional<SourcePlace> place;
  std::vector<std::string> notes;
  std::shared_ptr<const Error> cause;

  /// `file:line:column: error: message [code]`, the line, a caret, the notes
  /// and the causes; without a place `error: message [code]`. Ends in a
  /// newline.
  std::string render() const;
};

/// Makes an error without a place.
inline Error makeError(ErrorKind kind, std::string code, std::string message,
                       std::vector<std::string> notes = {}) {
  return Error{kind,         std::move(code),  std::move(message),
               std::nullopt, std::move(notes), nullptr};
}

template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }

  const Error &error() const { return std::get<1>(state); }
  Error takeError() { return std::move(std::get<1>(state)); }

private:
  std::variant<T, Error> state;
};

/// The result of an operation that yields no value.
template <> class [[nodiscard]] Expected<void> {
public:
  Expected() = default;
  Expected(Error error) : failure(std::move(error)) {}

  explicit operator bool() const { return !failure; }
  const Error &error() const { return *failure; }
  Error takeError() { return std::move(*failure); }

private:
  std::optional<Error> failure;
};

using Status = Expected<void>;

} // namespace jacquard

#endif // JACQUARD_PATTERNS_ERROR_H
