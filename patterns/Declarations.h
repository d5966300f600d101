//===- Declarations.h - words that both spellings share ---------*- C++ -*-===//
#ifndef JACQUARD_PATTERNS_DECLARATIONS_H
#define JACQUARD_PATTERNS_DECLARATIONS_H

#include "patterns/Ast.h"

namespace jacquard {

std::optional<Scalar> scalarFromName(std::string_view name);
std::string_view scalarName(Scalar type);
std::optional<Selection::Kind> selectionFromName(std::string_view name);
std::string_view selectionName(Selection::Kind kind);
std::optional<Extent> extentFromName(std::string_view name);
std::string extentName(const Extent &extent);
std::optional<Align> alignFromName(std::string_view name);
std::string_view alignName(Align align);

/// Is the word a name that a card may declare: letters, digits, _, no word of
/// the language? Gives the reason why not.
std::optional<std::string> whyNoName(std::string_view word);

/// Checks names, limits of declarations, and that no name is declared twice.
Status checkDeclarations(const Ast &ast);

/// A number as it is written in a card.
std::string printNumber(double value);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_DECLARATIONS_H
