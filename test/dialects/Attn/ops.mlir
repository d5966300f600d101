// RUN: jacquard-opt %s | jacquard-opt | FileCheck %s
// RUN: jacquard-opt %s -mlir-print-op-generic | jacquard-opt | FileCheck %s

// Every op, attribute and enum case survives printing and parsing, in both forms.

// CHECK-LABEL: attn.pattern @everything sink(@sink) align(bottom_right)
// CHECK-SAME: description = "one of each"
attn.pattern @everything sink(@sink) align(bottom_right)
    attributes {description = "one of each"} {
  // CHECK: attn.param @window : i64 {max = 8.000000e+00 : f64, min = 1.000000e+00 : f64}
  attn.param @window : i64 {min = 1.0 : f64, max = 8.0 : f64}
  // CHECK: attn.param @slope : f32
  attn.param @slope : f32
  // CHECK: attn.param @strict : i1
  attn.param @strict : i1
  // CHECK: attn.tensor @doc : i64 axes ["batch", "k_len"] sorted
  attn.tensor @doc : i64 axes ["batch", "k_len"] sorted
  // CHECK: attn.tensor @bias : f32 axes ["heads", "q_len", "kv_heads", "16"] grad
  attn.tensor @bias : f32 axes ["heads", "q_len", "kv_heads", "16"] grad
  // CHECK: attn.tensor @scalar : f32 axes []
  attn.tensor @scalar : f32 axes []
  attn.tensor @sink : f32 axes ["heads"]
  // CHECK: attn.selection @picked kind(blocks) q_block(128 : i64) k_block(@window)
  attn.selection @picked kind(blocks) q_block(128) k_block(@window)
  // CHECK: attn.selection @tokens kind(token_blocks) k_block(64 : i64)
  attn.selection @tokens kind(token_blocks) k_block(64)
  // CHECK: attn.selection @rows kind(row_intervals)
  attn.selection @rows kind(row_intervals)
  // CHECK: attn.selection @columns kind(column_intervals)
  attn.selection @columns kind(column_intervals)

  // CHECK: attn.keep {
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // CHECK: %[[W:.*]] = attn.get @window : i64
    %w = attn.get @window : i64
    // CHECK: attn.size q_len
    %ql = attn.size q_len
    // CHECK: attn.size k_len
    %kl = attn.size k_len
    // CHECK: attn.size heads
    %hs = attn.size heads
    // CHECK: attn.size kv_heads
    %ks = attn.size kv_heads
    // CHECK: attn.load @doc[%{{.*}}, %{{.*}}] : i64
    %d = attn.load @doc[%b, %k] : i64
    // CHECK: attn.floordiv %{{.*}}, %[[W]]
    %fd = attn.floordiv %d, %w
    // CHECK: attn.mod %{{.*}}, %[[W]]
    %m = attn.mod %fd, %w
    // CHECK: attn.bit %{{.*}}, %{{.*}}
    %bit = attn.bit %m, %k
    // CHECK: attn.selected @picked(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
    %sel = attn.selected @picked(%b, %h, %g, %row, %k)
    %both = arith.andi %bit, %sel : i1
    // CHECK: attn.yield %{{.*}} : i1
    attn.yield %both : i1
  }
  // CHECK: attn.score {
  attn.score {
  ^bb0(%s: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %bias = attn.load @bias[%h, %row, %g, %k] : f32
    // CHECK: attn.load @scalar[] : f32
    %scalar = attn.load @scalar[] : f32
    %t = arith.mulf %bias, %scalar : f32
    %y = arith.addf %s, %t : f32
    // CHECK: attn.yield %{{.*}} : f32
    attn.yield %y : f32
  }
  // CHECK: attn.score_grad {
  attn.score_grad {
  ^bb0(%s: f32, %ds: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // CHECK: attn.accumulate @bias[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], %{{.*}}
    attn.accumulate @bias[%h, %row, %g, %k], %ds
    attn.yield %ds : f32
  }
}

// CHECK: attn.tiles @everything_keys of(@everything) walk(keys) source(interval) {
attn.tiles @everything_keys of(@everything) walk(keys) source(interval) {
^bb0(%b: i64, %h: i64, %g: i64, %first: i64, %last: i64):
  %w = attn.get @window : i64
  %lo = arith.subi %first, %w : i64
  // CHECK: attn.intervals kept(%{{.*}}, %{{.*}}) gaps(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
  attn.intervals kept(%lo, %last) gaps(%first, %lo, %last, %w)
}

// CHECK: attn.tiles @everything_queries of(@everything) walk(queries) source(list) {
attn.tiles @everything_queries of(@everything) walk(queries) source(list) {
^bb0(%b: i64, %h: i64, %g: i64, %first: i64, %last: i64):
  // CHECK: attn.intervals kept() gaps()
  attn.intervals kept() gaps()
}

// CHECK-LABEL: func.func @problems
func.func @problems(%q: tensor<?x?x?x64xbf16>, %k: tensor<?x?x?x64xbf16>,
                    %v: tensor<?x?x?x32xbf16>, %do: tensor<?x?x?x32xbf16>,
                    %dlse: tensor<?x?x?xf32>, %scale: f32) {
  // CHECK: attn.forward q(%{{.*}}) k(%{{.*}}) v(%{{.*}}) scale(%{{.*}}) pattern(@everything) schedule(<rows = 64, keys = 128>)
  %o, %lse = attn.forward q(%q) k(%k) v(%v) scale(%scale) pattern(@everything)
      schedule(<rows = 64, keys = 128>)
      : (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x32xbf16>, f32)
        -> (tensor<?x?x?x32xbf16>, tensor<?x?x?xf32>)
  // CHECK: attn.preprocess out(%{{.*}}) dout(%{{.*}}) lse(%{{.*}}) dlse(%{{.*}}) pattern(@everything) :
  %delta, %dsink = attn.preprocess out(%o) dout(%do) lse(%lse) dlse(%dlse)
      pattern(@everything)
      : (tensor<?x?x?x32xbf16>, tensor<?x?x?x32xbf16>, tensor<?x?x?xf32>,
         tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?xf32>)
  // CHECK: attn.backward q(%{{.*}}) k(%{{.*}}) v(%{{.*}}) lse(%{{.*}}) dout(%{{.*}}) delta(%{{.*}}) scale(%{{.*}}) pattern(@everything) :
  %dq, %dk, %dv, %dbias = attn.backward q(%q) k(%k) v(%v) lse(%lse) dout(%do)
      delta(%delta) scale(%scale) pattern(@everything)
      : (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x32xbf16>,
         tensor<?x?x?xf32>, tensor<?x?x?x32xbf16>, tensor<?x?x?xf32>, f32)
        -> (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x32xbf16>,
            tensor<?x?x?x?xf32>)
  // CHECK: attn.classify pattern(@everything) rows(64) keys(128) : tensor<?x?x?x?xi8>
  %classes = attn.classify pattern(@everything) rows(64) keys(128) : tensor<?x?x?x?xi8>
  // CHECK: attn.combine outs(%{{.*}}, %{{.*}}) lses(%{{.*}}, %{{.*}}) :
  %joined:2 = attn.combine outs(%o, %o) lses(%lse, %lse)
      : (tensor<?x?x?x32xbf16>, tensor<?x?x?x32xbf16>, tensor<?x?x?xf32>,
         tensor<?x?x?xf32>) -> (tensor<?x?x?x32xbf16>, tensor<?x?x?xf32>)
  return
}
