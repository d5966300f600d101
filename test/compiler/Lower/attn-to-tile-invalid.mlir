// RUN: jacquard-opt %s -split-input-file -verify-diagnostics --attn-to-tile

attn.pattern @full {
}

func.func @forward(%q: tensor<?x?x?x64xf32>, %s: f32) {
  // expected-error@+1 {{needs attn.tiles of @full for both walks}}
  %o, %lse = attn.forward q(%q) k(%q) v(%q) scale(%s) pattern(@full)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, f32)
      -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  return
}
