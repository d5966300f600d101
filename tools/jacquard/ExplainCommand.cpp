//===- ExplainCommand.cpp - explain: how tiles are found, codes -----------===//

#include "ErrorCodes.h"
#include "Picture.h"
#include "ProblemOptions.h"

using namespace jacquard;

namespace {
struct ExplainOptions {
  ProblemOptions problem;
  TypeOptions type;
};
} // namespace

static bool isCode(const std::string &word) {
  return word.size() == 5 && word[0] == 'E' &&
         word.find_first_not_of("0123456789", 1) == std::string::npos;
}

static int explainCode(const Session &session, const std::string &word) {
  std::vector<std::string> known;
  for (const ErrorCode &entry : errorCodes()) {
    known.emplace_back(entry.code);
    if (entry.code != word)
      continue;
    if (session.json)
      printJson({{"code", entry.code},
                 {"meaning", entry.meaning},
                 {"cure", entry.cure}});
    else
      printText(word + ": " + std::string(entry.meaning) + "\n" +
                std::string(entry.cure) + (entry.cure.empty() ? "" : "\n"));
    return 0;
  }
  std::vector<std::string> notes;
  if (std::optional<std::string> near = nearest(word, known))
    notes.push_back("did you mean " + *near + "?");
  return fail(session, makeError(ErrorKind::Invalid, "E0515",
                                 "there is no error code " + word, notes));
}

static std::string_view sourceName(TileSource source) {
  switch (source) {
  case TileSource::Interval:
    return "interval";
  case TileSource::Bounds:
    return "bounds";
  case TileSource::List:
    return "list";
  }
  return "list";
}

/// Sub-expressions of keep and score that are used more than once: computed
/// once.
static std::vector<std::string> sharedTerms(const Graph &graph) {
  std::vector<bool> read(graph.nodes().size());
  std::vector<int> users(graph.nodes().size());
  read[graph.keep] = read[graph.score] = true;
  for (NodeId id = static_cast<NodeId>(graph.nodes().size()); id-- > 0;)
    if (read[id])
      for (NodeId operand : graph[id].operands) {
        read[operand] = true;
        ++users[operand];
      }
  std::vector<std::string> terms;
  for (NodeId id = 0; id < graph.nodes().size(); ++id)
    if (users[id] > 1 && !graph[id].operands.empty())
      terms.push_back(printExpression(graph, id));
  return terms;
}

static Json walkJson(const TileForm &form) {
  return {{"source", sourceName(form.source)},
          {"reason", form.reason},
          {"formula", form.formula()}};
}

static std::string indented(const std::string &text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    result += "    " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return result;
}

static std::string_view describe(TileSource source) {
  switch (source) {
  case TileSource::Interval:
    return "closed form, computed inside the kernel";
  case TileSource::Bounds:
    return "bounds, a plan in proportion to the rows";
  case TileSource::List:
    return "list, a plan in proportion to the kept tiles";
  }
  return "";
}

static int explainCard(const Session &session, const ExplainOptions &options) {
  const ProblemOptions &given = options.problem;
  Expected<LoadedProblem> loaded =
      given.load(options.type.element() == ElementType::BF16, true);
  if (!loaded)
    return fail(session, loaded.error());
  const Pattern &pattern = loaded->pattern;
  const Graph &graph = pattern.graph();
  PrepareOptions prepare;
  prepare.element = options.type.element();
  prepare.headDim = options.type.headDim;
  prepare.valueDim = options.type.valueDim;
  prepare.tensorElements = loaded->tensorElements;
  std::shared_ptr<Device> device = Device::host(1);
  Expected<std::shared_ptr<Operator>> op = device->prepare(pattern, prepare);
  if (!op)
    return fail(session, op.error());
  Expected<Plan> plan =
      (*op)->plan(loaded->problem, loaded->owned.inputs, {true});
  if (!plan)
    return fail(session, plan.error());
  sayRandom(*loaded, given.seed);

  TileForm keys = pattern.tiles(Walk::Keys),
           queries = pattern.tiles(Walk::Queries);
  std::vector<std::string> shared = sharedTerms(graph);
  if (session.json) {
    printJson({{"pattern", graph.name},
               {"description", graph.description},
               {"digest", pattern.digest()},
               {"keep", printExpression(graph, graph.keep)},
               {"score", printExpression(graph, graph.score)},
               {"forward", walkJson(keys)},
               {"backward_keys", walkJson(queries)},
               {"shared_terms", shared},
               {"problem", asJson(loaded->problem)},
               {"plan_bytes", plan->bytes()},
               {"plan_ms", plan->milliseconds()}});
    return 0;
  }
  std::string text = graph.name + (graph.description.empty() ? "" : ": ") +
                     graph.description + "\n  keep  " +
                     printExpression(graph, graph.keep) + "\n  score " +
                     printExpression(graph, graph.score) + "\n  digest " +
                     pattern.digest() + "\n";
  for (auto [title, form] : {std::pair("walking keys (forward, dq)", &keys),
                             std::pair("walking queries (dk, dv)", &queries)})
    text += "\n" + std::string(title) + ": " +
            std::string(describe(form->source)) + "\n  why: " + form->reason +
            "\n" + indented(form->formula());
  text += "\nshared terms, computed once:";
  for (const std::string &term : shared)
    text += "\n    " + term;
  text += shared.empty() ? " none\n" : "\n";
  text += "\nplan at q_len " + grouped(loaded->problem.qLen) + ", k_len " +
          grouped(loaded->problem.kLen) + ", batch " +
          grouped(loaded->problem.batch) + ", heads " +
          grouped(loaded->problem.heads) + ": " + grouped(plan->bytes()) +
          " bytes\n";
  printText(text);
  return 0;
}

void jacquard::addExplainCommand(CLI::App &app, Session &session) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App *command = addCommand(
      app, session, "explain",
      "Explain how a pattern's tiles are found, or what an error code means",
      {"explain window_sink", "explain documents --q 65536", "explain E0107"},
      [&session, options] {
        if (isCode(options->problem.card))
          return explainCode(session, options->problem.card);
        return explainCard(session, *options);
      });
  options->problem.declare(*command, 4096);
  options->type.declare(*command, 64);
}
