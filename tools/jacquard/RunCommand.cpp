//===- RunCommand.cpp - run: attention with a pattern ---------------------===//

#include "Comparison.h"
#include "Knobs.h"
#include "Picture.h"
#include "RunOptions.h"

#include <chrono>
#include <cmath>
#include <filesystem>

using namespace jacquard;

using Clock = std::chrono::steady_clock;

namespace {
struct Times {
  double compile = 0, plan = 0, forward = 0, backward = 0;
};
} // namespace

template <typename Work> static Status timed(double &milliseconds, Work work) {
  Clock::time_point start = Clock::now();
  Status status = work();
  milliseconds =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return status;
}

static Status compute(const RunOptions &options, const LoadedProblem &loaded,
                      std::optional<double> scale, Operands &operands,
                      Times &times) {
  Expected<int> threads = threadsKnob();
  if (!threads)
    return threads.takeError();
  PrepareOptions prepare;
  prepare.element = options.type.element();
  prepare.headDim = options.type.headDim;
  prepare.valueDim = operands.v.shape[3];
  prepare.backward = options.backward;
  prepare.tensorElements = loaded.tensorElements;
  Progress progress("running " + loaded.pattern.graph().name);
  std::shared_ptr<Device> device = Device::host(*threads);
  // The data are checked before anything is compiled for them.
  Expected<Bindings> bound =
      bind(loaded.pattern, loaded.problem, loaded.owned.inputs, true);
  if (!bound)
    return bound.takeError();
  Expected<std::shared_ptr<Operator>> op =
      device->prepare(loaded.pattern, prepare);
  if (!op)
    return op.takeError();
  times.compile = (*op)->compileMilliseconds();
  Expected<Plan> plan = (*op)->plan(loaded.problem, loaded.owned.inputs);
  if (!plan)
    return plan.takeError();
  times.plan = plan->milliseconds();
  BackwardArgs args = operands.views();
  Status status = timed(times.forward, [&] {
    return (*op)->forward(*plan, {args.q, args.k, args.v, args.out, args.lse},
                          scale);
  });
  if (!status || !options.backward)
    return status;
  return timed(times.backward,
               [&] { return (*op)->backward(*plan, args, scale); });
}

/// All results, or an error.
static Status writeResults(const std::string &folder, const Operands &operands,
                           bool backward) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return makeError(ErrorKind::Environment, "E0503",
                     "can't make the folder '" + folder +
                         "': " + failed.message());
  std::vector<std::pair<std::string, const Array *>> files{
      {"out", &operands.out}, {"lse", &operands.lse}};
  if (backward) {
    for (auto [name, array] : {std::pair("dq", &operands.dq),
                               {"dk", &operands.dk},
                               {"dv", &operands.dv}})
      files.emplace_back(name, array);
    for (const auto &[name, array] : operands.gradients)
      files.emplace_back("d_" + name, &array);
  }
  for (const auto &[name, array] : files)
    if (Status status = writeNpy(
            (std::filesystem::path(folder) / (name + ".npy")).string(), *array);
        !status)
      return status;
  return {};
}

static int report(const Session &session, const RunOptions &options,
                  const LoadedProblem &loaded, const Times &times,
                  const std::vector<Comparison> &comparisons) {
  const Problem &problem = loaded.problem;
  int code = 0;
  for (const Comparison &comparison : comparisons)
    if (!comparison.good())
      code = static_cast<int>(ErrorKind::Invalid);
  if (session.json) {
    Json checks = Json::array();
    for (const Comparison &comparison : comparisons)
      checks.push_back(asJson(comparison));
    Json result{{"pattern", loaded.pattern.graph().name},
                {"problem", asJson(problem)},
                {"dtype", options.type.dtype},
                {"head_dim", options.type.headDim},
                {"compile_ms", times.compile},
                {"plan_ms", times.plan},
                {"forward_ms", times.forward}};
    if (options.backward)
      result["backward_ms"] = times.backward;
    if (options.check)
      result["check"] = {{"ok", code == 0}, {"arrays", checks}};
    printJson(result);
    return code;
  }
  std::string text =
      loaded.pattern.graph().name + ": batch " + grouped(problem.batch) +
      ", heads " + grouped(problem.heads) + "/" + grouped(problem.kvHeads) +
      ", q_len " + grouped(problem.qLen) + ", k_len " + grouped(problem.kLen) +
      ", head dim " + std::to_string(options.type.headDim) + ", " +
      options.type.dtype + "\ncompile " + rounded(times.compile, 4) +
      " ms, plan " + rounded(times.plan, 3) + " ms, forward " +
      rounded(times.forward, 4) + " ms";
  if (options.backward)
    text += ", backward " + rounded(times.backward, 4) + " ms";
  text += "\n";
  for (const Comparison &comparison : comparisons)
    text += (comparison.good() ? "ok     " : "WRONG  ") +
            comparison.describe() + "\n";
  printText(text);
  if (code)
    say("error: a result is farther from the reference than rounding explains "
        "[E0510]");
  return code;
}

