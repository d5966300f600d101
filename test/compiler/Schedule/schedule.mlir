// RUN: jacquard-opt %s --attn-schedule=lanes=16 | FileCheck %s

attn.pattern @full {
}

func.func @forward(%q: tensor<?x?x?x64xf32>, %s: f32) {
  // CHECK: attn.forward {{.*}} pattern(@full) schedule(<rows = 64, keys = 64>)
  %o, %lse = attn.forward q(%q) k(%q) v(%q) scale(%s) pattern(@full)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, f32)
      -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  // One that has a schedule keeps it.
  // CHECK: attn.forward {{.*}} schedule(<rows = 32, keys = 128>)
  %o1, %lse1 = attn.forward q(%q) k(%q) v(%q) scale(%s) pattern(@full)
      schedule(<rows = 32, keys = 128>)
      : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, f32)
      -> (tensor<?x?x?x64xf32>, tensor<?x?x?xf32>)
  return
}
