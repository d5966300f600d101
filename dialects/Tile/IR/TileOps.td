//===- TileOps.td - ops of the tile dialect -----------------*- tablegen -*-===//

#ifndef JACQUARD_TILE_OPS_TD
#define JACQUARD_TILE_OPS_TD

include "dialects/Tile/IR/TileDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

def Tile_ScalarValue : AnyTypeOf<[I64, F32, I1], "i64, f32 or i1">;
def Tile_Source : AnyTypeOf<[Tile_StageType, Tile_FragType], "stage or fragment">;

//===----------------------------------------------------------------------===//
// Kernels and what a launch gives them
//===----------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [Symbol, IsolatedFromAbove]> {
  let summary = "a kernel: the work of one block of one head";
  let description = [{
    The body has four i64 arguments: the batch element, the head (query or KV head),
    the block along the kernel's own axis, and the lane whose accumulators
    `tile.accumulate` adds to.

    C1. the body has exactly four i64 arguments.

    ```mlir
    tile.kernel @copy_q {
    ^bb0(%b: i64, %h: i64, %block: i64, %lane: i64):
      tile.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Tile_ReturnOp : Tile_Op<"return", [Terminator, HasParent<"KernelOp">]> {
  let summary = "ends a kernel";
  let assemblyFormat = "attr-dict";
}

def Tile_ScalarOp : Tile_Op<"scalar", [Pure]> {
  let summary = "a scalar of the launch: a head count (i64) or the scale (f32)";
  let description = [{
    C1. `scale` is f32, every other kind i64.
  }];
  let arguments = (ins Tile_ScalarAttr:$kind);
  let results = (outs Tile_ScalarValue:$result);
  let assemblyFormat = "$kind attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_ParamOp : Tile_Op<"param", [Pure]> {
  let summary = "the value of parameter number `index` of the pattern";
  let arguments = (ins I64Attr:$index);
  let results = (outs Tile_ScalarValue:$result);
  let assemblyFormat = "$index attr-dict `:` type($result)";
}

def Tile_LengthOp : Tile_Op<"length", [Pure]> {
  let summary = "a length, start or offset of batch element b";
  let arguments = (ins Tile_LengthAttr:$kind, I64:$b);
  let results = (outs I64:$result);
  let assemblyFormat = "$kind `[` $b `]` attr-dict";
}

def Tile_ViewOp : Tile_Op<"view", [Pure]> {
  let summary = "the rows of an operand for one (b, head), from row `start` on";
  let arguments = (ins Tile_OperandAttr:$operand, I64:$b, I64:$h, I64:$start);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat =
      "$operand `[` $b `,` $h `]` `at` $start attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

def Tile_PlanRangeOp : Tile_Op<"plan_range"> {
  let summary = "the half-open range of runs that the plan holds for a block";
  let arguments = (ins Tile_AxisAttr:$axis, I64:$b, I64:$h, I64:$block);
  let results = (outs I64:$first, I64:$last);
  let assemblyFormat = "$axis `[` $b `,` $h `,` $block `]` attr-dict";
}

def Tile_PlanRunOp : Tile_Op<"plan_run"> {
  let summary = "run number `run` of the plan: tiles [begin, end), all full or all partial";
  let arguments = (ins Tile_AxisAttr:$axis, I64:$run);
  let results = (outs I64:$begin, I64:$end, I1:$full);
  let assemblyFormat = "$axis `[` $run `]` attr-dict";
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

def Tile_FillOp : Tile_Op<"fill", [Pure]> {
  let summary = "a fragment with every element equal to `value`";
  let arguments = (ins F32:$value);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Tile_LoadOp : Tile_Op<"load"> {
  let summary = "rows [row, row + count) of a view as a fragment";
  let description = [{
    Elements outside `valid` rows, and columns past the view's, are `fill`. With
    `transposed` the fragment's columns are the view's rows. A view of one element a
    row gives a vector.

    C1. the fragment holds the view's columns, or is a vector for a view of scalars.
  }];
  let arguments = (ins Tile_ViewType:$view, I64:$row, I64:$valid, F32:$fill,
                   UnitAttr:$transposed);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = [{
    $view `[` $row `]` `valid` `(` $valid `)` `fill` `(` $fill `)`
    (`transposed` $transposed^)? attr-dict `:` type($view) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store"> {
  let summary = "writes the first `valid` rows of a fragment into a view";
  let description = [{
    Rounds to the view's element type (to nearest even). With `transposed` the
    fragment's columns are the view's rows.

    C1. as for `tile.load`.
  }];
  let arguments = (ins Tile_FragType:$frag, Tile_ViewType:$view, I64:$row, I64:$valid,
                   UnitAttr:$transposed);
  let assemblyFormat = [{
    $frag `to` $view `[` $row `]` `valid` `(` $valid `)`
    (`transposed` $transposed^)? attr-dict `:` type($frag) `,` type($view)
  }];
  let hasVerifier = 1;
}

def Tile_PeekOp : Tile_Op<"peek", [Pure]> {
  let summary = "one element of a view of scalars, or `fill` at and past `valid`";
  let description = [{
    For values that vary along the rows of a map. C1. the view holds scalars.
  }];
  let arguments = (ins Tile_ViewType:$view, I64:$row, I64:$valid, F32:$fill);
  let results = (outs F32:$result);
  let assemblyFormat = [{
    $view `[` $row `]` `valid` `(` $valid `)` `fill` `(` $fill `)` attr-dict `:`
    type($view)
  }];
  let hasVerifier = 1;
}

def Tile_MmaOp : Tile_Op<"mma", [
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a * b, accumulated in fp32";
  let description = [{
    With `transposed` the rows of `a` are the reduction. With `guarded` a zero of `b`
    contributes nothing, whatever stands in `a`: non-finite data under a masked pair
    stays out of the result.

    C1. a (rows x depth), b (depth x columns) and acc (rows x columns) agree, where
        a's columns (its rows when transposed) may be padded up to the depth's.
    C2. acc is f32.
  }];
  let arguments = (ins Tile_Source:$a, Tile_FragType:$b, Tile_FragType:$acc,
                   UnitAttr:$transposed, UnitAttr:$guarded);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = [{
    $a (`transposed` $transposed^)? `,` $b `into` $acc (`guarded` $guarded^)?
    attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_MapOp : Tile_Op<"map", [SingleBlock]> {
  let summary = "element-wise code over fragments of equal columns";
  let description = [{
    The region is run for every (row, column) of the results with the elements of
    the inputs there (a vector gives its element of the column) and two i64, the row
    and the column counted from `rows` and `cols`. Ops that depend on neither are
    hoisted, those of the column alone too.

    C1. block arguments: one f32 an input, then two i64.
    C2. inputs and results have the same columns; those that are not vectors have
        the same rows, and at least one of them is a tile, or all are vectors.
    C3. the region yields one f32 a result.

    ```mlir
    %p = tile.map (%s, %m) rows(%k0) cols(%q0) {
    ^bb0(%x: f32, %y: f32, %k: i64, %q: i64):
      %d = arith.subf %x, %y : f32
      %e = math.exp %d : f32
      tile.yield %e : f32
    } : (!tile.frag<64x64xf32>, !tile.frag<64xf32>) -> !tile.frag<64x64xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_FragType>:$inputs, I64:$rows, I64:$cols);
  let results = (outs Variadic<Tile_FragType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` `rows` `(` $rows `)` `cols` `(` $cols `)` $body attr-dict `:`
    functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Terminator, Pure, HasParent<"MapOp">]> {
  let summary = "the elements of a map's results";
  let arguments = (ins Variadic<F32>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure,
    AllTypesMatch<["init", "result"]>]> {
  let summary = "combines the rows of a fragment, column by column, with `init`";
  let description = [{
    C1. init and result are vectors with the fragment's columns.
  }];
  let arguments = (ins Tile_CombineAttr:$combine, Tile_FragType:$frag,
                   Tile_FragType:$init);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = [{
    $combine $frag `init` `(` $init `)` attr-dict `:` type($frag) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StorePartialOp : Tile_Op<"store_partial"> {
  let summary = "stores the sum of a vector as partial sum number (b, h, block)";
  let description = [{
    Summed in fp64, in the order of the columns. C1. the fragment is a vector.
  }];
  let arguments = (ins Tile_FragType:$frag, I64:$b, I64:$h, I64:$block);
  let assemblyFormat =
      "$frag `at` `[` $b `,` $h `,` $block `]` attr-dict `:` type($frag)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

def Tile_RingOp : Tile_Op<"ring"> {
  let summary = "a ring of stages in near memory, for the whole kernel";
  let results = (outs Tile_RingType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

class Tile_RingUse<string mnemonic> : Tile_Op<mnemonic> {
  let description = [{
    C1. the stage has the ring's rows, columns and element type.
  }];
  let arguments = (ins Tile_RingType:$ring, I64:$use);
  let results = (outs Tile_StageType:$stage);
  let assemblyFormat = "$ring `[` $use `]` attr-dict `:` type($ring) `->` type($stage)";
  let hasVerifier = 1;
}

def Tile_AcquireOp : Tile_RingUse<"acquire"> {
  let summary = "waits until the stage of use n is free, for the producer";
}

def Tile_WaitOp : Tile_RingUse<"wait"> {
  let summary = "waits until the stage of use n is filled, for a consumer";
}

def Tile_CopyOp : Tile_Op<"copy"> {
  let summary = "starts copying rows of a view into an acquired stage";
  let description = [{
    Rows past `valid` and columns past the view's are zero. C1. the stage is at least
    as wide as the view.
  }];
  let arguments = (ins Tile_ViewType:$view, I64:$row, I64:$valid, Tile_StageType:$stage);
  let assemblyFormat = [{
    $view `[` $row `]` `valid` `(` $valid `)` `to` $stage attr-dict `:`
    type($view) `->` type($stage)
  }];
  let hasVerifier = 1;
}

def Tile_CommitOp : Tile_Op<"commit"> {
  let summary = "ends the copies into a stage: consumers may wait for it";
  let arguments = (ins Tile_StageType:$stage);
  let assemblyFormat = "$stage attr-dict `:` type($stage)";
}

def Tile_ReleaseOp : Tile_Op<"release"> {
  let summary = "a consumer has read a stage: the producer may acquire it again";
  let arguments = (ins Tile_StageType:$stage);
  let assemblyFormat = "$stage attr-dict `:` type($stage)";
}

//===----------------------------------------------------------------------===//
// Run-time data of the pattern
//===----------------------------------------------------------------------===//

def Tile_ElementOp : Tile_Op<"element", [Pure]> {
  let summary = "an element of tensor number `tensor`, every index clamped to its axis";
  let description = [{
    A tensor with an axis of length 0 gives 0. `element` is the type in memory.
  }];
  let arguments = (ins I64Attr:$tensor, TypeAttr:$element, Variadic<I64>:$indices);
  let results = (outs AnyTypeOf<[I64, F32]>:$result);
  let assemblyFormat =
      "$tensor `as` $element `[` $indices `]` attr-dict `:` type($result)";
}

def Tile_AccumulateOp : Tile_Op<"accumulate"> {
  let summary = "adds to the lane's gradient accumulator of a tensor's element";
  let description = [{
    The element is that of `tile.element` with the same indices, reduced over axes
    that broadcast. Lanes never share accumulators.
  }];
  let arguments = (ins I64Attr:$tensor, Variadic<I64>:$indices, F32:$value, I64:$lane);
  let assemblyFormat =
      "$tensor `[` $indices `]` `,` $value `lane` `(` $lane `)` attr-dict";
}

def Tile_SelectedOp : Tile_Op<"selected", [Pure]> {
  let summary = "is (b, h, row, k) in selection number `selection`?";
  let arguments = (ins I64Attr:$selection, Tile_ChoiceAttr:$choice, I64:$b, I64:$h,
                   I64:$g, I64:$row, I64:$k);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $selection $choice `[` $b `,` $h `,` $g `,` $row `,` $k `]` attr-dict
  }];
}

#endif // JACQUARD_TILE_OPS_TD
