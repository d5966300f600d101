//===- AttnScalarOps.td - scalars of a pattern's regions ----*- tablegen -*-===//
//
// Beside these, regions hold arith and math ops on i64, f32 and i1.
//
//===----------------------------------------------------------------------===//

#ifndef JACQUARD_ATTN_SCALAR_OPS_TD
#define JACQUARD_ATTN_SCALAR_OPS_TD

include "dialects/Attn/IR/AttnPatternOps.td"

def Attn_GetOp : Attn_Op<"get", [Pure]> {
  let summary = "the value of a parameter";
  let description = [{
    C1. the parameter is declared with this type in the enclosing (or, in
    attn.tiles, the named) pattern.
  }];
  let arguments = (ins FlatSymbolRefAttr:$param);
  let results = (outs AnyTypeOf<[I64, F32, I1]>:$result);
  let assemblyFormat = "$param attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Attn_SizeOp : Attn_Op<"size", [Pure]> {
  let summary = "a length of the batch element, or a head count";
  let arguments = (ins Attn_SizeKindAttr:$kind);
  let results = (outs I64:$result);
  let assemblyFormat = "$kind attr-dict";
}

def Attn_LoadOp : Attn_Op<"load", [Pure]> {
  let summary = "an element of a tensor, every index clamped to its axis";
  let description = [{
    A tensor with an axis of length 0 gives 0.

    C1. the tensor is declared with this element type, and has an axis an index.
  }];
  let arguments = (ins FlatSymbolRefAttr:$tensor, Variadic<I64>:$indices);
  let results = (outs AnyTypeOf<[I64, F32]>:$result);
  let assemblyFormat = "$tensor `[` $indices `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Attn_SelectedOp : Attn_Op<"selected", [Pure]> {
  let summary = "is the pair in a selection?";
  let description = [{
    C1. the selection is declared.
  }];
  let arguments = (ins FlatSymbolRefAttr:$selection, I64:$b, I64:$h, I64:$g, I64:$row,
                   I64:$k);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $selection `(` $b `,` $h `,` $g `,` $row `,` $k `)` attr-dict
  }];
  let hasVerifier = 1;
}

class Attn_Binary<string mnemonic> : Attn_Op<mnemonic, [Pure]> {
  let arguments = (ins I64:$lhs, I64:$rhs);
  let results = (outs I64:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict";
  let hasFolder = 1;
}

def Attn_FloorDivOp : Attn_Binary<"floordiv"> {
  let summary = "the quotient rounded to minus infinity; 0 for a divisor of 0";
}

def Attn_ModOp : Attn_Binary<"mod"> {
  let summary = "the remainder of floordiv, of the divisor's sign; 0 for a divisor of 0";
}

def Attn_BitOp : Attn_Op<"bit", [Pure]> {
  let summary = "bit `index` of the low 32 bits; false for an index outside [0, 32)";
  let arguments = (ins I64:$value, I64:$index);
  let results = (outs I1:$result);
  let assemblyFormat = "$value `,` $index attr-dict";
  let hasFolder = 1;
}

def Attn_AccumulateOp : Attn_Op<"accumulate", [HasParent<"ScoreGradOp">]> {
  let summary = "adds to the gradient of the element that attn.load reads";
  let description = [{
    C1. the tensor is declared with `grad`, and has an axis an index.
  }];
  let arguments = (ins FlatSymbolRefAttr:$tensor, Variadic<I64>:$indices, F32:$value);
  let assemblyFormat = "$tensor `[` $indices `]` `,` $value attr-dict";
  let hasVerifier = 1;
}

#endif // JACQUARD_ATTN_SCALAR_OPS_TD
