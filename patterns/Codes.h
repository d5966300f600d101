//===- Codes.h - the codes of errors in cards -------------------*- C++ -*-===//
//
// The one table of what each code means; a code is never reused. The tests hold
// it against what the parsers and the resolver report and against the README.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_CODES_H
#define JACQUARD_PATTERNS_CODES_H

#include <string_view>

namespace jacquard {

struct CodeMeaning {
  std::string_view code, meaning;
};

inline constexpr CodeMeaning cardCodes[] = {
    {"E0101", "Something else was expected at this place"},
    {"E0102", "Comparisons don't chain"},
    {"E0103", "Nested deeper than 128, or more than 1,024 terms in one chain"},
    {"E0104", "A number that does not fit its type"},
    {"E0105", "A word that can't be a name"},
    {"E0106", "Declared twice, or given twice"},
    {"E0107", "Limits that contradict each other, or a value outside them"},
    {"E0108", "A tensor that can't be: type, axes or hints"},
    {"E0109", "A selection that can't be: its block sizes"},
    {"E0110",
     "Declarations in another order than parameters, tensors, selections"},
    {"E0111", "The text is no JSON"},
    {"E0112", "A key stands twice in one object"},
    {"E0113", "Something required is missing"},
    {"E0114", "A card version that this reader does not know"},
    {"E0115", "A JSON value of another type, or an unknown word in its place"},
    {"E0116", "An unknown key"},
    {"E0117", "A card that is too large"},
    {"E0118", "More than 4,096 nodes with calls expanded"},
    {"E0119", "The card is no UTF-8 text"},
    {"E0121", "An unknown name"},
    {"E0122", "An expression of another type than its place needs"},
    {"E0123", "The scaled logit read in keep"},
    {"E0124", "Another number of indices than the tensor has axes"},
    {"E0125", "Division by a constant zero"},
    {"E0126", "The arguments of a call don't fit"},
    {"E0127", "A called pattern is missing or in error"},
    {"E0128", "Patterns that call each other in a circle, or too deep"},
    {"E0129",
     "A sink that can't be, or a sink or an align that a call would lose"},
    {"E0130", "A declaration that nothing reads"},
    {"E0131", "A score that does not read a tensor the card declares"},
    {"E0132", "A character that can't stand in a description or a path"},
};

} // namespace jacquard

#endif // JACQUARD_PATTERNS_CODES_H
