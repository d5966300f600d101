// RUN: jacquard-opt %s -split-input-file -verify-diagnostics

// One case for each numbered constraint of the ops.

// attn.pattern C1: one keep.
// expected-error@+1 {{has more than one keep region}}
attn.pattern @p {
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %t = arith.constant true
    attn.yield %t : i1
  }
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %t = arith.constant true
    attn.yield %t : i1
  }
}

// -----

// attn.pattern C2: the sink is declared.
// expected-error@+1 {{sink names no tensor of the pattern: @t}}
attn.pattern @p sink(@t) {
}

// -----

// attn.pattern C2: the sink is f32.
// expected-error@+1 {{sink @t must be f32 over the heads}}
attn.pattern @p sink(@t) {
  attn.tensor @t : i64 axes ["heads"]
}

// -----

// attn.pattern C2: the sink has one element a head.
// expected-error@+1 {{sink @t must be f32 over the heads}}
attn.pattern @p sink(@t) {
  attn.tensor @t : f32 axes ["batch", "heads"]
}

// -----

// attn.param C1
attn.pattern @p {
  // expected-error@+1 {{type must be i64, f32 or i1, got 'i32'}}
  attn.param @w : i32
}

// -----

// attn.tensor C1
attn.pattern @p {
  // expected-error@+1 {{element must be i64 or f32, got 'bf16'}}
  attn.tensor @t : bf16 axes ["heads"]
}

// -----

// attn.tensor C2: at most four axes.
attn.pattern @p {
  // expected-error@+1 {{has 5 axes; at most 4 are allowed}}
  attn.tensor @t : f32 axes ["batch", "heads", "q_len", "k_len", "2"]
}

// -----

// attn.tensor C2: known axes.
attn.pattern @p {
  // expected-error@+1 {{axis must be batch, heads, kv_heads, q_len, k_len or a positive number, got "rows"}}
  attn.tensor @t : f32 axes ["rows"]
}

// -----

// attn.tensor C2: positive numbers.
attn.pattern @p {
  // expected-error@+1 {{axis must be batch, heads, kv_heads, q_len, k_len or a positive number, got "0"}}
  attn.tensor @t : f32 axes ["0"]
}

// -----

// attn.tensor C3: grad
attn.pattern @p {
  // expected-error@+1 {{grad needs f32, got 'i64'}}
  attn.tensor @t : i64 axes ["heads"] grad
}

// -----

// attn.tensor C3: sorted floats
attn.pattern @p {
  // expected-error@+1 {{sorted needs i64 and an axis}}
  attn.tensor @t : f32 axes ["k_len"] sorted
}

// -----

// attn.tensor C3: sorted scalars
attn.pattern @p {
  // expected-error@+1 {{sorted needs i64 and an axis}}
  attn.tensor @t : i64 axes [] sorted
}

// -----

// attn.selection C1: a missing block size
attn.pattern @p {
  // expected-error@+1 {{blocks needs k_block}}
  attn.selection @s kind(blocks) q_block(128)
}

// -----

// attn.selection C1: a block size too many
attn.pattern @p {
  // expected-error@+1 {{row_intervals takes no k_block}}
  attn.selection @s kind(row_intervals) k_block(128)
}

// -----

// attn.selection C2: sizes are positive.
attn.pattern @p {
  // expected-error@+1 {{k_block must be positive, got 0}}
  attn.selection @s kind(token_blocks) k_block(0)
}

// -----

// attn.selection C2: a parameter that is not declared
attn.pattern @p {
  // expected-error@+1 {{k_block must be a number or an i64 parameter, got @w}}
  attn.selection @s kind(token_blocks) k_block(@w)
}

// -----

// attn.selection C2: a parameter that is not i64
attn.pattern @p {
  attn.param @w : f32
  // expected-error@+1 {{k_block must be a number or an i64 parameter, got @w}}
  attn.selection @s kind(token_blocks) k_block(@w)
}

// -----

// attn.keep C1: arguments
attn.pattern @p {
  // expected-error@+1 {{arguments must be six i64 (b, h, g, q, k, row)}}
  attn.keep {
  ^bb0(%q: i64, %k: i64):
    %t = arith.cmpi sle, %k, %q : i64
    attn.yield %t : i1
  }
}

