//===- Compiler.cpp - the phases in order ---------------------------------===//

#include "compiler/Compiler.h"

#include "compiler/Codegen/HostCodegen.h"
#include "compiler/Import/ImportPattern.h"
#include "compiler/Lower/AttnToTile.h"
#include "compiler/Lower/HostLowering.h"
#include "compiler/Schedule/HostSchedule.h"
#include "dialects/Attn/Transforms/DifferentiateScore.h"
#include "dialects/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <chrono>

using namespace mlir;
using namespace jacquard;

namespace {
/// Everything that one compilation owns.
class Compilation {
  // First: everything else lives in it.
  MLIRContext context;
  std::string messages;
  ScopedDiagnosticHandler handler;

public:
  Compilation(const Graph &graph, CompileOptions options)
      : context(registry(), MLIRContext::Threading::DISABLED),
        handler(&context,
                [this](Diagnostic &diagnostic) {
                  llvm::raw_string_ostream(messages)
                      << diagnostic.getLocation() << ": " << diagnostic << "\n";
                  return success();
                }),
        graph(graph), options(std::move(options)) {
    context.loadAllAvailableDialects();
    phaseStart = std::chrono::steady_clock::now();
  }

  Status checkOptions();
  Status toAttn();
  Status toTile();
  Status toLlvm();
  Expected<std::string> print();

  void finishPhase(Phase phase) {
    auto now = std::chrono::steady_clock::now();
    std::chrono::duration<double, std::milli> spent = now - phaseStart;
    times.push_back({phase, spent.count()});
    phaseStart = now;
  }

  const Graph &graph;
  CompileOptions options;
  TileForm keysForm, queriesForm;
  OwningOpRef<ModuleOp> module;
  std::vector<PhaseTime> times;
  int64_t scratchBytes = 0;

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    registry
        .insert<attn::AttnDialect, tile::TileDialect, arith::ArithDialect,
                cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
    return registry;
  }

  Error fault(Phase phase) {
    return makeError(ErrorKind::Internal, "E0699",
                     "phase '" + std::string(phaseName(phase)) + "' failed",
                     {messages});
  }

  std::chrono::steady_clock::time_point phaseStart;
};
} // namespace

Status Compilation::checkOptions() {
  if (options.valueDim == 0)
    options.valueDim = options.headDim;
  for (auto [name, dim] : {std::pair("head dim", options.headDim),
                           std::pair("value dim", options.valueDim)})
    if (dim < 1 || dim > attn::largestHeadDim)
      return makeError(ErrorKind::Invalid, "E0601",
                       std::string(name) + " is " + std::to_string(dim) +
                           "; this build takes 1 to " +
                           std::to_string(attn::largestHeadDim));
  if (options.element == ElementType::I32)
    return makeError(ErrorKind::Invalid, "E0601",
                     "q, k and v can't hold int32; f32, f16 or bf16 is needed");
  if (options.tensorElements.empty())
    options.tensorElements.assign(graph.tensors.size(), ElementType::F32);
  Expected<Schedule> schedule = hostSchedule(options, HostTarget::get().lanes);
  if (!schedule)
    return schedule.takeError();
  options.schedule = *schedule;
  return {};
}

Status Compilation::toAttn() {
  keysForm = analyzeTiles(graph, Walk::Keys);
  queriesForm = analyzeTiles(graph, Walk::Queries);
  module = importPattern(graph, options, keysForm, queriesForm, &context);
  for (auto pattern : module->getOps<attn::PatternOp>())
    if (options.backward && failed(attn::differentiateScore(pattern)))
      return fault(Phase::Attn);
  PassManager passes(&context);
  passes.addPass(createCSEPass());
  passes.addPass(createCanonicalizerPass());
  if (failed(verify(*module)) || failed(passes.run(*module)))
    return fault(Phase::Attn);
  finishPhase(Phase::Attn);
  return {};
}

