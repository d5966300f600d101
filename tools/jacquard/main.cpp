//===- main.cpp - the command `jacquard` ----------------------------------===//
//
// Exit codes: 0 good, 1 a card or its data is wrong, 2 the command line is
// wrong, 3 something of the machine is missing, 4 a fault of Jacquard.
//
//===----------------------------------------------------------------------===//

#include "Knobs.h"
#include "Session.h"

#include <algorithm>
#include <cstdio>

using namespace jacquard;

/// Is the first word a command, or an option? Says so if not.
static bool knowsCommand(const CLI::App &app, int argc, char **argv) {
  if (argc < 2 || argv[1][0] == '-')
    return true;
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands(nullptr))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end())
    return true;
  say("error: there is no command '" + std::string(argv[1]) + "'");
  if (std::optional<std::string> near = nearest(argv[1], names))
    say("note: did you mean `jacquard " + *near + "`?");
  else
    say("note: `jacquard --help` lists them");
  return false;
}

static int runCommand(int argc, char **argv) {
  CLI::App app(
      "Declare an attention pattern on a card; see it, compile it, run it.\n"
      "CARD is a file in either spelling, a name of the library, or - for "
      "stdin.",
      "jacquard");
  Session session;
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(versionString()));
  app.footer("\nFirst steps:\n"
             "  jacquard library\n"
             "  jacquard show window_sink --q 2048 --k 2048\n"
             "  jacquard run documents --random --backward --check");
  addCardCommands(app, session);
  addShowCommand(app, session);
  addExplainCommand(app, session);
  addCompileCommand(app, session);
  addRunCommand(app, session);
  addBenchCommand(app, session);
  addEnvironmentCommands(app, session);
  for (const std::string &line : unknownKnobs())
    say(line);
  if (!knowsCommand(app, argc, argv))
    return static_cast<int>(ErrorKind::Usage);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    int code = app.exit(error, std::cout, std::cerr);
    return code ? static_cast<int>(ErrorKind::Usage) : 0;
  }
  return session.action();
}

int main(int argc, char **argv) {
  int code;
  try {
    code = runCommand(argc, argv);
  } catch (const std::bad_alloc &) {
    say("error: out of memory [E0512]");
    code = static_cast<int>(ErrorKind::Environment);
  } catch (const std::exception &error) {
    say(std::string("error: a fault of this program: ") + error.what() +
        " [E0599]");
    code = static_cast<int>(ErrorKind::Internal);
  }
  // A full disk or a closed pipe must not look like success.
  std::cout.flush();
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) || !std::cout) &&
      code == 0) {
    say("error: can't write to stdout [E0513]");
    code = static_cast<int>(ErrorKind::Environment);
  }
  return code;
}
