//===- HostDevice.cpp - patterns on this machine's processor --------------===//

#include "runtime/Device/Operands.h"
#include "runtime/Launch/ThreadPool.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <limits>

using namespace jacquard;

using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

struct Plan::Impl {
  const void *owner = nullptr; ///< The operator that made it.
  Bindings bindings;
  int64_t batch = 0; ///< Of q's and k's arrays: 1 when packed.
  bool packedQ = false, packedK = false;
  int64_t qTotal = 0, kTotal = 0; ///< Lengths of the arrays.
  std::vector<int64_t> qLens, kLens, qStarts, kStarts, qOffsets;
  std::vector<int64_t> params;
  std::vector<TensorArg> tensors;
  std::vector<SelectionArg> selections;
  TilePlan forwardKeys, backwardKeys, backwardQueries;
  bool hasForward = false, hasBackward = false, sameKeys = false;
  double milliseconds = 0;
  // Made on the first backward.
  std::vector<float> delta;
  std::vector<double> sinkPartial;
};

Plan::Plan() = default;
Plan::~Plan() = default;
Plan::Plan(Plan &&) noexcept = default;
Plan &Plan::operator=(Plan &&) noexcept = default;

int64_t Plan::bytes() const {
  int64_t perBatch =
      static_cast<int64_t>(impl->qLens.size() * 5 * sizeof(int64_t));
  return perBatch + impl->forwardKeys.bytes() + impl->backwardKeys.bytes() +
         impl->backwardQueries.bytes() +
         static_cast<int64_t>(impl->delta.size() * sizeof(float) +
                              impl->sinkPartial.size() * sizeof(double));
}

double Plan::milliseconds() const { return impl->milliseconds; }

/// One element that stands for a tensor with an empty axis.
static const int32_t zeroElement = 0;

static void fillAxes(const ArrayView &view, int64_t *shape, int64_t *strides,
                     bool &empty) {
  empty =
      std::find(view.shape.begin(), view.shape.end(), 0) != view.shape.end();
  for (size_t i = 0; i < view.shape.size(); ++i) {
    shape[i] = empty ? 1 : view.shape[i];
    strides[i] = empty || view.shape[i] == 1 ? 0 : view.strides[i];
  }
}

static TensorArg tensorArg(const ArrayView &view) {
  TensorArg arg;
  bool empty;
  fillAxes(view, arg.shape, arg.strides, empty);
  arg.data = empty ? &zeroElement : view.data;
  return arg;
}

static SelectionArg selectionArg(const Selection &decl, const ArrayView &view,
                                 const Bindings &bindings) {
  SelectionArg arg;
  bool empty;
  fillAxes(view, arg.shape, arg.strides, empty);
  if (empty)
    arg.shape[3] = 0; // No entries: nothing is read.
  // The pair (begin, end) is never an axis of size 1.
  arg.data = static_cast<const int32_t *>(view.data);
  auto size = [&](const SizeRef &ref) {
    return ref.param ? bindings.params[*ref.param].intValue : ref.literal;
  };
  arg.qBlock = std::max<int64_t>(size(decl.qBlock), 1);
  arg.kBlock = std::max<int64_t>(size(decl.kBlock), 1);
  return arg;
}

//===----------------------------------------------------------------------===//
// Operator
//===----------------------------------------------------------------------===//

namespace {
class HostOperator : public Operator {
public:
  HostOperator(Pattern pattern, PrepareOptions options,
               std::shared_ptr<HostProgram> program,
               std::shared_ptr<ThreadPool> pool)
      : pattern(std::move(pattern)), options(std::move(options)),
        program(std::move(program)), pool(std::move(pool)) {
    if (this->options.valueDim == 0)
      this->options.valueDim = this->options.headDim;
  }