static Type inMemory(MLIRContext *context, const Tensor &tensor,
                     ElementType element) {
  Builder builder(context);
  if (tensor.type == Scalar::Int)
    return builder.getI32Type();
  switch (element) {
  case ElementType::F16:
    return builder.getF16Type();
  case ElementType::BF16:
    return builder.getBF16Type();
  default:
    return builder.getF32Type();
  }
}

Status Compilation::toTile() {
  KernelDataTypes lowering;
  for (size_t i = 0; i < graph.tensors.size(); ++i)
    lowering.tensorElements.push_back(
        inMemory(&context, graph.tensors[i], options.tensorElements[i]));
  if (failed(lowerAttnToTile(*module, lowering)))
    return fault(Phase::Tile);
  PassManager passes(&context);
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  if (failed(verify(*module)) || failed(passes.run(*module)))
    return fault(Phase::Tile);
  finishPhase(Phase::Tile);
  return {};
}

Status Compilation::toLlvm() {
  FailureOr<int64_t> scratch = lowerToHost(*module, HostTarget::get().lanes);
  if (failed(scratch))
    return fault(Phase::LlvmDialect);
  scratchBytes = *scratch;
  finishPhase(Phase::LlvmDialect);
  return {};
}

Expected<std::string> Compilation::print() {
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

Expected<std::string>
jacquard::emit(const Graph &graph, const CompileOptions &options, Phase phase) {
  Compilation compilation(graph, options);
  if (Status status = compilation.checkOptions(); !status)
    return status.takeError();
  if (Status status = compilation.toAttn(); !status)
    return status.takeError();
  if (phase <= Phase::Attn)
    return compilation.print();
  if (Status status = compilation.toTile(); !status)
    return status.takeError();
  if (phase == Phase::Tile)
    return compilation.print();
  if (Status status = compilation.toLlvm(); !status)
    return status.takeError();
  switch (phase) {
  case Phase::LlvmIr:
    return emitLlvmIr(*compilation.module);
  case Phase::Assembly:
    return emitAssembly(*compilation.module);
  default:
    return compilation.print();
  }
}

namespace {
class CompiledProgram : public HostProgram {
public:
  std::unique_ptr<HostCode> code;
};
} // namespace

Expected<std::unique_ptr<HostProgram>>
jacquard::compileForHost(const Graph &graph, const CompileOptions &options) {
  Compilation compilation(graph, options);
  for (auto step : {&Compilation::checkOptions, &Compilation::toAttn,
                    &Compilation::toTile, &Compilation::toLlvm})
    if (Status status = (compilation.*step)(); !status)
      return status.takeError();
  auto program = std::make_unique<CompiledProgram>();
  Expected<std::unique_ptr<HostCode>> code = compileToMemory(
      *compilation.module, [&] { compilation.finishPhase(Phase::LlvmIr); });
  if (!code)
    return code.takeError();
  program->code = std::move(*code);
  auto entry = [&](llvm::StringRef name) {
    return reinterpret_cast<HostEntry>(program->code->lookup(name));
  };
  program->forward = entry("forward");
  bool complete = program->forward != nullptr;
  if (options.backward) {
    program->preprocess = entry("preprocess");
    program->backwardDq = entry("backward_dq");
    program->backwardDkv = entry("backward_dkv");
    complete = complete && program->preprocess && program->backwardDq &&
               program->backwardDkv;
  }
  if (!complete)
    return makeError(ErrorKind::Internal, "E0699",
                     "phase 'asm': a kernel is missing from the compiled code");
  compilation.finishPhase(Phase::Assembly);
  program->scratchBytes = compilation.scratchBytes;
  program->forwardTile = compilation.options.schedule.forward;
  program->dqTile = program->dkvTile = compilation.options.schedule.backward;
  program->keysForm = std::move(compilation.keysForm);
  program->queriesForm = std::move(compilation.queriesForm);
  program->times = std::move(compilation.times);
  return std::unique_ptr<HostProgram>(std::move(program));
}
