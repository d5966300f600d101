//===- CardText.cpp - from a text to a graph, in tests --------------------===//

#include "CardText.h"

#include <gtest/gtest.h>

using namespace jacquard;

std::optional<SourceText> MapLoader::load(const std::string &use,
                                          const SourceText &) {
  auto found = cards.find(use);
  if (found == cards.end())
    return std::nullopt;
  return SourceText{use, found->second};
}

Expected<Graph> jacquard::graphOf(const std::string &text, MapLoader loader) {
  Expected<Ast> ast = parseCard("card", text);
  if (!ast)
    return ast.takeError();
  return resolve(*ast, loader);
}

Graph jacquard::goodGraph(const std::string &text, MapLoader loader) {
  Expected<Graph> graph = graphOf(text, std::move(loader));
  if (graph)
    return std::move(*graph);
  ADD_FAILURE() << graph.error().render();
  Graph none;
  none.keep = none.boolean(true);
  none.score = none.leaf(Op::Logit);
  return none;
}

std::string jacquard::codeOf(const std::string &text, MapLoader loader) {
  Expected<Graph> graph = graphOf(text, std::move(loader));
  return graph ? "" : graph.error().code;
}

std::string jacquard::keepOf(const std::string &text, MapLoader loader) {
  Graph graph = goodGraph(text, std::move(loader));
  return printExpression(graph, graph.keep);
}

std::string jacquard::scoreOf(const std::string &text, MapLoader loader) {
  Graph graph = goodGraph(text, std::move(loader));
  return printExpression(graph, graph.score);
}
