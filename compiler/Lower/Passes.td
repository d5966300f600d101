//===- Passes.td - from problems to kernels to the host ----*- tablegen -*-===//

#ifndef JACQUARD_LOWER_PASSES_TD
#define JACQUARD_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttnToTile : Pass<"attn-to-tile", "::mlir::ModuleOp"> {
  let summary = "replace attention problems by kernels over tiles";
  let description = [{
    Each scheduled `attn.forward` becomes `tile.kernel @forward`, each `attn.backward`
    the kernels @preprocess, @backward_dq and @backward_dkv. The module needs the
    attn.tiles ops of the patterns. Float tensors of patterns are read as
    `tensor-element`.

    ```mlir
    func.func @forward(...) { %o, %lse = attn.forward q(%q) ... schedule(...) ... }
    ```
    becomes
    ```mlir
    tile.kernel @forward { ^bb0(%b: i64, %h: i64, %block: i64, %lane: i64): ... }
    ```
  }];
  let dependentDialects = [
    "::jacquard::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"
  ];
  let options = [Option<"tensorElement", "tensor-element", "std::string", "\"f32\"",
                        "type in memory of float tensors: f32, f16 or bf16">];
}

def TileToHost : Pass<"tile-to-host", "::mlir::ModuleOp"> {
  let summary = "lower tile kernels to functions of the LLVM dialect for a processor";
  let description = [{
    Fragments become arrays in the scratch of a worker, maps loops over vectors of
    `lanes` columns, products register-blocked loop nests. Everything else in the
    module is dropped.

    ```mlir
    tile.kernel @forward { ... }
    ```
    becomes
    ```mlir
    llvm.func @forward(%args: !llvm.ptr, %b: i64, %h: i64, %block: i64, %lane: i64,
                       %scratch: !llvm.ptr)
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [Option<"lanes", "lanes", "int64_t", "8",
                        "floats in a vector register: 16, 8 or 4">];
}

#endif // JACQUARD_LOWER_PASSES_TD
