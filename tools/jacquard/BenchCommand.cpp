//===- BenchCommand.cpp - bench: time a pattern ---------------------------===//

#include "Blas.h"
#include "Knobs.h"
#include "Operands.h"
#include "Picture.h"

#include <algorithm>
#include <chrono>

using namespace jacquard;

namespace {
struct BenchOptions {
  ProblemOptions problem;
  TypeOptions type;
  int repeats = 5, warmUps = 1, threads = 0;
  bool backward = false, blas = false;
};

struct Sample {
  double median = 0, best = 0; ///< Milliseconds.
};
} // namespace

template <typename Work>
static Expected<Sample> measure(const BenchOptions &options, const char *what,
                                Work work) {
  using Clock = std::chrono::steady_clock;
  Progress progress(std::string("measuring ") + what);
  std::vector<double> times;
  int total = options.warmUps + options.repeats;
  for (int i = 0; i < total; ++i) {
    Clock::time_point start = Clock::now();
    if (Status status = work(); !status)
      return status.takeError();
    if (i >= options.warmUps)
      times.push_back(
          std::chrono::duration<double, std::milli>(Clock::now() - start)
              .count());
    progress.done(static_cast<double>(i + 1) / total);
  }
  std::sort(times.begin(), times.end());
  return Sample{times[times.size() / 2], times.front()};
}

static Json sampleJson(const Sample &sample, double operations) {
  return {{"median_ms", sample.median},
          {"best_ms", sample.best},
          {"gflops", operations / sample.median / 1e6}};
}

static std::string sampleText(const char *what, const Sample &sample,
                              double operations) {
  return std::string(what) + ": median " + rounded(sample.median, 4) +
         " ms, best " + rounded(sample.best, 4) + " ms, " +
         rounded(operations / sample.median / 1e6, 4) +
         " GFLOP/s on kept pairs\n";
}

static int bench(const Session &session, const BenchOptions &options) {
  Expected<int> knob = threadsKnob();
  if (!knob)
    return fail(session, knob.error());
  if (options.blas && blasName().empty())
    return fail(
        session,
        makeError(ErrorKind::Environment, "E0516", "no BLAS library was found",
                  {"libopenblas.so.0 and libblas.so.3 were looked for"}));
  Expected<LoadedProblem> loaded =
      options.problem.load(options.type.element() == ElementType::BF16, true);
  if (!loaded)
    return fail(session, loaded.error());
  Expected<Bindings> bindings =
      bind(loaded->pattern, loaded->problem, loaded->owned.inputs, true);
  if (!bindings)
    return fail(session, bindings.error());
  int64_t headDim = options.type.headDim;
  int64_t valueDim = options.type.valueDim ? options.type.valueDim : headDim;
  PrepareOptions prepare;
  prepare.element = options.type.element();
  prepare.headDim = headDim;
  prepare.valueDim = valueDim;
  prepare.backward = options.backward;
  prepare.tensorElements = loaded->tensorElements;
  std::shared_ptr<Device> device =
      Device::host(options.threads ? options.threads : *knob);
  Expected<std::shared_ptr<Operator>> op =
      device->prepare(loaded->pattern, prepare);
  if (!op)
    return fail(session, op.error());
  Expected<Plan> plan = (*op)->plan(loaded->problem, loaded->owned.inputs);
  if (!plan)
    return fail(session, plan.error());
  sayRandom(*loaded, options.problem.seed);

  Operands operands = randomOperands(loaded->problem, options.type.element(),
                                     headDim, valueDim, options.problem.seed);
  operands.addResults(*loaded, options.backward, options.problem.seed);
  BackwardArgs args = operands.views();
  double kept = static_cast<double>(countKept(loaded->pattern, *bindings));
  // Two products of length d and dv a pair forward; five backward, of which q k
  // and dOut v are done once in this count however often a kernel does them.
  double forwardWork = 2 * kept * static_cast<double>(headDim + valueDim);
  double backwardWork =
      2 * kept * static_cast<double>(3 * headDim + 2 * valueDim);
  double planMilliseconds = plan->milliseconds();

  Expected<Sample> forward = measure(options, "forward", [&] {
    return (*op)->forward(*plan, {args.q, args.k, args.v, args.out, args.lse});
  });
  if (!forward)
    return fail(session, forward.error());
  Json result{{"pattern", loaded->pattern.graph().name},
              {"problem", asJson(loaded->problem)},
              {"dtype", options.type.dtype},
              {"head_dim", headDim},
              {"value_dim", valueDim},
              {"threads", device->threads()},
              {"compile_ms", (*op)->compileMilliseconds()},
              {"plan_ms", planMilliseconds},
              {"plan_bytes", plan->bytes()},
              {"kept_pairs", kept},
              {"forward", sampleJson(*forward, forwardWork)}};
  std::string text =
      loaded->pattern.graph().name + ": batch " +
      grouped(loaded->problem.batch) + ", heads " +
      grouped(loaded->problem.heads) + "/" + grouped(loaded->problem.kvHeads) +
      ", q_len " + grouped(loaded->problem.qLen) + ", k_len " +
      grouped(loaded->problem.kLen) + ", head dim " + std::to_string(headDim) +
      ", " + options.type.dtype + ", " + std::to_string(device->threads()) +
      " threads\ncompile " + rounded((*op)->compileMilliseconds(), 4) +
      " ms, plan " + rounded(planMilliseconds, 3) + " ms, " +
      grouped(plan->bytes()) + " bytes\n" +
      sampleText("forward", *forward, forwardWork);
  if (options.backward) {
    Expected<Sample> backward = measure(
        options, "backward", [&] { return (*op)->backward(*plan, args); });
    if (!backward)
      return fail(session, backward.error());
    result["backward"] = sampleJson(*backward, backwardWork);
    text += sampleText("backward", *backward, backwardWork);
  }
  if (options.blas) {
    constexpr int size = 2048;
    Progress progress("measuring sgemm");
    double speed = *blasSpeed(device->threads(), size, options.repeats);
    double share = forwardWork / forward->median / 1e6 / speed;
    result["blas"] = {
        {"library", blasName()}, {"gflops", speed}, {"forward_share", share}};
    text += blasName() + " sgemm of " + std::to_string(size) +
            "^3: " + rounded(speed, 4) + " GFLOP/s; forward is at " +
            rounded(100 * share, 3) + " % of it\n";
  }
  if (session.json)
    printJson(result);
  else
    printText(text);
  return 0;
}

void jacquard::addBenchCommand(CLI::App &app, Session &session) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App *command = addCommand(
      app, session, "bench", "Time a pattern: compile, plan, forward, backward",
      {"bench window_sink --q 65536 -p window=1024 --heads 1",
       "bench full --q 4096 --head-dim 128 --blas",
       "bench documents --backward --json"},
      [&session, options] { return bench(session, *options); });
  options->problem.declare(*command, 4096);
  options->type.declare(*command, 128);
  command
      ->add_option("--repeats", options->repeats,
                   "Timed runs; the median counts")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--warm-ups", options->warmUps, "Runs before those")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command
      ->add_option("--threads", options->threads, "0: JACQUARD_THREADS, or all")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->add_flag("--backward", options->backward,
                    "Also time the backward pass");
  command->add_flag(
      "--blas", options->blas,
      "Compare with the sgemm of this machine's BLAS, same threads");
}
