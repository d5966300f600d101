//===- HostCodegen.cpp - optimising, generating and loading host code -----===//

#include "compiler/Codegen/HostCodegen.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

using namespace jacquard;

static Error codegenError(const llvm::Twine &message) {
  return makeError(ErrorKind::Internal, "E0699", message.str());
}

static void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

const HostTarget &HostTarget::get() {
  static const HostTarget target = [] {
    initializeTarget();
    HostTarget found;
    found.triple = llvm::sys::getProcessTriple();
    found.cpu = llvm::sys::getHostCPUName().str();
    auto features = llvm::sys::getHostCPUFeatures();
    for (const auto &feature : features) {
      if (!found.features.empty())
        found.features += ',';
      found.features += (feature.second ? "+" : "-") + feature.first().str();
    }
    found.lanes = features.lookup("avx512f") ? 16
                  : features.lookup("avx2")  ? 8
                                             : 4;
    return found;
  }();
  return target;
}

static std::unique_ptr<llvm::TargetMachine>
createMachine(std::string &problem) {
  const HostTarget &host = HostTarget::get();
  llvm::Triple triple(host.triple);
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, host.cpu, host.features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, /*JIT=*/true));
}

namespace {
/// An LLVM module with its context and the machine it is meant for.
struct Translated {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};
} // namespace

static Expected<Translated> translate(mlir::ModuleOp module) {
  Translated result;
  std::string problem;
  result.machine = createMachine(problem);
  if (!result.machine)
    return codegenError("no code generator for " + HostTarget::get().triple +
                        ": " + problem);
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  result.context = std::make_unique<llvm::LLVMContext>();
  result.module =
      mlir::translateModuleToLLVMIR(module, *result.context, "jacquard");
  if (!result.module)
    return codegenError(
        "phase 'll': the module can't be translated to LLVM IR");
  result.module->setTargetTriple(result.machine->getTargetTriple());
  result.module->setDataLayout(result.machine->createDataLayout());
  int64_t bits = HostTarget::get().lanes * 32;
  for (llvm::Function &function : *result.module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("prefer-vector-width", std::to_string(bits));
    function.addFnAttr("min-legal-vector-width", std::to_string(bits));
    function.addFnAttr("target-cpu", HostTarget::get().cpu);
    function.addFnAttr("target-features", HostTarget::get().features);
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  return result;
}

/// The kernels are vectorised, blocked and inlined already. What is left to do
/// is local: fold addresses, drop what is computed twice, lift what a loop
/// repeats.
static void optimize(Translated &code) {
  llvm::PassBuilder builder(code.machine.get());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  for (llvm::Function &function : *code.module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

static Expected<Translated> translateAndOptimize(mlir::ModuleOp module) {
  Expected<Translated> code = translate(module);
  if (code)
    optimize(*code);
  return code;
}

Expected<std::string> jacquard::emitLlvmIr(mlir::ModuleOp module) {
  Expected<Translated> code = translateAndOptimize(module);
  if (!code)
    return code.takeError();
  std::string text;
  llvm::raw_string_ostream(text) << *code->module;
  return text;
}

static bool generate(Translated &code, llvm::raw_pwrite_stream &out,
                     llvm::CodeGenFileType type) {
  llvm::legacy::PassManager passes;
  if (code.machine->addPassesToEmitFile(passes, out, nullptr, type))
    return false;
  passes.run(*code.module);
  return true;
}

Expected<std::string> jacquard::emitAssembly(mlir::ModuleOp module) {
  Expected<Translated> code = translateAndOptimize(module);
  if (!code)
    return code.takeError();
  llvm::SmallVector<char> text;
  llvm::raw_svector_ostream out(text);
  if (!generate(*code, out, llvm::CodeGenFileType::AssemblyFile))
    return codegenError(
        "phase 'asm': this machine's code generator has no assembly");
  return std::string(text.begin(), text.end());
}

namespace {
class OrcCode : public HostCode {
public:
  explicit OrcCode(std::unique_ptr<llvm::orc::LLJIT> jit)
      : jit(std::move(jit)) {}

  void *lookup(llvm::StringRef name) override {
    auto address = jit->lookup(name);
    if (address)
      return address->toPtr<void *>();
    llvm::consumeError(address.takeError());
    return nullptr;
  }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};
} // namespace

Expected<std::unique_ptr<HostCode>>
jacquard::compileToMemory(mlir::ModuleOp module,
                          const std::function<void()> &optimised) {
  Expected<Translated> code = translateAndOptimize(module);
  if (!code)
    return code.takeError();
  if (optimised)
    optimised();
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  if (!generate(*code, out, llvm::CodeGenFileType::ObjectFile))
    return codegenError(
        "phase 'asm': this machine's code generator has no objects");

  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(
      llvm::orc::JITTargetMachineBuilder(code->machine->getTargetTriple()));
  auto jit = builder.create();
  if (!jit)
    return codegenError("phase 'asm': " + llvm::toString(jit.takeError()));
  auto buffer = std::make_unique<llvm::SmallVectorMemoryBuffer>(
      std::move(object), "jacquard", /*RequiresNullTerminator=*/false);
  if (llvm::Error error = (*jit)->addObjectFile(std::move(buffer)))
    return codegenError("phase 'asm': " + llvm::toString(std::move(error)));
  return std::unique_ptr<HostCode>(std::make_unique<OrcCode>(std::move(*jit)));
}
