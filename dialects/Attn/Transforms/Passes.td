//===- Passes.td - passes over the attn dialect -------------*- tablegen -*-===//

#ifndef JACQUARD_ATTN_PASSES_TD
#define JACQUARD_ATTN_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttnDifferentiate : Pass<"attn-differentiate", "::jacquard::attn::PatternOp"> {
  let summary = "derive the adjoint of a pattern's score as an attn.score_grad region";
  let description = [{
    Reverse accumulation: the region recomputes the score's values, then walks its
    float ops backwards. Each load of a tensor marked `grad` becomes an
    attn.accumulate. Patterns without a score, or with a score_grad, are left alone.

    ```mlir
    attn.score {
    ^bb0(%s: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
      %t = attn.load @slope[%h] : f32
      %y = arith.mulf %s, %t : f32
      attn.yield %y : f32
    }
    ```
    adds
    ```mlir
    attn.score_grad {
    ^bb0(%s: f32, %ds: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
      %t = attn.load @slope[%h] : f32
      %0 = arith.mulf %ds, %t : f32
      %1 = arith.mulf %ds, %s : f32
      attn.accumulate @slope[%h], %1
      attn.yield %0 : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AttnHoist : Pass<"attn-hoist", "::jacquard::attn::PatternOp"> {
  let summary = "order a pattern's regions by what each value depends on, and say it";
  let description = [{
    Every op gets `attn.depends`: "head" (b, h, g and launch data only), "row" (also
    q or row), "key" (also k) or "pair" (both, or s). Ops stand in this order, so that
    a lowering can compute what depends on a head, a row or a key outside the loops
    over the others.

    ```mlir
    %0 = arith.subi %q, %k : i64
    %1 = attn.load @limit[%q] : i64
    ```
    becomes
    ```mlir
    %1 = attn.load @limit[%q] {attn.depends = "row"} : i64
    %0 = arith.subi %q, %k {attn.depends = "pair"} : i64
    ```
  }];
}

#endif // JACQUARD_ATTN_PASSES_TD
