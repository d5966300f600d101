// RUN: jacquard-opt %s -canonicalize | FileCheck %s

// Scalar ops on constants fold to what the language defines.

attn.pattern @constants {
  attn.tensor @t : i64 axes ["32", "32", "32", "32"]
  // CHECK-LABEL: attn.keep
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %n7 = arith.constant -7 : i64
    %2 = arith.constant 2 : i64
    %n2 = arith.constant -2 : i64
    %7 = arith.constant 7 : i64
    %0 = arith.constant 0 : i64
    %1 = arith.constant 1 : i64
    %n1 = arith.constant -1 : i64
    %lowest = arith.constant -9223372036854775808 : i64

    // Quotients go to minus infinity, remainders take the divisor's sign.
    // CHECK-DAG: %[[N4:.*]] = arith.constant -4 : i64
    // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
    // CHECK-DAG: %[[N1:.*]] = arith.constant -1 : i64
    // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
    // CHECK-DAG: %[[MIN:.*]] = arith.constant -9223372036854775808 : i64
    // CHECK: attn.load @t[%[[N4]], %[[C1]], %[[N4]], %[[N1]]]
    %a = attn.floordiv %n7, %2
    %c = attn.mod %n7, %2
    %d = attn.floordiv %7, %n2
    %e = attn.mod %7, %n2
    %x = attn.load @t[%a, %c, %d, %e] : i64

    // A divisor of 0 gives 0, of 1 the value itself, of -1 no overflow.
    // CHECK: attn.load @t[%[[C0]], %[[C0]], %{{.*}}, %[[MIN]]]
    %f = attn.floordiv %q, %0
    %i = attn.mod %q, %0
    %j = attn.floordiv %q, %1
    %l = attn.floordiv %lowest, %n1
    %y = attn.load @t[%f, %i, %j, %l] : i64

    // Bits of the low 32; none outside.
    // CHECK-NOT: attn.bit
    %32 = arith.constant 32 : i64
    %bit0 = attn.bit %n1, %7
    %bit1 = attn.bit %q, %32
    %bit2 = attn.bit %q, %n1
    %none = arith.ori %bit1, %bit2 : i1
    %bits = arith.xori %bit0, %none : i1
    %same = arith.cmpi eq, %x, %y : i64
    // CHECK: %[[SAME:.*]] = arith.cmpi eq
    // CHECK: attn.yield %[[SAME]]
    %keep = arith.andi %same, %bits : i1
    attn.yield %keep : i1
  }
}
