//===- jacquard-opt.cpp - runs passes on IR of any phase ------------------===//

#include "compiler/Import/Passes.h"
#include "compiler/Lower/Passes.h"
#include "compiler/Schedule/Passes.h"
#include "dialects/Attn/Transforms/Passes.h"
#include "dialects/Tile/IR/Tile.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<jacquard::attn::AttnDialect, jacquard::tile::TileDialect,
                  mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect>();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  jacquard::attn::registerAttnPasses();
  jacquard::registerAttnImportPasses();
  jacquard::registerLowerPasses();
  jacquard::registerSchedulePasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Jacquard optimizer driver\n", registry));
}