  Expected<Plan> plan(const Problem &problem, const Inputs &inputs,
                      const PlanOptions &planOptions) override;
  Status forward(Plan &plan, const ForwardArgs &args,
                 std::optional<double> scale) override;
  Status backward(Plan &plan, const BackwardArgs &args,
                  std::optional<double> scale) override;
  double compileMilliseconds() const override {
    double sum = 0;
    for (const PhaseTime &time : program->times)
      sum += time.milliseconds;
    return sum;
  }
  const std::vector<PhaseTime> &phases() const override {
    return program->times;
  }

private:
  Status checkPlan(const Plan &plan) const;
  Expected<double> checkScale(std::optional<double> scale) const;
  void planWalks(Plan::Impl &impl) const;
  KernelArgs arguments(const Plan::Impl &impl, double scale) const;
  Expected<OperandArg> operand(const Plan::Impl &impl, const char *name,
                               const TensorView &view, bool ofKeys, int64_t dim,
                               bool isOutput) const;
  Expected<std::vector<std::pair<uint32_t, float *>>>
  gradientTargets(const Plan::Impl &impl, const BackwardArgs &args) const;
  Status runDq(Plan::Impl &impl, KernelArgs &args,
               const std::vector<std::pair<uint32_t, float *>> &targets) const;
  /// Does the score read the tensor (the sink may be read there too)?
  bool isScored(uint32_t tensor) const {
    for (const Node &node : graph().nodes())
      if (node.op == Op::Load && node.ref == tensor &&
          graph().tensors[tensor].grad)
        return true;
    return false;
  }
  Status launch(int64_t items,
                const std::function<void(int64_t, void *)> &work) const;

  const Graph &graph() const { return pattern.graph(); }

  Pattern pattern;
  PrepareOptions options;
  std::shared_ptr<HostProgram> program;
  std::shared_ptr<ThreadPool> pool;
};
} // namespace

static PlanArg planArg(const TilePlan &plan) {
  return {plan.rowStart.data(), plan.runs.data(), plan.batchStride,
          plan.headStride};
}

void HostOperator::planWalks(Plan::Impl &impl) const {
  const HostProgram &code = *program;
  if (code.keysForm.source != TileSource::Interval) {
    impl.hasForward = true;
    impl.forwardKeys =
        planTiles(code.keysForm, impl.bindings, code.forwardTile, true);
    impl.sameKeys = code.dqTile.rows == code.forwardTile.rows &&
                    code.dqTile.keys == code.forwardTile.keys;
    if (options.backward && !impl.sameKeys)
      impl.backwardKeys =
          planTiles(code.keysForm, impl.bindings, code.dqTile, true);
  }
  if (options.backward && code.queriesForm.source != TileSource::Interval)
    impl.backwardQueries =
        planTiles(code.queriesForm, impl.bindings, code.dkvTile, true);
}

Expected<Plan> HostOperator::plan(const Problem &problem, const Inputs &inputs,
                                  const PlanOptions &planOptions) {
  Clock::time_point start = Clock::now();
  Expected<Bindings> bindings =
      bind(pattern, problem, inputs, planOptions.checked);
  if (!bindings)
    return bindings.takeError();
  Plan plan;
  plan.impl = std::make_unique<Plan::Impl>();
  Plan::Impl &impl = *plan.impl;
  impl.owner = program.get();
  impl.bindings = std::move(*bindings);
  const ProblemShape &shape = impl.bindings.shape;
  for (size_t i = 0; i < graph().tensors.size(); ++i) {
    const Tensor &decl = graph().tensors[i];
    if (decl.type != Scalar::Float)
      continue;
    auto wanted = options.tensorElements.find(decl.name);
    ElementType element = wanted == options.tensorElements.end()
                              ? ElementType::F32
                              : wanted->second;
    if (impl.bindings.tensors[i].type != element)
      return makeError(
          ErrorKind::Invalid, "E0308",
          "tensor `" + decl.name + "` holds " +
              std::string(elementName(impl.bindings.tensors[i].type)) +
              "; this operator was prepared for " +
              std::string(elementName(element)));
  }
  impl.packedQ = !problem.cuQ.empty();
  impl.packedK = !problem.cuK.empty();
  impl.batch = shape.batch;
  impl.qTotal = impl.packedQ ? problem.cuQ.back() : shape.qLen;
  impl.kTotal = impl.packedK ? problem.cuK.back() : shape.kLen;
  for (int64_t b = 0; b < shape.batch; ++b) {
    impl.qLens.push_back(shape.qLenOf(b));
    impl.kLens.push_back(shape.kLenOf(b));
    impl.qStarts.push_back(impl.packedQ ? problem.cuQ[b] : 0);
    impl.kStarts.push_back(impl.packedK ? problem.cuK[b] : 0);
    impl.qOffsets.push_back(shape.qOffsetOf(b));
  }
  for (size_t i = 0; i < graph().params.size(); ++i) {
    const ParamValue &value = impl.bindings.params[i];
    int64_t bits = value.intValue;
    if (graph().params[i].type == Scalar::Float)
      std::memcpy(&bits, &value.floatValue, sizeof bits);
    impl.params.push_back(bits);
  }
  for (const ArrayView &view : impl.bindings.tensors)
    impl.tensors.push_back(tensorArg(view));
  for (size_t i = 0; i < impl.bindings.selections.size(); ++i)
    impl.selections.push_back(selectionArg(
        graph().selections[i], impl.bindings.selections[i], impl.bindings));
  planWalks(impl);
  impl.milliseconds = millisecondsSince(start);
  return plan;
}

