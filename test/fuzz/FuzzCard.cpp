//===- FuzzCard.cpp - any bytes as a card ---------------------------------===//
//
// Reads, resolves, prints and reads again. Besides what the sanitizers see it
// is a fault if a printed card is refused or differs, or if the digest depends
// on the spelling.
//
//===----------------------------------------------------------------------===//

#include "../unit/patterns/RandomAst.h"

#include <cstdio>

using namespace jacquard;

namespace {
/// No files: a fuzzer must not read what happens to lie around.
class NoFiles : public CardLoader {
  std::optional<SourceText> load(const std::string &use,
                                 const SourceText &) override {
    if (std::string_view text = libraryCard(use); !text.empty())
      return SourceText{"library/" + use + ".json", std::string(text)};
    return std::nullopt;
  }
};
} // namespace

[[noreturn]] static void fault(const std::string &what,
                               const std::string &card) {
  std::fprintf(stderr, "%s\n%s\n", what.c_str(), card.c_str());
  __builtin_trap();
}

static void checkError(const Error &error, const std::string &card) {
  if (error.code.empty() || error.message.empty() || error.render().empty())
    fault("an error without a code or message", card);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  Expected<Ast> ast = parseCard("card", text);
  if (!ast) {
    checkError(ast.error(), text);
    return 0;
  }
  NoFiles loader;
  Expected<Graph> graph = resolve(*ast, loader);
  if (!graph)
    checkError(graph.error(), text);
  for (const std::string &printed : {printText(*ast), printJson(*ast)}) {
    if (printed.size() > largestCard)
      continue;
    Expected<Ast> again = parseCard("printed", printed);
    if (!again)
      fault("a printed card is refused: " + again.error().render(), printed);
    if (std::string what = difference(*ast, *again); !what.empty())
      fault("a printed card differs in " + what, printed);
    Expected<Graph> graphAgain = resolve(*again, loader);
    if (bool(graph) != bool(graphAgain))
      fault("a printed card resolves otherwise", printed);
    if (graph && digest(*graph) != digest(*graphAgain))
      fault("a printed card has another digest", printed);
  }
  return 0;
}
