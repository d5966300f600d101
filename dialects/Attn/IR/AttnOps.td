//===- AttnOps.td - all ops of the attn dialect -------------*- tablegen -*-===//
//
// Problem ops are here: each is a whole problem over [batch, heads, length, dim].
//
//===----------------------------------------------------------------------===//

#ifndef JACQUARD_ATTN_OPS_TD
#define JACQUARD_ATTN_OPS_TD

include "dialects/Attn/IR/AttnScalarOps.td"

def Attn_Operand : RankedTensorOf<[F32, F16, BF16], [HasAnyRankOfPred<[4]>],
                                  "tensor of f32, f16 or bf16 with 4 axes">;
def Attn_Statistic : RankedTensorOf<[F32], [HasAnyRankOfPred<[3]>],
                                    "tensor of f32 with 3 axes">;
def Attn_Gradient : RankedTensorOf<[F32]>;

def Attn_ForwardOp : Attn_Op<"forward", [Pure]> {
  let summary = "attention: out and lse of every (b, h, row)";
  let description = [{
    s = scale * dot(q[b, h, row], k[b, g, k]) with g = h / (heads / kv_heads);
    s' = score(s); pairs that `keep` drops have weight 0. out is the softmax over k of
    s' (with the sink in the denominator) times v, lse the natural logarithm of the
    denominator. A row that keeps nothing has out 0 and lse -inf (with a sink t: t).

    C1. the pattern is declared.
    C2. q and k have one static head dim, v and out another, up to 1,024.
    C3. q, k, v and out have one element type.
  }];
  let arguments = (ins Attn_Operand:$q, Attn_Operand:$k, Attn_Operand:$v, F32:$scale,
                   FlatSymbolRefAttr:$pattern, OptionalAttr<Attn_ScheduleAttr>:$schedule);
  let results = (outs Attn_Operand:$out, Attn_Statistic:$lse);
  let assemblyFormat = [{
    `q` `(` $q `)` `k` `(` $k `)` `v` `(` $v `)` `scale` `(` $scale `)`
    `pattern` `(` $pattern `)` (`schedule` `(` $schedule^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Attn_PreprocessOp : Attn_Op<"preprocess", [Pure]> {
  let summary = "delta = sum over dims of dout * out, less dlse, of every row";
  let description = [{
    With a sink t, also its gradient per head: - sum over b and rows of
    exp(t - lse) * delta.

    C1. the pattern is declared.
    C2. a sink gradient, of one axis, if and only if it has a sink.
    C3. out and dout have one head dim, up to 1,024, and one element type.
  }];
  let arguments = (ins Attn_Operand:$out, Attn_Operand:$dout, Attn_Statistic:$lse,
                   Attn_Statistic:$dlse, FlatSymbolRefAttr:$pattern,
                   OptionalAttr<Attn_ScheduleAttr>:$schedule);
  let results = (outs Attn_Statistic:$delta, Optional<Attn_Gradient>:$dsink);
  let assemblyFormat = [{
    `out` `(` $out `)` `dout` `(` $dout `)` `lse` `(` $lse `)` `dlse` `(` $dlse `)`
    `pattern` `(` $pattern `)` (`schedule` `(` $schedule^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Attn_BackwardOp : Attn_Op<"backward", [Pure]> {
  let summary = "gradients of q, k, v and of the tensors marked grad";
  let description = [{
    With p = exp(s' - lse) and dp = dot(dout, v): d s' = p * (dp - delta), d s its
    adjoint through score, dq = scale * sum over k of d s * k, dk = scale * sum over
    rows of d s * q, dv = sum over rows of p * dout. Rows that keep nothing give 0.

    C1. the pattern is declared. C2, C3. as for attn.forward.
    C4. one gradient for each tensor of the pattern marked grad, in order and with
        as many axes, the sink excepted.
  }];
  let arguments = (ins Attn_Operand:$q, Attn_Operand:$k, Attn_Operand:$v,
                   Attn_Statistic:$lse, Attn_Operand:$dout, Attn_Statistic:$delta,
                   F32:$scale, FlatSymbolRefAttr:$pattern,
                   OptionalAttr<Attn_ScheduleAttr>:$schedule);
  let results = (outs Attn_Operand:$dq, Attn_Operand:$dk, Attn_Operand:$dv,
                 Variadic<Attn_Gradient>:$gradients);
  let assemblyFormat = [{
    `q` `(` $q `)` `k` `(` $k `)` `v` `(` $v `)` `lse` `(` $lse `)`
    `dout` `(` $dout `)` `delta` `(` $delta `)` `scale` `(` $scale `)`
    `pattern` `(` $pattern `)` (`schedule` `(` $schedule^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Attn_ClassifyOp : Attn_Op<"classify", [Pure]> {
  let summary = "the class of every tile: 0 skip, 1 partial, 2 full";
  let description = [{
    [batch, heads, row blocks, key blocks], for tiles of `rows` x `keys`.

    C1. the pattern is declared.
    C2. rows and keys are positive.
  }];
  let arguments = (ins FlatSymbolRefAttr:$pattern, I64Attr:$rows, I64Attr:$keys);
  let results = (outs RankedTensorOf<[I8], [HasAnyRankOfPred<[4]>]>:$classes);
  let assemblyFormat = [{
    `pattern` `(` $pattern `)` `rows` `(` $rows `)` `keys` `(` $keys `)` attr-dict `:`
    type($classes)
  }];
  let hasVerifier = 1;
}

def Attn_CombineOp : Attn_Op<"combine", [Pure, AttrSizedOperandSegments]> {
  let summary = "joins results over disjoint sets of keys";
  let description = [{
    lse = log of the sum of exp(lse_i), out = sum of exp(lse_i - lse) * out_i; parts
    with lse -inf weigh nothing.

    C1. at least one part, as many lses as outs.
    C2. all outs have the type of the result, and so have all lses.
  }];
  let arguments = (ins Variadic<Attn_Operand>:$outs, Variadic<Attn_Statistic>:$lses);
  let results = (outs Attn_Operand:$out, Attn_Statistic:$lse);
  let assemblyFormat = [{
    `outs` `(` $outs `)` `lses` `(` $lses `)` attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // JACQUARD_ATTN_OPS_TD
