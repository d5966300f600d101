//===- CardText.h - from a text to a graph, in tests ------------*- C++ -*-===//
#ifndef JACQUARD_TEST_UNIT_PATTERNS_CARDTEXT_H
#define JACQUARD_TEST_UNIT_PATTERNS_CARDTEXT_H

#include "patterns/Ast.h"

namespace jacquard {

/// Finds the cards that a test wrote, by the name given in `uses`.
class MapLoader : public CardLoader {
public:
  std::map<std::string, std::string> cards;
  std::optional<SourceText> load(const std::string &use,
                                 const SourceText &from) override;
};

/// The checked graph of a text, which may call `loader`'s cards.
Expected<Graph> graphOf(const std::string &text, MapLoader loader = {});

/// The graph of a text that is known to be right: a failure of the test if not.
Graph goodGraph(const std::string &text, MapLoader loader = {});

/// The code of the error that a text gives; empty if it gives none.
std::string codeOf(const std::string &text, MapLoader loader = {});

/// A text's `keep` (or `score`) as the checked graph has it.
std::string keepOf(const std::string &text, MapLoader loader = {});
std::string scoreOf(const std::string &text, MapLoader loader = {});

} // namespace jacquard

#endif // JACQUARD_TEST_UNIT_PATTERNS_CARDTEXT_H