// -----

// attn.keep C1: result
attn.pattern @p {
  // expected-error@+1 {{must yield i1}}
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %t = arith.constant 1.0 : f32
    attn.yield %t : f32
  }
}

// -----

// attn.score C1: arguments
attn.pattern @p {
  // expected-error@+1 {{arguments must be f32 (s), then six i64 (b, h, g, q, k, row)}}
  attn.score {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %t = arith.constant 1.0 : f32
    attn.yield %t : f32
  }
}

// -----

// attn.score C1: result
attn.pattern @p {
  // expected-error@+1 {{must yield f32}}
  attn.score {
  ^bb0(%s: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %t = arith.constant true
    attn.yield %t : i1
  }
}

// -----

// attn.score_grad C1
attn.pattern @p {
  // expected-error@+1 {{arguments must be two f32 (s, ds), then six i64 (b, h, g, q, k, row)}}
  attn.score_grad {
  ^bb0(%s: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    attn.yield %s : f32
  }
}

// -----

// attn.tiles C1
attn.pattern @p {
}
// expected-error@+1 {{names no pattern: @other}}
attn.tiles @t of(@other) walk(keys) source(list) {
^bb0(%b: i64, %h: i64, %g: i64, %first: i64, %last: i64):
  attn.intervals kept() gaps()
}

// -----

// attn.tiles C2
attn.pattern @p {
}
// expected-error@+1 {{arguments must be five i64 (b, h, g, first, last)}}
attn.tiles @t of(@p) walk(keys) source(list) {
^bb0(%b: i64):
  attn.intervals kept() gaps()
}

// -----

// attn.tiles C3
attn.pattern @p {
}
// expected-error@+1 {{yields intervals, but its source is bounds}}
attn.tiles @t of(@p) walk(keys) source(bounds) {
^bb0(%b: i64, %h: i64, %g: i64, %first: i64, %last: i64):
  attn.intervals kept(%first, %last) gaps()
}

// -----

// attn.intervals C1
attn.pattern @p {
}
attn.tiles @t of(@p) walk(keys) source(interval) {
^bb0(%b: i64, %h: i64, %g: i64, %first: i64, %last: i64):
  // expected-error@+1 {{needs pairs of ends, got 1 kept and 2 gap ends}}
  attn.intervals kept(%first) gaps(%first, %last)
}

// -----

// attn.get C1: declared
attn.pattern @p {
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{names no parameter of @p: @w}}
    %w = attn.get @w : i64
    %t = arith.constant true
    attn.yield %t : i1
  }
}

// -----

// attn.get C1: a tensor is not a parameter
attn.pattern @p {
  attn.tensor @w : i64 axes ["heads"]
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{names no parameter of @p: @w}}
    %w = attn.get @w : i64
    %t = arith.constant true
    attn.yield %t : i1
  }
}

// -----

// attn.get C1: type
attn.pattern @p {
  attn.param @w : i64
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{@w is 'i64', not 'f32'}}
    %w = attn.get @w : f32
    %t = arith.constant true
    attn.yield %t : i1
  }
}

// -----

// attn.get C1: a pattern around it
func.func @f() {
  // expected-error@+1 {{must stand in a pattern}}
  %w = attn.get @w : i64
  return
}

// -----

// attn.load C1: declared
attn.pattern @p {
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{names no tensor of @p: @t}}
    %w = attn.load @t[%b] : i64
    %t = arith.constant true
    attn.yield %t : i1
  }
}

// -----

// attn.load C1: type
attn.pattern @p {
  attn.tensor @t : f32 axes ["heads"]
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{@t holds 'f32', not 'i64'}}
    %w = attn.load @t[%h] : i64
    %t = arith.constant true
    attn.yield %t : i1
  }
}

// -----

// attn.load C1: an index an axis
attn.pattern @p {
  attn.tensor @t : f32 axes ["heads", "q_len"]
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{@t has 2 axes, got 1 indices}}
    %w = attn.load @t[%h] : f32
    %t = arith.constant true
    attn.yield %t : i1
  }
}

// -----

// attn.selected C1
attn.pattern @p {
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{names no selection of @p: @s}}
    %w = attn.selected @s(%b, %h, %g, %row, %k)
    %t = arith.constant true
    attn.yield %t : i1
  }
}

