// RUN: jacquard-opt %s -attn-hoist | FileCheck %s

// Ops stand in the order head, row, key, pair and say which they are.

attn.pattern @mixed {
  attn.param @window : i64
  attn.tensor @limit : i64 axes ["q_len"]
  attn.tensor @table : f32 axes ["heads"] grad
  // CHECK-LABEL: attn.keep
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // CHECK-NEXT: ^bb0(%{{.*}}: i64, %{{.*}}: i64, %[[G:.*]]: i64, %[[Q:.*]]: i64, %[[K:.*]]: i64, %[[ROW:.*]]: i64):
    // CHECK-NEXT: attn.get @window {attn.depends = "head"} : i64
    // CHECK-NEXT: arith.addi %{{.*}}, %[[G]] {attn.depends = "head"}
    // CHECK-NEXT: attn.load @limit[%[[ROW]]] {attn.depends = "row"}
    // CHECK-NEXT: attn.mod %[[K]], %{{.*}} {attn.depends = "key"}
    // CHECK-NEXT: arith.subi %[[Q]], %[[K]] {attn.depends = "pair"}
    // CHECK-NEXT: arith.minsi %{{.*}} {attn.depends = "pair"}
    // CHECK-NEXT: arith.cmpi slt, %{{.*}} {attn.depends = "pair"}
    // CHECK-NEXT: attn.yield
    %distance = arith.subi %q, %k : i64
    %window = attn.get @window : i64
    %wide = arith.addi %window, %g : i64
    %phase = attn.mod %k, %wide
    %limit = attn.load @limit[%row] : i64
    %least = arith.minsi %limit, %phase : i64
    %keep = arith.cmpi slt, %distance, %least : i64
    attn.yield %keep : i1
  }
  // What accumulates stays behind what it reads, in its order.
  // CHECK-LABEL: attn.score_grad
  attn.score_grad {
  ^bb0(%s: f32, %ds: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // CHECK: attn.load @table[%{{.*}}] {attn.depends = "head"}
    // CHECK-NEXT: arith.mulf %{{.*}} {attn.depends = "pair"}
    // CHECK-NEXT: attn.accumulate @table[%{{.*}}], %{{.*}} {attn.depends = "pair"}
    // CHECK-NEXT: attn.yield
    %d = arith.mulf %s, %ds : f32
    attn.accumulate @table[%h], %d
    %unused = attn.load @table[%h] : f32
    attn.yield %ds : f32
  }
}
