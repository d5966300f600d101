//===- Passes.td - attn passes that need the pattern language -*- tablegen -*-===//

#ifndef JACQUARD_IMPORT_PASSES_TD
#define JACQUARD_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttnAnalyzeTiles : Pass<"attn-analyze-tiles", "::mlir::ModuleOp"> {
  let summary = "decide how the tiles of each pattern are found, as attn.tiles ops";
  let description = [{
    For both walks: `interval` (with the ends as scalar code), `bounds` or `list`. A
    walk that already has an attn.tiles of the pattern keeps it.

    ```mlir
    attn.pattern @causal { ... }
    ```
    adds
    ```mlir
    attn.tiles @causal_keys of(@causal) walk(keys) source(interval) { ... }
    attn.tiles @causal_queries of(@causal) walk(queries) source(interval) { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // JACQUARD_IMPORT_PASSES_TD
