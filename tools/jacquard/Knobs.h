//===- Knobs.h - what the command reads from the environment ----*- C++ -*-===//
//
// One table; nothing else reads the environment, and `jacquard config` prints
// it. An empty value is the same as none.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_TOOLS_JACQUARD_KNOBS_H
#define JACQUARD_TOOLS_JACQUARD_KNOBS_H

#include "patterns/Error.h"

#include <span>
#include <string_view>

namespace jacquard {

struct Knob {
  std::string_view name, type, defaultValue, help;
  bool changesCode;
};

std::span<const Knob> knobs();
/// A knob's value as it is set, or empty.
std::string knobValue(std::string_view name);

/// Threads of the host device; 0: all of this machine. Errors: E0511.
Expected<int> threadsKnob();
/// Colours on stderr: a terminal, and NO_COLOR not set.
bool colorsOn();
/// Progress on stderr: a terminal, and CI not set.
bool progressOn();
/// May the terminal be sent UTF-8?
bool unicodeOn();

/// JACQUARD_ variables that are no knobs, with the nearest one's name.
std::vector<std::string> unknownKnobs();

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_KNOBS_H
