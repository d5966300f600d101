//===- Spellings.h - the readers of the two spellings -----------*- C++ -*-===//
#ifndef JACQUARD_PATTERNS_SPELLINGS_H
#define JACQUARD_PATTERNS_SPELLINGS_H

#include "patterns/Ast.h"

namespace jacquard {

/// Fill in a tree whose source is set.
Status readText(Ast &ast);
Status readJson(Ast &ast);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_SPELLINGS_H
