//===- ErrorCodes.h - what each code means ----------------------*- C++ -*-===//
#ifndef JACQUARD_TOOLS_JACQUARD_ERRORCODES_H
#define JACQUARD_TOOLS_JACQUARD_ERRORCODES_H

#include <string_view>
#include <vector>

namespace jacquard {

struct ErrorCode {
  std::string_view code, meaning, cure;
};

/// In the order of the codes, those of cards included. Codes are never reused.
std::vector<ErrorCode> errorCodes();

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_ERRORCODES_H
