// RUN: jacquard-opt %s -attn-analyze-tiles -split-input-file -verify-diagnostics

// What the language can't say is refused by name.

attn.pattern @shifted {
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{has no expression in the pattern language}}
    %half = arith.shrsi %q, %k : i64
    %keep = arith.cmpi sle, %k, %half : i64
    attn.yield %keep : i1
  }
}

// -----

attn.pattern @elsewhere {
  attn.selection @rows kind(row_intervals)
  attn.keep {
  ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    %next = arith.addi %k, %k : i64
    // expected-error@+1 {{has no expression in the pattern language}}
    %keep = attn.selected @rows(%b, %h, %g, %row, %next)
    attn.yield %keep : i1
  }
}