Status HostOperator::checkPlan(const Plan &plan) const {
  if (plan.impl && plan.impl->owner == program.get())
    return {};
  return makeError(ErrorKind::Usage, "E0401",
                   "the plan was made by another operator");
}

Expected<double> HostOperator::checkScale(std::optional<double> scale) const {
  double value =
      scale.value_or(1 / std::sqrt(static_cast<double>(options.headDim)));
  if (std::isfinite(value))
    return value;
  return makeError(ErrorKind::Invalid, "E0314",
                   "scale is " + std::to_string(value) +
                       "; a finite number is needed");
}

KernelArgs HostOperator::arguments(const Plan::Impl &impl, double scale) const {
  KernelArgs args;
  const ProblemShape &shape = impl.bindings.shape;
  args.qLens = impl.qLens.data();
  args.kLens = impl.kLens.data();
  args.qStarts = impl.qStarts.data();
  args.kStarts = impl.kStarts.data();
  args.qOffsets = impl.qOffsets.data();
  args.batch = shape.batch;
  args.heads = shape.heads;
  args.kvHeads = shape.kvHeads;
  args.group = shape.kvHeads ? shape.heads / shape.kvHeads : 1;
  args.scale = scale;
  args.params = impl.params.data();
  args.tensors = impl.tensors.data();
  args.selections = impl.selections.data();
  return args;
}

Expected<OperandArg> HostOperator::operand(const Plan::Impl &impl,
                                           const char *name,
                                           const TensorView &view, bool ofKeys,
                                           int64_t dim, bool isOutput) const {
  const ProblemShape &shape = impl.bindings.shape;
  OperandRule rule;
  rule.name = name;
  rule.type = dim ? options.element : ElementType::F32;
  rule.batch = (ofKeys ? impl.packedK : impl.packedQ) ? 1 : shape.batch;
  rule.heads = ofKeys ? shape.kvHeads : shape.heads;
  rule.length = ofKeys ? impl.kTotal : impl.qTotal;
  rule.dim = dim;
  rule.mayBroadcast = !isOutput;
  rule.isOutput = isOutput;
  return checkOperand(rule, view);
}

Status
HostOperator::launch(int64_t items,
                     const std::function<void(int64_t, void *)> &work) const {
  if (pool->run(items, program->scratchBytes, work))
    return {};
  return makeError(ErrorKind::Environment, "E0402",
                   "no memory for " + std::to_string(program->scratchBytes) +
                       " bytes of scratch a thread");
}

/// Writes `value` to the rows past each batch element's length, where an array
/// is padded: what a caller gave to be written is written whole.
static void fillPadding(const OperandArg &arg, ElementType element, int64_t dim,
                        int64_t heads, const std::vector<int64_t> &lengths,
                        int64_t longest, float value) {
  auto *data = static_cast<char *>(arg.data);
  int64_t size = sizeOf(element);
  for (size_t b = 0; b < lengths.size(); ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t row = lengths[b]; row < longest; ++row) {
        char *at = data + (static_cast<int64_t>(b) * arg.batchStride +
                           h * arg.headStride + row * arg.rowStride) *
                              size;
        if (element == ElementType::F32)
          std::fill_n(reinterpret_cast<float *>(at), dim, value);
        else
          std::memset(at, 0, dim * size);
      }
}

