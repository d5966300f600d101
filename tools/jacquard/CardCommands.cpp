//===- CardCommands.cpp - check, fmt, schema, library ---------------------===//

#include "OutputFile.h"
#include "Session.h"

#include <algorithm>

using namespace jacquard;

namespace {
struct CheckOptions {
  std::vector<std::string> cards;
};

struct FormatOptions {
  std::vector<std::string> cards;
  std::string to;
  bool inPlace = false;
};
} // namespace

static int check(const Session &session, const CheckOptions &options) {
  Json results = Json::array();
  int worst = 0;
  for (const std::string &name : options.cards) {
    Expected<Pattern> pattern = loadCard(name);
    if (!pattern) {
      const Error &error = pattern.error();
      worst = std::max(worst, fail({}, error));
      results.push_back(
          {{"card", name}, {"ok", false}, {"error", asJson(error)}});
      continue;
    }
    std::string digest = pattern->digest();
    results.push_back({{"card", name},
                       {"ok", true},
                       {"name", pattern->graph().name},
                       {"digest", digest}});
    if (!session.json)
      printText(name + ": ok, pattern " + pattern->graph().name + " " +
                digest.substr(0, 16) + "\n");
  }
  if (session.json)
    printJson(results);
  return worst;
}

static bool isJson(const Pattern &pattern) {
  const std::string &text = pattern.ast().source->text;
  size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

static int format(const Session &session, const FormatOptions &options) {
  // All are read before one is written.
  std::vector<std::string> results;
  for (const std::string &name : options.cards) {
    Expected<Pattern> pattern = loadCard(name);
    if (!pattern)
      return fail(session, pattern.error());
    bool json = isJson(*pattern);
    // In place a card keeps its spelling, unless one is asked for.
    bool toJson = options.to.empty() ? (options.inPlace ? json : !json)
                                     : options.to == "json";
    results.push_back(toJson ? pattern->toJson() : pattern->toText());
    if (results.back().empty() || results.back().back() != '\n')
      results.back() += '\n';
  }
  Json texts = Json::array();
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string &name = options.cards[i];
    if (options.inPlace) {
      if (Status status = writeWhole(name, {results[i]}); !status)
        return fail(session, status.error());
    } else if (!session.json) {
      printText(results[i]);
    }
    texts.push_back({{"card", name}, {"text", results[i]}});
  }
  if (session.json)
    printJson(texts);
  return 0;
}

/// Formatting in place needs files: not stdin, not the library's own names.
static Status checkInPlace(const FormatOptions &options) {
  if (!options.inPlace)
    return {};
  for (const std::string &name : options.cards)
    if (name == "-" || !CLI::ExistingFile(name).empty())
      return makeError(ErrorKind::Usage, "E0514",
                       "'" + name +
                           "' is no file: it can't be formatted in place");
  return {};
}

static int schema() {
  printText(cardSchema());
  return 0;
}

static int library(const Session &session) {
  Json cards = Json::array();
  std::string text;
  for (std::string_view name : libraryNames()) {
    Expected<Pattern> pattern = Pattern::library(name);
    if (!pattern)
      return fail(session, pattern.error());
    const Graph &graph = pattern->graph();
    cards.push_back({{"name", name}, {"description", graph.description}});
    text += std::string(name) +
            std::string(18 - std::min<size_t>(17, name.size()), ' ') +
            graph.description + "\n";
  }
  if (session.json)
    printJson(cards);
  else
    printText(text);
  return 0;
}

void jacquard::addCardCommands(CLI::App &app, Session &session) {
  auto checkOptions = std::make_shared<CheckOptions>();
  CLI::App *command = addCommand(
      app, session, "check", "Read cards and report the first error of each",
      {"check my_pattern.json", "check *.json *.jac --json",
       "check - < my_pattern.jac"},
      [&session, checkOptions] { return check(session, *checkOptions); });
  command->add_option("CARD", checkOptions->cards, "Cards")->required();

  auto formatOptions = std::make_shared<FormatOptions>();
  command = addCommand(
      app, session, "fmt",
      "Print a card in the other spelling, or tidy it in place",
      {"fmt window_sink", "fmt --to=json my_pattern.jac > my_pattern.json",
       "fmt -i my_pattern.json"},
      [&session, formatOptions] {
        if (Status status = checkInPlace(*formatOptions); !status)
          return fail(session, status.error());
        return format(session, *formatOptions);
      });
  command->add_option("CARD", formatOptions->cards, "Cards")->required();
  command->add_option("--to", formatOptions->to, "The spelling: json or text")
      ->check(CLI::IsMember({"json", "text"}));
  command->add_flag(
      "-i,--in-place", formatOptions->inPlace,
      "Write back to the file (in its own spelling without --to)");

  addCommand(app, session, "schema", "Print the JSON schema of cards",
             {"schema > card-v1.json"}, [] { return schema(); });
  addCommand(
      app, session, "library", "List the patterns that are always at hand",
      {"library", "library --json"}, [&session] { return library(session); });
}
