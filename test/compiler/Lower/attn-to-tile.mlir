// RUN: jacquard-opt %s --attn-analyze-tiles --attn-differentiate --attn-to-tile | FileCheck %s
// RUN: jacquard-opt %s --attn-analyze-tiles --attn-differentiate --attn-to-tile --tile-to-host=lanes=16 | FileCheck %s --check-prefix=HOST

attn.pattern @causal {
  attn.param @window : i64
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %0 = arith.cmpi sle, %k, %q : i64
    %w = attn.get @window : i64
    %d = arith.subi %q, %k : i64
    %1 = arith.cmpi slt, %d, %w : i64
    %2 = arith.andi %0, %1 : i1
    attn.yield %2 : i1
  }
}

// The forward kernel: two bodies a run of tiles, of which only the partial one masks.
// CHECK-LABEL: tile.kernel @forward
// CHECK: tile.view q[
// CHECK: tile.load {{.*}} transposed : <64xbf16> -> <64x32xf32>
// CHECK: tile.param 0 : i64
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.acquire
// CHECK: tile.copy
// CHECK: tile.mma
// CHECK-NOT: arith.cmpi sle
// CHECK: tile.reduce max
// CHECK: math.exp
// CHECK: tile.reduce add
// CHECK: tile.mma %{{.*}} transposed
// CHECK-NOT: guarded
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: arith.cmpi sle
// CHECK: tile.mma %{{.*}} transposed, %{{.*}} into %{{.*}} guarded
// CHECK: tile.store %{{.*}} transposed : <64x32xf32>, <64xbf16>
// CHECK: tile.store %{{.*}} : <32xf32>, <f32>
// CHECK: tile.return

// HOST: llvm.func @forward(%{{.*}}: !llvm.ptr {{.*}}i64
// HOST: vector<16xf32>
// HOST-NOT: tile.
// HOST-NOT: attn.
func.func @forward(%q: tensor<?x?x?x64xbf16>, %k: tensor<?x?x?x64xbf16>,
                   %v: tensor<?x?x?x64xbf16>, %s: f32)
    -> (tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>) {
  %o, %lse = attn.forward q(%q) k(%k) v(%v) scale(%s) pattern(@causal)
      schedule(<rows = 32, keys = 64>)
      : (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, f32)
      -> (tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>)
  return %o, %lse : tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>
}
