//===- Pattern.cpp - cards from files, texts and the library --------------===//

#include "runtime/Jacquard.h"

#include <fstream>
#include <sstream>

using namespace jacquard;

Expected<Pattern> Pattern::fromText(std::string name, std::string text) {
  Expected<Ast> ast = parseCard(std::move(name), std::move(text));
  if (!ast)
    return ast.takeError();
  std::unique_ptr<CardLoader> loader = fileLoader();
  Expected<Graph> graph = resolve(*ast, *loader);
  if (!graph)
    return graph.takeError();
  Pattern pattern;
  pattern.written = std::make_shared<const Ast>(std::move(*ast));
  pattern.checked = std::make_shared<const Graph>(std::move(*graph));
  return pattern;
}

Expected<Pattern> Pattern::library(std::string_view name) {
  std::string_view text = libraryCard(name);
  if (text.empty()) {
    std::vector<std::string> names, notes;
    for (std::string_view known : libraryNames())
      names.emplace_back(known);
    if (std::optional<std::string> near = nearest(name, names))
      notes.push_back("did you mean '" + *near + "'?");
    return makeError(ErrorKind::Invalid, "E0001",
                     "there is no file and no library pattern '" +
                         std::string(name) + "'",
                     std::move(notes));
  }
  return fromText("library/" + std::string(name) + ".json", std::string(text));
}

Expected<Pattern> Pattern::fromFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return library(path);
  std::string text(largestCard + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (file.bad())
    return makeError(ErrorKind::Environment, "E0001",
                     "can't read '" + path + "'");
  return fromText(path, std::move(text));
}

std::string Pattern::toJson() const { return printJson(*written); }
std::string Pattern::toText() const { return printText(*written); }
std::string Pattern::digest() const { return jacquard::digest(*checked); }
TileForm Pattern::tiles(Walk walk) const {
  return analyzeTiles(*checked, walk);
}

static CompileOptions compileOptions(const Graph &graph,
                                     const PrepareOptions &options) {
  CompileOptions result;
  result.element = options.element;
  result.headDim = options.headDim;
  result.valueDim = options.valueDim;
  result.backward = options.backward;
  result.schedule = options.schedule;
  for (const Tensor &tensor : graph.tensors) {
    auto found = options.tensorElements.find(tensor.name);
    result.tensorElements.push_back(found == options.tensorElements.end()
                                        ? ElementType::F32
                                        : found->second);
  }
  return result;
}

Expected<std::string> jacquard::emitPhase(const Pattern &pattern,
                                          const PrepareOptions &options,
                                          Phase phase) {
  if (phase == Phase::Card)
    return pattern.toJson();
  return emit(pattern.graph(), compileOptions(pattern.graph(), options), phase);
}

std::string_view jacquard::versionString() { return JACQUARD_VERSION; }