/// (b, h, block) of an item, later blocks first: in causal patterns they are
/// longest.
static std::array<int64_t, 3> itemAt(int64_t item, int64_t heads,
                                     int64_t blocks, int64_t batch) {
  int64_t perBlock = batch * heads;
  int64_t block = blocks - 1 - item / perBlock, rest = item % perBlock;
  return {rest / heads, rest % heads, block};
}

Status HostOperator::forward(Plan &plan, const ForwardArgs &given,
                             std::optional<double> scale) {
  if (Status status = checkPlan(plan); !status)
    return status;
  Expected<double> factor = checkScale(scale);
  if (!factor)
    return factor.takeError();
  Plan::Impl &impl = *plan.impl;
  const ProblemShape &shape = impl.bindings.shape;
  KernelArgs args = arguments(impl, *factor);
  TensorView lse = given.lse;
  std::vector<float> ownLse;
  if (lse.shape.empty()) { // Not wanted: somewhere to write it.
    lse.shape = {impl.packedQ ? 1 : shape.batch, shape.heads, impl.qTotal};
    ownLse.resize(lse.shape[0] * lse.shape[1] * lse.shape[2]);
    lse.data = ownLse.data();
  }
  for (auto [slot, name, view, ofKeys, dim, isOutput] :
       {std::tuple(&args.q, "q", &given.q, false, options.headDim, false),
        std::tuple(&args.k, "k", &given.k, true, options.headDim, false),
        std::tuple(&args.v, "v", &given.v, true, options.valueDim, false),
        std::tuple(&args.out, "out", &given.out, false, options.valueDim, true),
        std::tuple(&args.lse, "lse", static_cast<const TensorView *>(&lse),
                   false, int64_t(0), true)}) {
    Expected<OperandArg> arg =
        operand(impl, name, *view, ofKeys, dim, isOutput);
    if (!arg)
      return arg.takeError();
    *slot = *arg;
  }
  args.keys = planArg(impl.forwardKeys);
  int64_t rows = program->forwardTile.rows, blocks = ceilDiv(shape.qLen, rows);
  if (!impl.packedQ) {
    fillPadding(args.out, options.element, options.valueDim, shape.heads,
                impl.qLens, shape.qLen, 0);
    fillPadding(args.lse, ElementType::F32, 1, shape.heads, impl.qLens,
                shape.qLen, -std::numeric_limits<float>::infinity());
  }
  return launch(
      shape.batch * shape.heads * blocks, [&](int64_t item, void *scratch) {
        auto [b, h, block] = itemAt(item, shape.heads, blocks, shape.batch);
        if (block * rows < impl.qLens[b])
          program->forward(&args, b, h, block, 0, scratch);
      });
}

Expected<std::vector<std::pair<uint32_t, float *>>>
HostOperator::gradientTargets(const Plan::Impl &impl,
                              const BackwardArgs &given) const {
  std::vector<std::pair<uint32_t, float *>> targets;
  for (const auto &entry : given.gradients) {
    bool known = false;
    for (uint32_t i = 0; i < graph().tensors.size(); ++i)
      known = known || (graph().tensors[i].name == entry.first &&
                        (graph().tensors[i].grad || graph().sink == i));
    if (!known)
      return makeError(ErrorKind::Invalid, "E0310",
                       "no tensor `" + entry.first +
                           "` of the pattern has a gradient");
  }
  for (uint32_t i = 0; i < graph().tensors.size(); ++i) {
    const Tensor &decl = graph().tensors[i];
    if (!decl.grad && graph().sink != i)
      continue;
    auto found = given.gradients.find(decl.name);
    if (found == given.gradients.end()) {
      if (!decl.grad)
        continue; // A sink that is not learned.
      return makeError(ErrorKind::Invalid, "E0306",
                       "the gradient of `" + decl.name + "` is not given");
    }
    const TensorView &view = found->second;
    if (view.type != ElementType::F32 ||
        view.shape != impl.bindings.tensors[i].shape)
      return makeError(ErrorKind::Invalid, "E0312",
                       "the gradient of `" + decl.name +
                           "` must be f32 of the tensor's own shape");
    if (!view.strides.empty() &&
        view.strides != ArrayView::contiguous(view.shape))
      return makeError(ErrorKind::Invalid, "E0313",
                       "the gradient of `" + decl.name +
                           "` must be contiguous");
    targets.push_back({i, static_cast<float *>(view.data)});
  }
  return targets;
}

