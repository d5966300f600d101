// RUN: jacquard-opt %s -attn-analyze-tiles -canonicalize -split-input-file | FileCheck %s

// The closed form of causal: keys up to the block's last position; full up to its
// first.

// CHECK: attn.pattern @causal
attn.pattern @causal {
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %keep = arith.cmpi sle, %k, %q : i64
    attn.yield %keep : i1
  }
}
// CHECK: attn.tiles @causal_keys of(@causal) walk(keys) source(interval)
// CHECK: ^bb0(%{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %[[FIRST:.*]]: i64, %[[LAST:.*]]: i64):
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[FAR:.*]] = arith.constant 1099511627776 : i64
// CHECK-DAG: %[[AFTER:.*]] = arith.addi %[[LAST]], %[[ONE]]
// CHECK-DAG: %[[FROM:.*]] = arith.addi %[[FIRST]], %[[ONE]]
// CHECK: attn.intervals kept(%{{.*}}, %[[AFTER]]) gaps(%[[FROM]], %[[FAR]])

// Walking queries: rows from the block's first key on; full from its last.
// CHECK: attn.tiles @causal_queries of(@causal) walk(queries) source(interval)
// CHECK: ^bb0(%{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %[[FIRST:.*]]: i64, %[[LAST:.*]]: i64):
// CHECK: attn.intervals kept(%[[FIRST]], %{{.*}}) gaps(%{{.*}}, %[[LAST]])

// -----

// Ends that read a sorted tensor need a plan.

attn.pattern @documents {
  attn.tensor @doc : i64 axes ["batch", "k_len"] sorted
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %mine = attn.load @doc[%b, %q] : i64
    %other = attn.load @doc[%b, %k] : i64
    %keep = arith.cmpi eq, %mine, %other : i64
    attn.yield %keep : i1
  }
}
// CHECK: attn.tiles @documents_keys of(@documents) walk(keys) source(bounds)
// CHECK: attn.intervals kept() gaps()

// -----

// An opaque condition needs a list; a walk that has its tiles keeps them.

attn.pattern @bitmap {
  attn.tensor @words : i64 axes ["q_len", "k_len"]
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %word = attn.load @words[%row, %k] : i64
    %zero = arith.constant 0 : i64
    %keep = attn.bit %word, %zero
    attn.yield %keep : i1
  }
}
attn.tiles @mine of(@bitmap) walk(queries) source(list) {
^bb0(%b: i64, %h: i64, %g: i64, %first: i64, %last: i64):
  attn.intervals kept() gaps()
}
// CHECK: attn.tiles @bitmap_keys of(@bitmap) walk(keys) source(list)
// CHECK-NOT: attn.tiles @bitmap_queries
// CHECK: attn.tiles @mine
