//===- Passes.td - choosing schedules ----------------------*- tablegen -*-===//

#ifndef JACQUARD_SCHEDULE_PASSES_TD
#define JACQUARD_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttnSchedule : Pass<"attn-schedule", "::mlir::ModuleOp"> {
  let summary = "give every attention problem without a schedule that of the target";
  let description = [{
    Tiles come from the target's table, by head dim, and are checked against its
    resources. A problem that has a schedule keeps it.

    ```mlir
    %o, %lse = attn.forward q(%q) ... pattern(@p) : ...
    ```
    becomes
    ```mlir
    %o, %lse = attn.forward q(%q) ... pattern(@p) schedule(<rows = 64, keys = 64>) : ...
    ```
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "8",
                        "floats in a vector register of the processor: 16, 8 or 4">];
}

#endif // JACQUARD_SCHEDULE_PASSES_TD