// -----

// attn.accumulate C1: declared
attn.pattern @p {
  attn.score_grad {
  ^bb0(%s: f32, %ds: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{names no tensor of @p: @t}}
    attn.accumulate @t[%h], %ds
    attn.yield %ds : f32
  }
}

// -----

// attn.accumulate C1: grad
attn.pattern @p {
  attn.tensor @t : f32 axes ["heads"]
  attn.score_grad {
  ^bb0(%s: f32, %ds: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{@t is not marked grad}}
    attn.accumulate @t[%h], %ds
    attn.yield %ds : f32
  }
}

// -----

// attn.accumulate C1: an index an axis
attn.pattern @p {
  attn.tensor @t : f32 axes ["heads"] grad
  attn.score_grad {
  ^bb0(%s: f32, %ds: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{@t has 1 axes, got 2 indices}}
    attn.accumulate @t[%h, %k], %ds
    attn.yield %ds : f32
  }
}

// -----

// attn.accumulate: only in an adjoint
attn.pattern @p {
  attn.tensor @t : f32 axes ["heads"] grad
  attn.score {
  ^bb0(%s: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{expects parent op 'attn.score_grad'}}
    attn.accumulate @t[%h], %s
    attn.yield %s : f32
  }
}

// -----

// attn.forward C1
attn.pattern @p {
}
func.func @f(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x64xf32>, %s: f32) {
  // expected-error@+1 {{names no pattern: @other}}
  %o, %lse = attn.forward q(%q) k(%k) v(%v) scale(%s) pattern(@other)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, f32) -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  return
}

// -----

// attn.forward C2: q and k
attn.pattern @p {
}
func.func @f(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x32xf32>, %v: tensor<?x?x?x64xf32>, %s: f32) {
  // expected-error@+1 {{k has head dim 32, expected 64}}
  %o, %lse = attn.forward q(%q) k(%k) v(%v) scale(%s) pattern(@p)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x32xf32>, tensor<?x?x?x64xf32>, f32) -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  return
}

// -----

// attn.forward C2: v and out
attn.pattern @p {
}
func.func @f(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x64xf32>, %s: f32) {
  // expected-error@+1 {{out has head dim 32, expected 64}}
  %o, %lse = attn.forward q(%q) k(%k) v(%v) scale(%s) pattern(@p)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, f32) -> (tensor<?x?x?x32xf32>, tensor<?x?x?xf32>)
  return
}

// -----

// attn.forward C2: static
attn.pattern @p {
}
func.func @f(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x64xf32>, %s: f32) {
  // expected-error@+1 {{q has head dim ?; a number from 1 to 1024 is needed}}
  %o, %lse = attn.forward q(%q) k(%k) v(%v) scale(%s) pattern(@p)
      : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x64xf32>, f32) -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  return
}

// -----

// attn.forward C2: the limit
attn.pattern @p {
}
func.func @f(%q: tensor<?x?x?x1025xf32>, %k: tensor<?x?x?x1025xf32>, %v: tensor<?x?x?x64xf32>, %s: f32) {
  // expected-error@+1 {{q has head dim 1025; a number from 1 to 1024 is needed}}
  %o, %lse = attn.forward q(%q) k(%k) v(%v) scale(%s) pattern(@p)
      : (tensor<?x?x?x1025xf32>, tensor<?x?x?x1025xf32>, tensor<?x?x?x64xf32>, f32) -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  return
}

// -----

// attn.forward C3
attn.pattern @p {
}
func.func @f(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x64xf16>, %s: f32) {
  // expected-error@+1 {{v holds 'f16', expected 'f32'}}
  %o, %lse = attn.forward q(%q) k(%k) v(%v) scale(%s) pattern(@p)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf16>, f32) -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>)
  return
}

// -----

// attn.forward: element types
attn.pattern @p {
}
func.func @f(%q: tensor<?x?x?x64xf64>, %k: tensor<?x?x?x64xf64>, %v: tensor<?x?x?x64xf32>, %s: f32) {
  // expected-error@+1 {{operand #0 must be tensor of f32, f16 or bf16 with 4 axes}}
  %o, %lse = attn.forward q(%q) k(%k) v(%v) scale(%s) pattern(@p)
      : (tensor<?x?x?x64xf64>, tensor<?x?x?x64xf64>, tensor<?x?x?x64xf32>, f32) -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  return
}

