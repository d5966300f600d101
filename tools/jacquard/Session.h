//===- Session.h - what all commands of `jacquard` share --------*- C++ -*-===//
//
// A command declares its options on a CLI11 subcommand and what it does; `main`
// parses, then runs it. Data goes to stdout, words to stderr; with --json the
// data is one JSON value, errors included. What a command returns is the exit
// code.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_TOOLS_JACQUARD_SESSION_H
#define JACQUARD_TOOLS_JACQUARD_SESSION_H

#include "runtime/Jacquard.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace jacquard {

using Json = nlohmann::ordered_json;

struct Session {
  bool json = false;
  std::function<int()> action; ///< Of the subcommand that was chosen.
};

/// Declares a subcommand with --json and, under its help, example lines.
CLI::App *addCommand(CLI::App &app, Session &session, const std::string &name,
                     const std::string &description,
                     const std::vector<std::string> &examples,
                     std::function<int()> run);

/// Prints an error (and, with --json, as data); its kind is the exit code.
int fail(const Session &session, const Error &error);
/// An error as data: kind, code, message, file, line, column, notes, cause.
Json asJson(const Error &error);
void printJson(const Json &value);
void printText(std::string_view text);
/// A line on stderr.
void say(std::string_view words);

/// A card by path, by library name, or from stdin by `-`.
Expected<Pattern> loadCard(const std::string &name);

// The families of commands, one a file.
void addCardCommands(CLI::App &app,
                     Session &session); // check fmt schema library
void addShowCommand(CLI::App &app, Session &session);
void addExplainCommand(CLI::App &app, Session &session);
void addCompileCommand(CLI::App &app, Session &session);
void addRunCommand(CLI::App &app, Session &session);
void addBenchCommand(CLI::App &app, Session &session);
void addEnvironmentCommands(CLI::App &app,
                            Session &session); // config doctor version

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_SESSION_H