static int run(const Session &session, RunOptions options) {
  Operands operands;
  if (Status status = readFiles(options, operands); !status)
    return fail(session, status.error());
  Expected<LoadedProblem> loaded = options.problem.load(
      options.type.element() == ElementType::BF16, options.random);
  if (!loaded)
    return fail(session, loaded.error());
  if (Status status = fillOperands(options, loaded->problem, operands); !status)
    return fail(session, status.error());
  if (options.backward && operands.dOut.shape.empty() && !options.random)
    return fail(session,
                makeError(ErrorKind::Invalid, "E0508", "--dout is not given",
                          {"it is the gradient of out; or --random"}));
  if (options.backward && operands.dLse.shape.empty() && !options.random) {
    std::vector<int64_t> shape(operands.q.shape.begin(),
                               operands.q.shape.end() - 1);
    operands.dLse = Array(ElementType::F32, shape);
  }
  operands.addResults(*loaded, options.backward, options.problem.seed);
  std::optional<double> scale;
  if (options.command->count("--scale"))
    scale = options.scale;
  Times times;
  if (Status status = compute(options, *loaded, scale, operands, times);
      !status)
    return fail(session, status.error());
  sayRandom(*loaded, options.problem.seed);
  std::vector<Comparison> comparisons;
  if (options.check) {
    Progress progress("computing the reference");
    Expected<Reference> expected =
        reference(loaded->pattern, loaded->problem, loaded->owned.inputs,
                  operands.views(), options.backward, scale);
    if (!expected)
      return fail(session, expected.error());
    comparisons = compareAll(operands, *expected, options.backward);
  }
  if (!options.out.empty())
    if (Status status = writeResults(options.out, operands, options.backward);
        !status)
      return fail(session, status.error());
  return report(session, options, *loaded, times, comparisons);
}

void jacquard::addRunCommand(CLI::App &app, Session &session) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *command = addCommand(
      app, session, "run", "Run attention with a pattern, and check it",
      {"run documents --random --backward --check",
       "run window_sink --random --q 4096 --dtype bf16 --out results",
       "run documents --query q.npy --key k.npy --value v.npy -t doc=ids.npy "
       "--out results"},
      [&session, options] { return run(session, *options); });
  options->command = command;
  options->problem.declare(*command, 256);
  options->type.declare(*command, 64);
  command->add_option("--query", options->query,
                      "[batch, heads, q_len, head dim]");
  command->add_option("--key", options->key,
                      "[batch, kv_heads, k_len, head dim]");
  command->add_option("--value", options->value,
                      "[batch, kv_heads, k_len, value dim]");
  command->add_option("--dout", options->dOut,
                      "Gradient of out, for --backward");
  command->add_option("--dlse", options->dLse,
                      "Gradient of lse [batch, heads, q_len] (default: zeros)");
  command->add_option("--scale", options->scale,
                      "Factor of the scores (default: 1 / sqrt(head dim))");
  command->add_flag("--random", options->random,
                    "Random data for everything that is not given");
  command->add_flag(
      "--backward", options->backward,
      "Also dq, dk, dv and the gradients of the pattern's tensors");
  command->add_flag(
      "--check", options->check,
      "Compare every row with the fp64 reference; the bounds follow from "
      "rounding: unit roundoff of the element type for what is stored, "
      "of fp32 for sums over head dims and keys");
  command->add_option(
      "--out", options->out,
      "Write out.npy, lse.npy and, backward, dq.npy, dk.npy, dv.npy, "
      "d_NAME.npy to this folder");
}
