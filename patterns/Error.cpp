//===- Error.cpp - messages in the form that compilers use ----------------===//

#include "patterns/Error.h"
#include "patterns/Ast.h"

#include <algorithm>

using namespace jacquard;

Error Ast::error(std::string code, std::string message, SourceSpan where,
                 std::vector<std::string> notes) const {
  Error error = makeError(ErrorKind::Invalid, std::move(code),
                          std::move(message), std::move(notes));
  error.place = SourcePlace{source, where};
  return error;
}

SourceSpan Ast::placeOf(const std::string &key) const {
  auto found = places.find(key);
  return found == places.end() ? SourceSpan{} : found->second;
}

/// A byte of a UTF-8 character that is not its first.
static bool isInsideCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// Text of a card as a terminal may show it: control characters do nothing.
static std::string printable(std::string text) {
  for (char &c : text)
    if ((static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7f)
      c = '?';
  return text;
}

static std::string header(const Error &error) {
  return "error: " + printable(error.message) +
         (error.code.empty() ? "" : " [" + error.code + "]") + "\n";
}

std::string Error::render() const {
  std::string text;
  if (place && place->source) {
    const std::string &source = place->source->text;
    size_t begin = std::min<size_t>(place->span.begin, source.size());
    size_t end = std::clamp<size_t>(place->span.end, begin, source.size());
    size_t lineStart = source.rfind('\n', begin ? begin - 1 : 0);
    lineStart =
        begin == 0 || lineStart == std::string::npos ? 0 : lineStart + 1;
    size_t lineEnd = std::min(source.find('\n', begin), source.size());
    size_t line =
        1 + std::count(source.begin(), source.begin() + lineStart, '\n');
    text = place->source->name + ":" + std::to_string(line) + ":" +
           std::to_string(begin - lineStart + 1) + ": " + header(*this);
    // A long line is shown around the place.
    constexpr size_t width = 120;
    size_t from = begin - lineStart > width / 2 ? begin - width / 2 : lineStart;
    size_t to = std::min(lineEnd, from + width);
    while (from < begin && isInsideCharacter(source[from]))
      ++from;
    while (to < lineEnd && isInsideCharacter(source[to]))
      ++to;
    std::string shown = printable(source.substr(from, to - from));
    std::string under;
    for (size_t i = from; i < begin && i < to; ++i)
      if (!isInsideCharacter(source[i]))
        under += source[i] == '\t' ? '\t' : ' ';
    under += '^';
    for (size_t i = begin + 1; i < std::min(end, to); ++i)
      if (!isInsideCharacter(source[i]))
        under += '~';
    std::string number = std::to_string(line);
    text += " " + number + " | " + shown + "\n " +
            std::string(number.size(), ' ') + " | " + under + "\n";
  } else {
    text = header(*this);
  }
  for (const std::string &note : notes)
    text += "note: " + printable(note) + "\n";
  if (cause)
    text += "caused by: " + cause->render();
  return text;
}

/// Edits (insert, delete, replace, swap neighbours) from one word to the other.
static size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> table(a.size() + 1,
                                         std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                              table[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  return table[a.size()][b.size()];
}

std::optional<std::string>
jacquard::nearest(std::string_view word,
                  const std::vector<std::string> &names) {
  constexpr size_t longestWord = 64;
  if (word.size() > longestWord)
    return std::nullopt;
  std::optional<std::string> best;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string &name : names) {
    if (name.size() > longestWord)
      continue;
    size_t edits = distance(word, name);
    if (edits < least && edits < word.size()) {
      least = edits;
      best = name;
    }
  }
  return best;
}
