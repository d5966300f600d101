//===- HostCodegen.h - from the LLVM dialect to code for this machine -----===//
//
// Optimised LLVM IR, assembly text, or functions in memory through ORC. Nothing
// is printed and nothing aborts: LLVM's diagnostics become errors (E0699).
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_COMPILER_CODEGEN_HOSTCODEGEN_H
#define JACQUARD_COMPILER_CODEGEN_HOSTCODEGEN_H

#include "patterns/Error.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <memory>
#include <string>

namespace jacquard {

/// What this machine has.
struct HostTarget {
  std::string cpu, features, triple;
  int64_t lanes = 4; ///< Floats in its widest vector register: 16, 8 or 4.

  static const HostTarget &get();
};

/// Functions in memory; they live as long as this object.
class HostCode {
public:
  virtual ~HostCode() = default;
  /// Null if there is no such function.
  virtual void *lookup(llvm::StringRef name) = 0;
};

/// The module as optimised LLVM IR, or as assembly.
Expected<std::string> emitLlvmIr(mlir::ModuleOp module);
Expected<std::string> emitAssembly(mlir::ModuleOp module);

/// Compiles every function. `optimised` is called between optimising and
/// generating code, for timing; it may be empty.
Expected<std::unique_ptr<HostCode>>
compileToMemory(mlir::ModuleOp module, const std::function<void()> &optimised);

} // namespace jacquard

#endif // JACQUARD_COMPILER_CODEGEN_HOSTCODEGEN_H