static int64_t elementsOf(const ArrayView &view) {
  int64_t count = 1;
  for (int64_t extent : view.shape)
    count *= extent;
  return count;
}

/// dq of every row block and, in lanes, the gradients of tensors. A lane is a
/// fixed share of the work with accumulators of its own, whatever the number of
/// threads: sums come out the same each time.
Status HostOperator::runDq(
    Plan::Impl &impl, KernelArgs &args,
    const std::vector<std::pair<uint32_t, float *>> &targets) const {
  constexpr int64_t mostLanes = 16, accumulatorBytes = int64_t(256) << 20;
  const ProblemShape &shape = impl.bindings.shape;
  int64_t rows = program->dqTile.rows, blocks = ceilDiv(shape.qLen, rows);
  int64_t items = shape.batch * shape.heads * blocks;
  std::vector<TensorArg> tensors = impl.tensors;
  int64_t total = 0;
  std::vector<std::pair<uint32_t, float *>> scored;
  for (const auto &target : targets)
    if (isScored(target.first)) {
      scored.push_back(target);
      total += elementsOf(impl.bindings.tensors[target.first]);
    }
  auto work = [&](int64_t item, int64_t laneIndex, void *scratch) {
    auto [b, h, block] = itemAt(item, shape.heads, blocks, shape.batch);
    if (block * rows < impl.qLens[b])
      program->backwardDq(&args, b, h, block, laneIndex, scratch);
  };
  if (scored.empty())
    return launch(items,
                  [&](int64_t item, void *scratch) { work(item, 0, scratch); });

  int64_t lanes = std::clamp<int64_t>(
      accumulatorBytes / std::max<int64_t>(total * 4, 1), 1, mostLanes);
  std::vector<float> accumulators(lanes * total);
  int64_t offset = 0;
  for (const auto &[index, target] : scored) {
    const ArrayView &view = impl.bindings.tensors[index];
    TensorArg &arg = tensors[index];
    arg.grad = accumulators.data() + offset;
    arg.gradLaneStride = total;
    std::vector<int64_t> strides = ArrayView::contiguous(view.shape);
    for (size_t i = 0; i < strides.size(); ++i)
      arg.gradStrides[i] = view.shape[i] == 1 ? 0 : strides[i];
    offset += elementsOf(view);
  }
  args.tensors = tensors.data();
  Status status = launch(lanes, [&](int64_t laneIndex, void *scratch) {
    int64_t first = items * laneIndex / lanes,
            last = items * (laneIndex + 1) / lanes;
    for (int64_t item = first; item < last; ++item)
      work(item, laneIndex, scratch);
  });
  args.tensors = impl.tensors.data();
  if (!status)
    return status;
  offset = 0;
  for (const auto &[index, target] : scored) {
    int64_t count = elementsOf(impl.bindings.tensors[index]);
    for (int64_t i = 0; i < count; ++i) {
      double sum = 0;
      for (int64_t laneIndex = 0; laneIndex < lanes; ++laneIndex)
        sum += accumulators[laneIndex * total + offset + i];
      target[i] = static_cast<float>(sum);
    }
    offset += count;
  }
  return {};
}

