//===- RunOptions.h - q, k and v of `jacquard run` --------------*- C++ -*-===//
#ifndef JACQUARD_TOOLS_JACQUARD_RUNOPTIONS_H
#define JACQUARD_TOOLS_JACQUARD_RUNOPTIONS_H

#include "Operands.h"

namespace jacquard {

struct RunOptions {
  ProblemOptions problem;
  TypeOptions type;
  std::string query, key, value, dOut, dLse, out;
  double scale = 0;
  bool random = false, backward = false, check = false;
  CLI::App *command = nullptr; ///< To know which options were given.
};

/// Reads the files of q, k and v and takes sizes and types from them. What has
/// no file stays empty. Errors: E0501, E0502, E0509, E0312.
Status readFiles(RunOptions &options, Operands &operands);

/// Random arrays for those of q, k and v that no file gave. Errors: E0508,
/// E0512.
Status fillOperands(const RunOptions &options, const Problem &problem,
                    Operands &operands);

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_RUNOPTIONS_H
