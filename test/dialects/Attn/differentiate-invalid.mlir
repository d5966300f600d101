// RUN: jacquard-opt %s -attn-differentiate -verify-diagnostics

// A float op without a rule is an error at the op, not a wrong gradient.

attn.pattern @power {
  attn.score {
  ^bb0(%s: f32, %b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
    // expected-error@+1 {{has no derivative}}
    %y = math.powf %s, %s : f32
    attn.yield %y : f32
  }
}