Status HostOperator::backward(Plan &plan, const BackwardArgs &given,
                              std::optional<double> scale) {
  if (Status status = checkPlan(plan); !status)
    return status;
  if (!options.backward)
    return makeError(ErrorKind::Usage, "E0403",
                     "this operator was prepared without its backward pass");
  Expected<double> factor = checkScale(scale);
  if (!factor)
    return factor.takeError();
  Plan::Impl &impl = *plan.impl;
  const ProblemShape &shape = impl.bindings.shape;
  KernelArgs args = arguments(impl, *factor);
  int64_t arrayBatch = impl.packedQ ? 1 : shape.batch;
  TensorView dLse = given.dLse;
  float zero = 0;
  if (dLse.shape.empty()) {
    dLse.shape = {arrayBatch, shape.heads, impl.qTotal};
    dLse.strides = {0, 0, 0};
    dLse.data = &zero;
  }
  for (auto [slot, name, view, ofKeys, dim, isOutput] :
       {std::tuple(&args.q, "q", &given.q, false, options.headDim, false),
        std::tuple(&args.k, "k", &given.k, true, options.headDim, false),
        std::tuple(&args.v, "v", &given.v, true, options.valueDim, false),
        std::tuple(&args.out, "out", &given.out, false, options.valueDim,
                   false),
        std::tuple(&args.lse, "lse", &given.lse, false, int64_t(0), false),
        std::tuple(&args.dOut, "dout", &given.dOut, false, options.valueDim,
                   false),
        std::tuple(&args.dLse, "dlse", static_cast<const TensorView *>(&dLse),
                   false, int64_t(0), false),
        std::tuple(&args.dq, "dq", &given.dq, false, options.headDim, true),
        std::tuple(&args.dk, "dk", &given.dk, true, options.headDim, true),
        std::tuple(&args.dv, "dv", &given.dv, true, options.valueDim, true)}) {
    Expected<OperandArg> arg =
        operand(impl, name, *view, ofKeys, dim, isOutput);
    if (!arg)
      return arg.takeError();
    *slot = *arg;
  }
  auto targets = gradientTargets(impl, given);
  if (!targets)
    return targets.takeError();

  int64_t rows = program->dqTile.rows, keys = program->dkvTile.keys;
  int64_t rowBlocks = ceilDiv(shape.qLen, rows),
          keyBlocks = ceilDiv(shape.kLen, keys);
  impl.delta.resize(arrayBatch * shape.heads * impl.qTotal);
  impl.sinkPartial.assign(
      graph().sink ? shape.batch * shape.heads * rowBlocks : 0, 0);
  args.delta = {impl.delta.data(),
                arrayBatch == 1 ? 0 : shape.heads * impl.qTotal, impl.qTotal,
                1};
  args.sinkPartial = impl.sinkPartial.data();
  args.rowBlocks = rowBlocks;
  args.keys = planArg(impl.sameKeys ? impl.forwardKeys : impl.backwardKeys);
  args.queries = planArg(impl.backwardQueries);

  if (!impl.packedQ)
    fillPadding(args.dq, options.element, options.headDim, shape.heads,
                impl.qLens, shape.qLen, 0);
  if (!impl.packedK) {
    fillPadding(args.dk, options.element, options.headDim, shape.kvHeads,
                impl.kLens, shape.kLen, 0);
    fillPadding(args.dv, options.element, options.valueDim, shape.kvHeads,
                impl.kLens, shape.kLen, 0);
  }
  Status status = launch(
      shape.batch * shape.heads * rowBlocks, [&](int64_t item, void *scratch) {
        auto [b, h, block] = itemAt(item, shape.heads, rowBlocks, shape.batch);
        if (block * rows < impl.qLens[b])
          program->preprocess(&args, b, h, block, 0, scratch);
      });
  if (status)
    status = runDq(impl, args, *targets);
  if (status)
    status = launch(shape.batch * shape.kvHeads * keyBlocks,
                    [&](int64_t item, void *scratch) {
                      auto [b, g, block] =
                          itemAt(item, shape.kvHeads, keyBlocks, shape.batch);
                      if (block * keys < impl.kLens[b])
                        program->backwardDkv(&args, b, g, block, 0, scratch);
                    });
  if (!status)
    return status;
  for (const auto &[index, target] : *targets) {
    if (graph().sink != index)
      continue;
    bool shared = impl.bindings.tensors[index].shape[0] == 1;
    std::vector<double> sums(shared ? 1 : shape.heads);
    for (int64_t b = 0; b < shape.batch; ++b)
      for (int64_t h = 0; h < shape.heads; ++h)
        for (int64_t block = 0; block < rowBlocks; ++block)
          sums[shared ? 0 : h] +=
              impl.sinkPartial[(b * shape.heads + h) * rowBlocks + block];
    bool added = isScored(index); // What the score gave it is there already.
    for (size_t i = 0; i < sums.size(); ++i)
      target[i] = static_cast<float>(sums[i] + (added ? target[i] : 0));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

namespace {
class HostDevice : public Device {
public:
  explicit HostDevice(int count) : pool(std::make_shared<ThreadPool>(count)) {}

  Expected<std::shared_ptr<Operator>>
  prepare(const Pattern &pattern, const PrepareOptions &options) override;
  Counters counters() const override {
    std::lock_guard<std::mutex> lock(mutex);
    return counts;
  }
  int threads() const override { return pool->size(); }

private:
  struct Entry {
    bool ready = false;
    std::shared_ptr<HostProgram> program; ///< Null after a failure.
  };

  std::shared_ptr<ThreadPool> pool;
  mutable std::mutex mutex;
  std::condition_variable compiled;
  std::map<std::string, Entry> kernels;
  Counters counts;
};
} // namespace

/// Everything that changes code, and nothing else.
static std::string kernelKey(const Pattern &pattern,
                             const PrepareOptions &options) {
  std::string key = pattern.digest();
  auto put = [&](int64_t value) { key += "/" + std::to_string(value); };
  put(static_cast<int64_t>(options.element));
  put(options.headDim);
  put(options.valueDim ? options.valueDim : options.headDim);
  put(options.backward);
  for (const TileSize &tile :
       {options.schedule.forward, options.schedule.backward}) {
    put(tile.rows);
    put(tile.keys);
  }
  for (const Tensor &tensor : pattern.graph().tensors) {
    auto found = options.tensorElements.find(tensor.name);
    put(found == options.tensorElements.end()
            ? 0
            : static_cast<int64_t>(found->second));
  }
  return key;
}

Expected<std::shared_ptr<Operator>>
HostDevice::prepare(const Pattern &pattern, const PrepareOptions &options) {
  std::string key = kernelKey(pattern, options);
  std::unique_lock<std::mutex> lock(mutex);
  auto [found, isNew] = kernels.try_emplace(key);
  if (!isNew) {
    // Another thread may be compiling it.
    compiled.wait(lock, [&] { return kernels[key].ready; });
    if (kernels[key].program) {
      ++counts.hits;
      return std::shared_ptr<Operator>(std::make_shared<HostOperator>(
          pattern, options, kernels[key].program, pool));
    }
    kernels[key].ready = false; // It failed there: try again here.
  }
  lock.unlock();
  CompileOptions compile;
  compile.element = options.element;
  compile.headDim = options.headDim;
  compile.valueDim = options.valueDim;
  compile.backward = options.backward;
  compile.schedule = options.schedule;
  for (const Tensor &tensor : pattern.graph().tensors) {
    auto element = options.tensorElements.find(tensor.name);
    compile.tensorElements.push_back(element == options.tensorElements.end()
                                         ? ElementType::F32
                                         : element->second);
  }
  Expected<std::unique_ptr<HostProgram>> program =
      compileForHost(pattern.graph(), compile);
  lock.lock();
  Entry &entry = kernels[key];
  entry.ready = true;
  ++counts.compiles;
  if (program)
    entry.program = std::move(*program);
  compiled.notify_all();
  if (!program)
    return program.takeError();
  return std::shared_ptr<Operator>(
      std::make_shared<HostOperator>(pattern, options, entry.program, pool));
}

std::shared_ptr<Device> Device::host(int threads) {
  int count = threads > 0
                  ? threads
                  : static_cast<int>(std::thread::hardware_concurrency());
  return std::make_shared<HostDevice>(count);
}