// -----

// attn.forward: axes
attn.pattern @p {
}
func.func @f(%q: tensor<?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x64xf32>, %s: f32) {
  // expected-error@+1 {{operand #0 must be tensor of f32, f16 or bf16 with 4 axes}}
  %o, %lse = attn.forward q(%q) k(%k) v(%v) scale(%s) pattern(@p)
      : (tensor<?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, f32) -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  return
}

// -----

// attn.preprocess C1
attn.pattern @p {
}
func.func @f(%o: tensor<?x?x?x64xf32>, %do: tensor<?x?x?x64xf32>, %l: tensor<?x?x?xf32>, %dl: tensor<?x?x?xf32>) {
  // expected-error@+1 {{names no pattern: @other}}
  %delta = attn.preprocess out(%o) dout(%do) lse(%l) dlse(%dl) pattern(@other)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return
}

// -----

// attn.preprocess C2: a gradient without a sink
attn.pattern @p {
}
func.func @f(%o: tensor<?x?x?x64xf32>, %do: tensor<?x?x?x64xf32>, %l: tensor<?x?x?xf32>, %dl: tensor<?x?x?xf32>) {
  // expected-error@+1 {{has a sink gradient, but @p has no sink}}
  %delta, %ds = attn.preprocess out(%o) dout(%do) lse(%l) dlse(%dl) pattern(@p)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?xf32>)
  return
}

// -----

// attn.preprocess C2: a sink without a gradient
attn.pattern @p sink(@t) {
  attn.tensor @t : f32 axes ["heads"]
}
func.func @f(%o: tensor<?x?x?x64xf32>, %do: tensor<?x?x?x64xf32>, %l: tensor<?x?x?xf32>, %dl: tensor<?x?x?xf32>) {
  // expected-error@+1 {{has no sink gradient, but @p has a sink}}
  %delta = attn.preprocess out(%o) dout(%do) lse(%l) dlse(%dl) pattern(@p)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return
}

// -----

// attn.preprocess C2: axes
attn.pattern @p sink(@t) {
  attn.tensor @t : f32 axes ["heads"]
}
func.func @f(%o: tensor<?x?x?x64xf32>, %do: tensor<?x?x?x64xf32>, %l: tensor<?x?x?xf32>, %dl: tensor<?x?x?xf32>) {
  // expected-error@+1 {{the sink's gradient must have one axis}}
  %delta, %ds = attn.preprocess out(%o) dout(%do) lse(%l) dlse(%dl) pattern(@p)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?xf32>)
  return
}

// -----

// attn.preprocess C3
attn.pattern @p {
}
func.func @f(%o: tensor<?x?x?x64xf32>, %do: tensor<?x?x?x32xf32>, %l: tensor<?x?x?xf32>, %dl: tensor<?x?x?xf32>) {
  // expected-error@+1 {{dout has head dim 32, expected 64}}
  %delta = attn.preprocess out(%o) dout(%do) lse(%l) dlse(%dl) pattern(@p)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x32xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return
}

// -----

// attn.backward C1
attn.pattern @p {
}
func.func @f(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x64xf32>, %l: tensor<?x?x?xf32>, %do: tensor<?x?x?x64xf32>, %de: tensor<?x?x?xf32>, %s: f32) {
  // expected-error@+1 {{names no pattern: @other}}
  %d:3 = attn.backward q(%q) k(%k) v(%v) lse(%l) dout(%do) delta(%de) scale(%s) pattern(@other)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, f32) -> (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>)
  return
}

// -----

// attn.backward C2
attn.pattern @p {
}
func.func @f(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x64xf32>, %l: tensor<?x?x?xf32>, %do: tensor<?x?x?x64xf32>, %de: tensor<?x?x?xf32>, %s: f32) {
  // expected-error@+1 {{dq has head dim 32, expected 64}}
  %d:3 = attn.backward q(%q) k(%k) v(%v) lse(%l) dout(%do) delta(%de) scale(%s) pattern(@p)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, f32) -> (tensor<?x?x?x32xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>)
  return
}

