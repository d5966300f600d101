//===- Session.cpp - how commands are declared, speak and fail ------------===//

#include "Session.h"
#include "Knobs.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <unistd.h>

using namespace jacquard;

CLI::App *jacquard::addCommand(CLI::App &app, Session &session,
                               const std::string &name,
                               const std::string &description,
                               const std::vector<std::string> &examples,
                               std::function<int()> run) {
  CLI::App *command = app.add_subcommand(name, description);
  command->add_flag("--json", session.json, "Print the data as JSON");
  std::string footer = "\nExamples:";
  for (const std::string &example : examples)
    footer += "\n  jacquard " + example;
  command->footer(footer);
  command->callback([&session, run = std::move(run)] { session.action = run; });
  return command;
}

static std::string_view kindName(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::Invalid:
    return "invalid";
  case ErrorKind::Usage:
    return "usage";
  case ErrorKind::Environment:
    return "environment";
  case ErrorKind::Internal:
    return "internal";
  }
  return "internal";
}

Json jacquard::asJson(const Error &error) {
  Json json{{"kind", kindName(error.kind)},
            {"code", error.code},
            {"message", error.message}};
  if (error.place && error.place->source) {
    const SourceText &source = *error.place->source;
    size_t at = std::min<size_t>(error.place->span.begin, source.text.size());
    size_t lineStart = at ? source.text.rfind('\n', at - 1) + 1 : 0;
    json["file"] = source.name;
    json["line"] = 1 + std::count(source.text.begin(),
                                  source.text.begin() + lineStart, '\n');
    json["column"] = at - lineStart + 1;
  }
  if (!error.notes.empty())
    json["notes"] = error.notes;
  if (error.cause)
    json["cause"] = asJson(*error.cause);
  return json;
}

int jacquard::fail(const Session &session, const Error &error) {
  std::string text = error.render();
  if (size_t at = text.find("error: "); at != std::string::npos && colorsOn())
    text.replace(at, 6, "\033[1;31merror:\033[0m");
  std::fwrite(text.data(), 1, text.size(), stderr);
  if (session.json)
    printJson({{"error", asJson(error)}});
  return static_cast<int>(error.kind);
}

void jacquard::printJson(const Json &value) {
  // A text that is no UTF-8 (a file's name, a broken card) must not end the
  // program.
  printText(value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void jacquard::printText(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void jacquard::say(std::string_view words) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(words.size()), words.data());
}

Expected<Pattern> jacquard::loadCard(const std::string &name) {
  if (name != "-")
    return Pattern::fromFile(name);
  // One byte more than a card may have, so that a longer one is refused as
  // such.
  std::string text(largestCard + 1, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::cin.gcount()));
  return Pattern::fromText("<stdin>", std::move(text));
}
