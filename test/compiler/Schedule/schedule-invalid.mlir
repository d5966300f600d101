// RUN: jacquard-opt %s -verify-diagnostics --attn-schedule=lanes=48

attn.pattern @full {
}

func.func @forward(%q: tensor<?x?x?x64xf32>, %s: f32) {
  // expected-error@+1 {{schedule: forward rows is 64; this target takes multiples of 48 up to 1024}}
  %o, %lse = attn.forward q(%q) k(%q) v(%q) scale(%s) pattern(@full)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, f32)
      -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  return
}
