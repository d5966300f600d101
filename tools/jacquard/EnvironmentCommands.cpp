//===- EnvironmentCommands.cpp - config, doctor, version ------------------===//

#include "Blas.h"
#include "Comparison.h"
#include "Knobs.h"
#include "Picture.h"
#include "ProblemOptions.h"

#include <fstream>

using namespace jacquard;

static int config(const Session &session) {
  Json rows = Json::array();
  std::string text;
  auto padded = [](std::string_view word, size_t width) {
    return std::string(word) +
           std::string(width - std::min(width - 1, word.size()), ' ');
  };
  for (const Knob &knob : knobs()) {
    std::string value = knobValue(knob.name);
    rows.push_back({{"name", knob.name},
                    {"type", knob.type},
                    {"default", knob.defaultValue},
                    {"value", value},
                    {"changes_code", knob.changesCode},
                    {"help", knob.help}});
    text += padded(knob.name, 18) + padded(knob.type, 6) +
            padded(value.empty() ? "(" + std::string(knob.defaultValue) + ")"
                                 : value,
                   14) +
            std::string(knob.help) + "\n";
  }
  if (session.json)
    printJson(rows);
  else
    printText(text);
  return 0;
}

static int version(const Session &session) {
  if (session.json)
    printJson({{"jacquard", versionString()}, {"card_version", cardVersion}});
  else
    printText("jacquard " + std::string(versionString()) + "\n");
  return 0;
}

static std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (size_t at = line.find(": "); at != std::string::npos)
        return line.substr(at + 2);
  return "unknown";
}

/// A small problem on the host, forward and backward, against the reference.
static Status tryHost(Device &device) {
  ProblemOptions options;
  options.card = "learned_sink";
  options.q = 65;
  Expected<LoadedProblem> loaded = options.load(false, true);
  if (!loaded)
    return loaded.takeError();
  PrepareOptions prepare;
  prepare.headDim = 16;
  Expected<std::shared_ptr<Operator>> op =
      device.prepare(loaded->pattern, prepare);
  if (!op)
    return op.takeError();
  Operands operands =
      randomOperands(loaded->problem, ElementType::F32, 16, 16, 0);
  operands.addResults(*loaded, true);
  Expected<Plan> plan = (*op)->plan(loaded->problem, loaded->owned.inputs);
  if (!plan)
    return plan.takeError();
  BackwardArgs args = operands.views();
  if (Status status =
          (*op)->forward(*plan, {args.q, args.k, args.v, args.out, args.lse});
      !status)
    return status;
  if (Status status = (*op)->backward(*plan, args); !status)
    return status;
  Expected<Reference> expected = reference(loaded->pattern, loaded->problem,
                                           loaded->owned.inputs, args, true);
  if (!expected)
    return expected.takeError();
  for (const Comparison &comparison : compareAll(operands, *expected, true))
    if (!comparison.good())
      return makeError(ErrorKind::Internal, "E0510", comparison.describe());
  return {};
}

static int doctor(const Session &session) {
  Expected<int> threads = threadsKnob();
  if (!threads)
    return fail(session, threads.error());
  Json result{{"jacquard", versionString()}, {"processor", processorName()}};
  std::string text = "jacquard " + std::string(versionString()) +
                     "\nprocessor: " + processorName() + "\n";
  std::shared_ptr<Device> device = Device::host(*threads);
  result["threads"] = device->threads();
  text += "threads: " + std::to_string(device->threads()) + "\n";
  Status host = tryHost(*device);
  result["host_target"] = host ? Json("works") : asJson(host.error());
  text += std::string("host target: ") +
          (host ? "compiles, runs, agrees with the reference" : "FAILS") + "\n";
  std::string blas = blasName();
  result["blas"] = blas;
  text +=
      "BLAS for bench --blas: " + (blas.empty() ? "none found" : blas) + "\n";
  result["unicode_terminal"] = unicodeOn();
  text += std::string("pictures: ") + (unicodeOn() ? "UTF-8" : "ASCII") + "\n";
  if (session.json)
    printJson(result);
  else
    printText(text);
  return host ? 0 : fail({}, host.error());
}

void jacquard::addEnvironmentCommands(CLI::App &app, Session &session) {
  addCommand(app, session, "config", "List what is read from the environment",
             {"config", "config --json"},
             [&session] { return config(session); });
  addCommand(
      app, session, "doctor", "Check that this machine can compile and run",
      {"doctor", "doctor --json"}, [&session] { return doctor(session); });
  addCommand(app, session, "version", "Print the version",
             {"version", "version --json"},
             [&session] { return version(session); });
}
