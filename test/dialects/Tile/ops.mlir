// RUN: jacquard-opt %s | jacquard-opt | FileCheck %s

// Every op and type survives printing and parsing.

// CHECK-LABEL: tile.kernel @round_trip
tile.kernel @round_trip {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %f0 = arith.constant 0.0 : f32
  // CHECK: tile.scalar group : i64
  %group = tile.scalar group : i64
  // CHECK: tile.scalar scale : f32
  %scale = tile.scalar scale : f32
  // CHECK: tile.param 2 : i64
  %p = tile.param 2 : i64
  // CHECK: tile.length q_len[%{{.*}}]
  %n = tile.length q_len[%b]
  // CHECK: tile.view q[%{{.*}}, %{{.*}}] at %{{.*}} : <40xbf16>
  %q = tile.view q[%b, %h] at %zero : !tile.view<40xbf16>
  %k = tile.view k[%b, %h] at %zero : !tile.view<40xbf16>
  // CHECK: tile.view lse[%{{.*}}, %{{.*}}] at %{{.*}} : <f32>
  %lse = tile.view lse[%b, %h] at %zero : !tile.view<f32>
  // CHECK: tile.plan_range keys[%{{.*}}, %{{.*}}, %{{.*}}]
  %first, %last = tile.plan_range keys[%b, %h, %block]
  // CHECK: tile.plan_run queries[%{{.*}}]
  %begin, %end, %full = tile.plan_run queries[%first]
  // CHECK: tile.load %{{.*}}[%{{.*}}] valid(%{{.*}}) fill(%{{.*}}) transposed
  %a = tile.load %q[%zero] valid(%n) fill(%f0) transposed : !tile.view<40xbf16> -> !tile.frag<40x64xf32>
  // CHECK: tile.fill %{{.*}} : <32x64xf32, accumulator>
  %acc = tile.fill %f0 : !tile.frag<32x64xf32, accumulator>
  %s0 = tile.fill %f0 : !tile.frag<32x64xf32>
  %m0 = tile.fill %f0 : !tile.frag<64xf32>
  // CHECK: tile.ring : <2 x 32x40xf32>
  %ring = tile.ring : !tile.ring<2 x 32x40xf32>
  // CHECK: tile.acquire
  %stage = tile.acquire %ring[%zero] : !tile.ring<2 x 32x40xf32> -> !tile.stage<32x40xf32>
  // CHECK: tile.copy
  tile.copy %k[%zero] valid(%n) to %stage : !tile.view<40xbf16> -> !tile.stage<32x40xf32>
  // CHECK: tile.commit
  tile.commit %stage : !tile.stage<32x40xf32>
  // CHECK: tile.wait
  %tile = tile.wait %ring[%zero] : !tile.ring<2 x 32x40xf32> -> !tile.stage<32x40xf32>
  // CHECK: tile.mma %{{.*}}, %{{.*}} into %{{.*}} guarded
  %s = tile.mma %tile, %a into %s0 guarded : !tile.stage<32x40xf32>, !tile.frag<40x64xf32> -> !tile.frag<32x64xf32>
  // CHECK: tile.release
  tile.release %tile : !tile.stage<32x40xf32>
  // CHECK: tile.map(%{{.*}}, %{{.*}}) rows(%{{.*}}) cols(%{{.*}})
  %t = tile.map (%s, %m0) rows(%zero) cols(%one) {
  ^bb0(%x: f32, %y: f32, %row: i64, %col: i64):
    // CHECK: tile.element 1 as bf16[%{{.*}}, %{{.*}}] : f32
    %e = tile.element 1 as bf16 [%row, %col] : f32
    // CHECK: tile.selected 0 row_intervals
    %in = tile.selected 0 row_intervals[%b, %h, %h, %col, %row]
    // CHECK: tile.peek
    %l = tile.peek %lse[%row] valid(%n) fill(%y) : !tile.view<f32>
    // CHECK: tile.accumulate 1[%{{.*}}, %{{.*}}], %{{.*}} lane(%{{.*}})
    tile.accumulate 1[%row, %col], %x lane(%lane)
    %z = arith.select %in, %e, %l : f32
    // CHECK: tile.yield %{{.*}} : f32
    tile.yield %z : f32
  } : (!tile.frag<32x64xf32>, !tile.frag<64xf32>) -> !tile.frag<32x64xf32>
  // CHECK: tile.reduce max %{{.*}} init(%{{.*}})
  %m = tile.reduce max %t init(%m0) : !tile.frag<32x64xf32> -> !tile.frag<64xf32>
  // CHECK: tile.store %{{.*}} to %{{.*}}[%{{.*}}] valid(%{{.*}})
  tile.store %m to %lse[%zero] valid(%n) : !tile.frag<64xf32>, !tile.view<f32>
  // CHECK: tile.store_partial %{{.*}} at[%{{.*}}, %{{.*}}, %{{.*}}]
  tile.store_partial %m at [%b, %h, %block] : !tile.frag<64xf32>
  tile.return
}
