// RUN: jacquard-opt %s -split-input-file -verify-diagnostics

// tile.kernel C1
// expected-error@+1 {{body must have four i64 arguments (b, h, block, lane)}}
tile.kernel @arguments {
^bb0(%b: i64, %h: i64):
  tile.return
}

// -----

// tile.scalar C1
tile.kernel @scale {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  // expected-error@+1 {{scale must be f32, got 'i64'}}
  %s = tile.scalar scale : i64
  tile.return
}

// -----

// tile.load C1
tile.kernel @load {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %f = arith.constant 0.0 : f32
  %q = tile.view q[%b, %h] at %b : !tile.view<40xbf16>
  // expected-error@+1 {{fragment holds 32 of the view's 40 columns}}
  %x = tile.load %q[%b] valid(%b) fill(%f) : !tile.view<40xbf16> -> !tile.frag<64x32xf32>
  tile.return
}

// -----

tile.kernel @load_vector {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %f = arith.constant 0.0 : f32
  %lse = tile.view lse[%b, %h] at %b : !tile.view<f32>
  // expected-error@+1 {{a view of scalars needs a vector fragment, got '!tile.frag<8x64xf32>'}}
  %x = tile.load %lse[%b] valid(%b) fill(%f) : !tile.view<f32> -> !tile.frag<8x64xf32>
  tile.return
}

// -----

// tile.store C1
tile.kernel @store {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %f = arith.constant 0.0 : f32
  %q = tile.view q[%b, %h] at %b : !tile.view<40xbf16>
  %x = tile.fill %f : !tile.frag<64xf32>
  // expected-error@+1 {{a view of rows needs a tile fragment, got '!tile.frag<64xf32>'}}
  tile.store %x to %q[%b] valid(%b) : !tile.frag<64xf32>, !tile.view<40xbf16>
  tile.return
}

// -----

// tile.mma C1
tile.kernel @mma_shapes {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %f = arith.constant 0.0 : f32
  %x = tile.fill %f : !tile.frag<32x64xf32>
  %y = tile.fill %f : !tile.frag<32x64xf32>
  // expected-error@+1 {{shapes do not agree: a is 32x64, b is 32x64, acc is 32x64}}
  %z = tile.mma %x, %y into %y : !tile.frag<32x64xf32>, !tile.frag<32x64xf32> -> !tile.frag<32x64xf32>
  tile.return
}

// -----

// tile.mma C2
tile.kernel @mma_element {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %f = arith.constant 0.0 : f32
  %x = tile.fill %f : !tile.frag<32x32xf32>
  %y = tile.fill %f : !tile.frag<32x32xbf16>
  // expected-error@+1 {{acc must be f32, got 'bf16'}}
  %z = tile.mma %x, %x into %y : !tile.frag<32x32xf32>, !tile.frag<32x32xf32> -> !tile.frag<32x32xbf16>
  tile.return
}

// -----

// tile.map C1
tile.kernel @map_arguments {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %f = arith.constant 0.0 : f32
  %x = tile.fill %f : !tile.frag<32x64xf32>
  // expected-error@+1 {{region must have one f32 argument an input and two i64}}
  %y = tile.map (%x) rows(%b) cols(%b) {
  ^bb0(%e: f32):
    tile.yield %e : f32
  } : (!tile.frag<32x64xf32>) -> !tile.frag<32x64xf32>
  tile.return
}

// -----

// tile.map C2
tile.kernel @map_columns {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %f = arith.constant 0.0 : f32
  %x = tile.fill %f : !tile.frag<32x64xf32>
  %v = tile.fill %f : !tile.frag<32xf32>
  // expected-error@+1 {{columns differ: 64 and 32}}
  %y = tile.map (%x, %v) rows(%b) cols(%b) {
  ^bb0(%e: f32, %g: f32, %row: i64, %col: i64):
    tile.yield %e : f32
  } : (!tile.frag<32x64xf32>, !tile.frag<32xf32>) -> !tile.frag<32x64xf32>
  tile.return
}

// -----

// tile.map C3
tile.kernel @map_results {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %f = arith.constant 0.0 : f32
  %x = tile.fill %f : !tile.frag<32x64xf32>
  // expected-error@+1 {{yields 2 values for 1 results}}
  %y = tile.map (%x) rows(%b) cols(%b) {
  ^bb0(%e: f32, %row: i64, %col: i64):
    tile.yield %e, %e : f32, f32
  } : (!tile.frag<32x64xf32>) -> !tile.frag<32x64xf32>
  tile.return
}

// -----

// tile.reduce C1
tile.kernel @reduce {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %f = arith.constant 0.0 : f32
  %x = tile.fill %f : !tile.frag<32x64xf32>
  %v = tile.fill %f : !tile.frag<32xf32>
  // expected-error@+1 {{needs a tile and a vector of its columns}}
  %y = tile.reduce add %x init(%v) : !tile.frag<32x64xf32> -> !tile.frag<32xf32>
  tile.return
}

// -----

// tile.store_partial C1
tile.kernel @store_partial {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %f = arith.constant 0.0 : f32
  %x = tile.fill %f : !tile.frag<32x64xf32>
  // expected-error@+1 {{needs a vector, got '!tile.frag<32x64xf32>'}}
  tile.store_partial %x at [%b, %h, %block] : !tile.frag<32x64xf32>
  tile.return
}

// -----

// tile.acquire C1
tile.kernel @acquire {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %ring = tile.ring : !tile.ring<2 x 32x40xf32>
  // expected-error@+1 {{stage '!tile.stage<32x48xf32>' is not one of '!tile.ring<2 x 32x40xf32>'}}
  %stage = tile.acquire %ring[%b] : !tile.ring<2 x 32x40xf32> -> !tile.stage<32x48xf32>
  tile.return
}

// -----

// tile.copy C1
tile.kernel @copy {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %q = tile.view q[%b, %h] at %b : !tile.view<64xbf16>
  %ring = tile.ring : !tile.ring<1 x 32x40xf32>
  %stage = tile.acquire %ring[%b] : !tile.ring<1 x 32x40xf32> -> !tile.stage<32x40xf32>
  // expected-error@+1 {{view '!tile.view<64xbf16>' does not fit into '!tile.stage<32x40xf32>'}}
  tile.copy %q[%b] valid(%b) to %stage : !tile.view<64xbf16> -> !tile.stage<32x40xf32>
  tile.return
}

// -----

// tile.peek C1
tile.kernel @peek {
^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
  %f = arith.constant 0.0 : f32
  %q = tile.view q[%b, %h] at %b : !tile.view<64xbf16>
  // expected-error@+1 {{needs a view of scalars, got '!tile.view<64xbf16>'}}
  %x = tile.peek %q[%b] valid(%b) fill(%f) : !tile.view<64xbf16>
  tile.return
}

// -----

// A fragment has one or two axes.
// expected-error@+1 {{a fragment has one or two axes, got 3}}
func.func private @axes(!tile.frag<2x2x2xf32>)

// -----

// expected-error@+1 {{element type must be f32, f16 or bf16, got 'i32'}}
func.func private @element(!tile.frag<2x2xi32>)

// -----

// expected-error@+1 {{unknown layout 'diagonal'}}
func.func private @layout(!tile.frag<2x2xf32, diagonal>)
