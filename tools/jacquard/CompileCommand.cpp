//===- CompileCommand.cpp - compile: look at every phase ------------------===//

#include "OutputFile.h"
#include "Picture.h"
#include "ProblemOptions.h"

#include <chrono>
#include <filesystem>

using namespace jacquard;

namespace {
struct CompileOptionsGiven {
  std::string card, phase, output, dump;
  std::vector<std::string> tensorTypes;
  TypeOptions type;
  bool forwardOnly = false, time = false;
};

constexpr Phase allPhases[] = {Phase::Card,   Phase::Attn,
                               Phase::Tile,   Phase::LlvmDialect,
                               Phase::LlvmIr, Phase::Assembly};
} // namespace

static Expected<PrepareOptions> prepareOptions(const CompileOptionsGiven &given,
                                               const Graph &graph) {
  PrepareOptions options;
  options.element = given.type.element();
  options.headDim = given.type.headDim;
  options.valueDim = given.type.valueDim;
  options.backward = !given.forwardOnly;
  for (const std::string &text : given.tensorTypes) {
    size_t at = text.find('=');
    std::string name = text.substr(0, at);
    std::string type = at == std::string::npos ? "" : text.substr(at + 1);
    if (type != "f32" && type != "f16" && type != "bf16")
      return makeError(
          ErrorKind::Usage, "E0504",
          "--tensor-dtype takes NAME=f32, NAME=f16 or NAME=bf16, got '" + text +
              "'");
    bool known = false;
    for (const Tensor &tensor : graph.tensors)
      known = known || (tensor.name == name && tensor.type == Scalar::Float);
    if (!known)
      return makeError(ErrorKind::Invalid, "E0310",
                       "the pattern has no float tensor `" + name + "`");
    options.tensorElements[name] = type == "f16"    ? ElementType::F16
                                   : type == "bf16" ? ElementType::BF16
                                                    : ElementType::F32;
  }
  return options;
}

static Json timesJson(const Operator &op) {
  Json times;
  for (const PhaseTime &time : op.phases())
    times[std::string(phaseName(time.phase))] = time.milliseconds;
  return {{"phases_ms", times}, {"total_ms", op.compileMilliseconds()}};
}

/// One file a phase, and the times; all are made before one is written.
static Status dump(const CompileOptionsGiven &given, const Pattern &pattern,
                   const PrepareOptions &options, const Json &times) {
  std::vector<std::pair<std::string, std::string>> files;
  for (Phase phase : allPhases) {
    Expected<std::string> text = emitPhase(pattern, options, phase);
    if (!text)
      return text.takeError();
    files.emplace_back(phaseFile(phase), std::move(*text));
  }
  files.emplace_back("90-timing.json", times.dump(2) + "\n");
  std::error_code failed;
  std::filesystem::create_directories(given.dump, failed);
  if (failed)
    return makeError(ErrorKind::Environment, "E0503",
                     "can't make the folder '" + given.dump +
                         "': " + failed.message());
  for (const auto &[name, text] : files)
    if (Status status = writeWhole(
            (std::filesystem::path(given.dump) / name).string(), {text});
        !status)
      return status;
  return {};
}

static int compile(const Session &session, const CompileOptionsGiven &given) {
  Expected<Pattern> pattern = loadCard(given.card);
  if (!pattern)
    return fail(session, pattern.error());
  Expected<PrepareOptions> options = prepareOptions(given, pattern->graph());
  if (!options)
    return fail(session, options.error());
  Progress progress("compiling " + pattern->graph().name);
  Json result{{"pattern", pattern->graph().name},
              {"digest", pattern->digest()}};
  std::string emitted;
  if (!given.phase.empty()) {
    Expected<std::string> text =
        emitPhase(*pattern, *options, *phaseFromName(given.phase));
    if (!text)
      return fail(session, text.error());
    emitted = std::move(*text);
    if (!given.output.empty()) {
      if (Status status = writeWhole(given.output, {emitted}); !status)
        return fail(session, status.error());
    } else {
      result["phase"] = given.phase;
      result["text"] = emitted;
    }
  }
  // The whole way, where its result or its time is wanted.
  if (given.phase.empty() || given.time || !given.dump.empty()) {
    std::shared_ptr<Device> device = Device::host();
    Expected<std::shared_ptr<Operator>> op =
        device->prepare(*pattern, *options);
    if (!op)
      return fail(session, op.error());
    Json times = timesJson(**op);
    if (!given.dump.empty())
      if (Status status = dump(given, *pattern, *options, times); !status)
        return fail(session, status.error());
    result.update(times);
    if (!session.json) {
      std::string words;
      if (given.time)
        for (const PhaseTime &time : (*op)->phases())
          words += std::string(phaseName(time.phase)) + "  " +
                   rounded(time.milliseconds, 4) + " ms\n";
      say(words + pattern->graph().name + ": compiled for the host in " +
          rounded((*op)->compileMilliseconds(), 4) + " ms");
    }
  }
  if (session.json)
    printJson(result);
  else if (given.output.empty())
    printText(emitted);
  return 0;
}

void jacquard::addCompileCommand(CLI::App &app, Session &session) {
  auto given = std::make_shared<CompileOptionsGiven>();
  CLI::App *command = addCommand(
      app, session, "compile",
      "Compile a pattern for the host; print or dump phases",
      {"compile window_sink --time", "compile window_sink --emit=attn",
       "compile alibi --emit=tile --dtype bf16 --head-dim 128 -o alibi.mlir",
       "compile documents --dump=phases"},
      [&session, given] { return compile(session, *given); });
  command->add_option("CARD", given->card, "A card: file, library name, or -")
      ->required();
  std::vector<std::string> names;
  for (Phase phase : allPhases)
    names.emplace_back(phaseName(phase));
  command
      ->add_option("--emit", given->phase,
                   "Print the text at the end of a phase")
      ->check(CLI::IsMember(names));
  command
      ->add_option("-o,--output", given->output,
                   "Write what --emit prints to a file")
      ->needs("--emit");
  command->add_option("--dump", given->dump,
                      "Write every phase to this folder, one file each");
  command
      ->add_option("--tensor-dtype", given->tensorTypes,
                   "Element type of a float tensor: NAME=f16")
      ->take_all();
  command->add_flag("--forward-only", given->forwardOnly,
                    "No backward kernels");
  command->add_flag("--time", given->time, "Print the time of each phase");
  given->type.declare(*command, 64);
}
