//===- Knobs.cpp - what the command reads from the environment ------------===//

#include "Knobs.h"
#include "patterns/Ast.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <unistd.h>

using namespace jacquard;

static constexpr std::array<Knob, 6> table{{
    {"JACQUARD_THREADS", "int", "0", "threads of the host device; 0: all",
     false},
    {"NO_COLOR", "flag", "", "no colours in messages", false},
    {"CI", "flag", "", "no progress on the terminal", false},
    {"LC_ALL", "text", "",
     "encoding of pictures in the terminal, before LC_CTYPE", false},
    {"LC_CTYPE", "text", "",
     "encoding of pictures in the terminal, before LANG", false},
    {"LANG", "text", "", "encoding of pictures in the terminal", false},
}};

std::span<const Knob> jacquard::knobs() { return table; }

std::string jacquard::knobValue(std::string_view name) {
  const char *value = std::getenv(std::string(name).c_str());
  return value ? value : "";
}

Expected<int> jacquard::threadsKnob() {
  std::string text = knobValue("JACQUARD_THREADS");
  if (text.empty())
    return 0;
  int count = -1;
  auto [end, failed] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  if (failed != std::errc() || end != text.data() + text.size() || count < 0 ||
      count > 4096)
    return makeError(ErrorKind::Usage, "E0511",
                     "JACQUARD_THREADS is '" + text +
                         "'; an int from 0 to 4096 is "
                         "needed");
  return count;
}

bool jacquard::colorsOn() {
  return ::isatty(STDERR_FILENO) && knobValue("NO_COLOR").empty();
}

bool jacquard::progressOn() {
  return ::isatty(STDERR_FILENO) && knobValue("CI").empty();
}

bool jacquard::unicodeOn() {
  for (const char *name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (std::string value = knobValue(name); !value.empty()) {
      for (const char *utf8 : {"UTF-8", "UTF8", "utf-8", "utf8"})
        if (value.find(utf8) != std::string::npos)
          return true;
      return false;
    }
  return false;
}

std::vector<std::string> jacquard::unknownKnobs() {
  std::vector<std::string> known, unknown;
  for (const Knob &knob : table)
    known.emplace_back(knob.name);
  for (char **entry = environ; *entry; ++entry) {
    std::string_view text = *entry;
    std::string name(text.substr(0, text.find('=')));
    if (!name.starts_with("JACQUARD_") || knobValue(name).empty() ||
        std::find(known.begin(), known.end(), name) != known.end())
      continue;
    std::string line = "warning: there is no knob " + name;
    if (std::optional<std::string> near = nearest(name, known))
      line += "; did you mean " + *near + "?";
    unknown.push_back(line);
  }
  return unknown;
}
