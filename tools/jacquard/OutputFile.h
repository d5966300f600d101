//===- OutputFile.h - files written whole or not at all ---------*- C++ -*-===//
#ifndef JACQUARD_TOOLS_JACQUARD_OUTPUTFILE_H
#define JACQUARD_TOOLS_JACQUARD_OUTPUTFILE_H

#include "patterns/Error.h"

#include <string_view>

namespace jacquard {

/// Writes the pieces beside `path`, then renames: nobody sees half a file, and
/// a failure leaves what was there. Errors: E0503.
Status writeWhole(const std::string &path,
                  const std::vector<std::string_view> &pieces);

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_OUTPUTFILE_H
