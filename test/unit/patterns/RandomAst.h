//===- RandomAst.h - cards over the whole language -------------*- C++ -*-===//
#ifndef JACQUARD_TEST_UNIT_PATTERNS_RANDOMAST_H
#define JACQUARD_TEST_UNIT_PATTERNS_RANDOMAST_H

#include "patterns/Ast.h"

#include <random>

namespace jacquard {

/// A card with well-formed declarations and expressions of any shape: names and
/// types need not fit, since spellings know nothing of them.
Ast randomAst(std::mt19937_64 &random);

/// What two cards differ in, places aside; empty if nothing.
std::string difference(const Ast &a, const Ast &b);

} // namespace jacquard

#endif // JACQUARD_TEST_UNIT_PATTERNS_RANDOMAST_H