// -----

// attn.backward C3
attn.pattern @p {
}
func.func @f(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x64xf32>, %l: tensor<?x?x?xf32>, %do: tensor<?x?x?x64xf32>, %de: tensor<?x?x?xf32>, %s: f32) {
  // expected-error@+1 {{dv holds 'bf16', expected 'f32'}}
  %d:3 = attn.backward q(%q) k(%k) v(%v) lse(%l) dout(%do) delta(%de) scale(%s) pattern(@p)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, f32) -> (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xbf16>)
  return
}

// -----

// attn.backward C4: one a tensor, without the sink
attn.pattern @p sink(@t) {
  attn.tensor @t : f32 axes ["heads"] grad
  attn.tensor @bias : f32 axes ["heads", "q_len"] grad
}
func.func @f(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x64xf32>, %l: tensor<?x?x?xf32>, %do: tensor<?x?x?x64xf32>, %de: tensor<?x?x?xf32>, %s: f32) {
  // expected-error@+1 {{has 0 tensor gradients, but @p marks 1}}
  %d:3 = attn.backward q(%q) k(%k) v(%v) lse(%l) dout(%do) delta(%de) scale(%s) pattern(@p)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, f32) -> (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>)
  return
}

// -----

// attn.backward C4: axes
attn.pattern @p sink(@t) {
  attn.tensor @t : f32 axes ["heads"] grad
  attn.tensor @bias : f32 axes ["heads", "q_len"] grad
}
func.func @f(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x64xf32>, %l: tensor<?x?x?xf32>, %do: tensor<?x?x?x64xf32>, %de: tensor<?x?x?xf32>, %s: f32) {
  // expected-error@+1 {{the gradient of @bias has 1 axes, expected 2}}
  %d:4 = attn.backward q(%q) k(%k) v(%v) lse(%l) dout(%do) delta(%de) scale(%s) pattern(@p)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, f32) -> (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?xf32>)
  return
}

// -----

// attn.classify C1
attn.pattern @p {
}
func.func @f() {
  // expected-error@+1 {{names no pattern: @other}}
  %c = attn.classify pattern(@other) rows(64) keys(64) : tensor<?x?x?x?xi8>
  return
}

// -----

// attn.classify C2
attn.pattern @p {
}
func.func @f() {
  // expected-error@+1 {{rows and keys must be positive}}
  %c = attn.classify pattern(@p) rows(0) keys(64) : tensor<?x?x?x?xi8>
  return
}

// -----

// attn.combine C1: as many
func.func @f(%o: tensor<?x?x?x64xf32>, %l: tensor<?x?x?xf32>) {
  // expected-error@+1 {{needs as many lses as outs, at least one; got 1 outs and 2 lses}}
  %r:2 = attn.combine outs(%o) lses(%l, %l) : (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  return
}

// -----

// attn.combine C1: at least one
func.func @f() {
  // expected-error@+1 {{needs as many lses as outs, at least one; got 0 outs and 0 lses}}
  %r:2 = attn.combine outs() lses() : () -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  return
}

// -----

// attn.combine C2: outs
func.func @f(%o: tensor<?x?x?x64xf32>, %l: tensor<?x?x?xf32>) {
  // expected-error@+1 {{outs must be of one type, that of the result}}
  %r:2 = attn.combine outs(%o) lses(%l) : (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>) -> (tensor<?x?x?x32xf32>, tensor<?x?x?xf32>)
  return
}

// -----

// attn.combine C2: lses
func.func @f(%o: tensor<?x?x?x64xf32>, %l: tensor<?x?x?xf32>) {
  // expected-error@+1 {{lses must be of one type, that of the result}}
  %r:2 = attn.combine outs(%o) lses(%l) : (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>) -> (tensor<?x?x?x64xf32>, tensor<?x?x8xf32>)
  return
}

// -----

// #attn.schedule
attn.pattern @p {
}
func.func @f(%q: tensor<?x?x?x64xf32>, %s: f32) {
  %o, %lse = attn.forward q(%q) k(%q) v(%q) scale(%s) pattern(@p)
    // expected-error@+1 {{tiles must be positive, got 0 rows and 64 keys}}
    schedule(<rows = 0, keys = 64>)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, f32) -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  return
}
