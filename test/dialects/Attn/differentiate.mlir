// RUN: jacquard-opt %s -attn-differentiate -cse -split-input-file | FileCheck %s

// A product: the adjoint of s and a contribution to the tensor.

attn.pattern @slope {
  attn.tensor @slope : f32 axes ["heads"] grad
  attn.tensor @other : f32 axes ["heads"]
  attn.score {
  ^bb0(%s: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %t = attn.load @slope[%h] : f32
    %o = attn.load @other[%h] : f32
    %u = arith.mulf %s, %t : f32
    %y = arith.subf %u, %o : f32
    attn.yield %y : f32
  }
}
// CHECK-LABEL: attn.pattern @slope
// CHECK: attn.score_grad
// CHECK: ^bb0(%[[S:[^:]*]]: f32, %[[DS:[^:]*]]: f32, %{{[^:]*}}: i64, %[[H:[^:]*]]: i64,
// CHECK: %[[T:.*]] = attn.load @slope[%[[H]]]
// CHECK: %[[D:.*]] = arith.mulf %[[DS]], %[[T]]
// CHECK-NEXT: %[[DT:.*]] = arith.mulf %[[DS]], %[[S]]
// CHECK: attn.accumulate @slope[%[[H]]], %[[DT]]
// CHECK-NOT: attn.accumulate @other
// CHECK: attn.yield %[[D]]

// -----

// A pattern without a score has nothing to derive; one with its adjoint keeps it.

// CHECK-LABEL: attn.pattern @plain
// CHECK-NOT: attn.score_grad
attn.pattern @plain {
}

// CHECK-LABEL: attn.pattern @given
// CHECK: attn.score_grad
// CHECK-NOT: attn.score_grad
attn.pattern @given {
  attn.score {
  ^bb0(%s: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    attn.yield %s : f32
  }
  attn.score_grad {
  ^bb0(%s: f32, %ds: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    attn.yield %ds : f32
  }
}

// -----

// A score that does not depend on s passes nothing to it.

// CHECK-LABEL: attn.pattern @constant
attn.pattern @constant {
  attn.score {
  ^bb0(%s: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %d = arith.sitofp %k : i64 to f32
    attn.yield %d : f32
  }
}
// CHECK: attn.score_grad
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: attn.yield %[[ZERO]]

// -----

// A tie of a maximum belongs to the first operand.

// CHECK-LABEL: attn.pattern @maximum
attn.pattern @maximum {
  attn.score {
  ^bb0(%s: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %zero = arith.constant 0.0 : f32
    %y = arith.maximumf %s, %zero : f32
    attn.yield %y : f32
  }
}
// CHECK: attn.score_grad
// CHECK: ^bb0(%[[S:[^:]*]]: f32, %[[DS:[^:]*]]: f32,
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[SECOND:.*]] = arith.cmpf ogt, %[[ZERO]], %[[S]]
// CHECK: %[[D:.*]] = arith.select %[[SECOND]], %[[ZERO]], %[[DS]]
// CHECK: attn.yield %[[D]]
