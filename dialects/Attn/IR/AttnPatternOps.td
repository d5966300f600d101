//===- AttnPatternOps.td - patterns and their declarations --*- tablegen -*-===//

#ifndef JACQUARD_ATTN_PATTERN_OPS_TD
#define JACQUARD_ATTN_PATTERN_OPS_TD

include "dialects/Attn/IR/AttnDialect.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Attn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Attn_Dialect, mnemonic, traits>;

def Attn_PatternOp : Attn_Op<"pattern", [Symbol, SymbolTable, IsolatedFromAbove,
                                         NoTerminator, SingleBlock]> {
  let summary = "which pairs attend, and how their score is changed";
  let description = [{
    For every (b, h, q, k): `score` maps the scaled logit s to s', `keep` says
    whether the pair attends. Absent regions mean s and true. `sink` names a tensor
    of one extra logit a head in the denominator of the softmax.

    C1. at most one keep, one score and one score_grad region.
    C2. sink names a declared tensor of f32 over the heads.

    ```mlir
    attn.pattern @causal {
      attn.keep {
      ^bb0(%b: i64, %h: i64, %g: i64, %q: i64, %k: i64, %row: i64):
        %0 = arith.cmpi sle, %k, %q : i64
        attn.yield %0 : i1
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$description,
                   OptionalAttr<FlatSymbolRefAttr>:$sink,
                   OptionalAttr<Attn_AlignKindAttr>:$align);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`sink` `(` $sink^ `)`)? (`align` `(` $align^ `)`)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

class Attn_Declaration<string mnemonic, list<Trait> traits = []>
    : Attn_Op<mnemonic, !listconcat([Symbol, HasParent<"PatternOp">], traits)>;

def Attn_ParamOp : Attn_Declaration<"param"> {
  let summary = "a scalar given at launch";
  let description = [{
    C1. the type is i64, f32 or i1. `min` and `max` are inclusive and checked at
    launch; the tile analysis relies on them.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
                   OptionalAttr<F64Attr>:$min, OptionalAttr<F64Attr>:$max);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
}

def Attn_TensorOp : Attn_Declaration<"tensor"> {
  let summary = "an array given at launch";
  let description = [{
    `axes` are batch, heads, kv_heads, q_len, k_len or numbers. `sorted`:
    non-decreasing along the last axis. `grad`: a gradient is wanted.

    C1. the element is i64 (int32 in memory) or f32.
    C2. at most four axes, each a known name or a positive number.
    C3. grad needs f32; sorted needs i64 and an axis.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$element,
                   StrArrayAttr:$axes, UnitAttr:$sorted, UnitAttr:$grad);
  let assemblyFormat = [{
    $sym_name `:` $element `axes` $axes (`sorted` $sorted^)? (`grad` $grad^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def Attn_SelectionOp : Attn_Declaration<"selection"> {
  let summary = "block lists or intervals given at launch";
  let description = [{
    Block sizes are numbers or the names of i64 parameters.

    C1. blocks has q_block and k_block, token_blocks k_block, intervals neither.
    C2. a block size is positive, or names an i64 parameter.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Attn_SelectionKindAttr:$kind,
                   OptionalAttr<AnyAttr>:$q_block, OptionalAttr<AnyAttr>:$k_block);
  let assemblyFormat = [{
    $sym_name `kind` `(` $kind `)` (`q_block` `(` $q_block^ `)`)?
    (`k_block` `(` $k_block^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

class Attn_PatternRegion<string mnemonic>
    : Attn_Op<mnemonic, [HasParent<"PatternOp">, IsolatedFromAbove, SingleBlock]> {
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Attn_KeepOp : Attn_PatternRegion<"keep"> {
  let summary = "true where the pair (q, k) attends";
  let description = [{
    C1. arguments (b, h, g, q, k, row), all i64; yields one i1.
  }];
}

def Attn_ScoreOp : Attn_PatternRegion<"score"> {
  let summary = "the changed score of a pair";
  let description = [{
    C1. arguments (s: f32, then b, h, g, q, k, row: i64); yields one f32.
  }];
}

def Attn_ScoreGradOp : Attn_PatternRegion<"score_grad"> {
  let summary = "the adjoint of score, made by attn-differentiate";
  let description = [{
    Given s and the gradient of the changed score, yields that of s, and accumulates
    those of tensors marked `grad`.

    C1. arguments (s, ds: f32, then b, h, g, q, k, row: i64); yields one f32.
  }];
}

def Attn_YieldOp : Attn_Op<"yield", [Terminator, Pure]> {
  let summary = "the value of a pattern's region";
  let arguments = (ins AnyTypeOf<[I1, F32], "i1 or f32">:$value);
  let assemblyFormat = "$value `:` type($value) attr-dict";
}

def Attn_TilesOp : Attn_Op<"tiles", [Symbol, IsolatedFromAbove, SingleBlock]> {
  let summary = "how the tiles of a block are found";
  let description = [{
    For `interval`, the region computes half-open intervals along the walked axis
    from the first and last position on the block's own axis (q walking keys, k
    walking queries; ends are keys, or q positions). A tile is touched if a kept
    interval meets it and full if no gap does. For `bounds` and `list` a plan holds
    the runs, and the region yields nothing.

    C1. `of` names a pattern.
    C2. arguments (b, h, g, first, last), all i64.
    C3. only `interval` yields intervals.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$of,
                   Attn_WalkKindAttr:$walk, Attn_TileSourceKindAttr:$source);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `of` `(` $of `)` `walk` `(` $walk `)` `source` `(` $source `)`
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Attn_IntervalsOp : Attn_Op<"intervals", [Terminator, Pure, HasParent<"TilesOp">,
                                             AttrSizedOperandSegments]> {
  let summary = "kept and gap intervals: pairs of a low and a high end";
  let description = [{
    C1. both lists have an even number of ends.
  }];
  let arguments = (ins Variadic<I64>:$kept, Variadic<I64>:$gaps);
  let assemblyFormat = "`kept` `(` $kept `)` `gaps` `(` $gaps `)` attr-dict";
  let hasVerifier = 1;
}

#endif // JACQUARD_ATTN_PATTERN_OPS_TD
