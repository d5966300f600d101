//===- ErrorCodes.h - what each code means ---------------------*- C++ -*-===//
#ifndef JACQUARD_TOOLS_JACQUARD_ERRORCODES_H
#define JACQUARD_TOOLS_JACQUARD_ERRORCODES_H

#include <span>
#include <string_view>

namespace jacquard {

struct ErrorCode {
  std::string_view code, meaning, cure;
};

/// In the order of the codes. Codes are never reused.
std::span<const ErrorCode> errorCodes();

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_ERRORCODES_H
