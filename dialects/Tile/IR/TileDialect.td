//===- TileDialect.td - the tile dialect --------------------*- tablegen -*-===//
//
// One op is one thing that a CTA (or, on the host, a worker thread) does with a
// tile. Nothing here knows attention: which operands are multiplied, what a map
// computes and which tiles are walked is decided by the builders.
//
//===----------------------------------------------------------------------===//

#ifndef JACQUARD_TILE_DIALECT_TD
#define JACQUARD_TILE_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let summary = "How one block of a kernel computes: fragments, rings, copies, mma";
  let description = [{
    Kernels over fragments (register tiles), rings (staged near memory) and views
    (rows of an operand in far memory). Every op works on whole tiles; element-wise
    code stands in the region of `tile.map`. Control flow is `scf`.
  }];
  let cppNamespace = "::jacquard::tile";
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = "void registerTypes();";
  let useDefaultAttributePrinterParser = 1;
}

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::jacquard::tile";
  let genSpecializedAttr = 0;
}

class Tile_EnumAttr<EnumInfo info, string mnemonic>
    : EnumAttr<Tile_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def Tile_Layout : Tile_Enum<"Layout", "which lane holds which element", [
  I32EnumAttrCase<"Linear", 0, "linear">,
  I32EnumAttrCase<"Accumulator", 1, "accumulator">,
  I32EnumAttrCase<"Operand", 2, "operand">,
]>;

def Tile_Operand : Tile_Enum<"Operand", "an operand of the problem", [
  I32EnumAttrCase<"Q", 0, "q">, I32EnumAttrCase<"K", 1, "k">,
  I32EnumAttrCase<"V", 2, "v">, I32EnumAttrCase<"Out", 3, "out">,
  I32EnumAttrCase<"Lse", 4, "lse">, I32EnumAttrCase<"DOut", 5, "d_out">,
  I32EnumAttrCase<"DLse", 6, "d_lse">, I32EnumAttrCase<"Delta", 7, "delta">,
  I32EnumAttrCase<"DQ", 8, "d_q">, I32EnumAttrCase<"DK", 9, "d_k">,
  I32EnumAttrCase<"DV", 10, "d_v">,
]>;
def Tile_OperandAttr : Tile_EnumAttr<Tile_Operand, "operand">;

def Tile_Scalar : Tile_Enum<"ScalarKind", "a scalar of the launch", [
  I32EnumAttrCase<"Heads", 0, "heads">,
  I32EnumAttrCase<"KvHeads", 1, "kv_heads">,
  I32EnumAttrCase<"Group", 2, "group">,
  I32EnumAttrCase<"Scale", 3, "scale">,
]>;
def Tile_ScalarAttr : Tile_EnumAttr<Tile_Scalar, "scalar">;

def Tile_Length : Tile_Enum<"LengthKind", "a number per batch element", [
  I32EnumAttrCase<"QLen", 0, "q_len">, I32EnumAttrCase<"KLen", 1, "k_len">,
  I32EnumAttrCase<"QStart", 2, "q_start">,
  I32EnumAttrCase<"KStart", 3, "k_start">,
  I32EnumAttrCase<"QOffset", 4, "q_offset">,
]>;
def Tile_LengthAttr : Tile_EnumAttr<Tile_Length, "length">;

def Tile_Axis : Tile_Enum<"WalkAxis", "the axis a plan's runs lie along", [
  I32EnumAttrCase<"Keys", 0, "keys">,
  I32EnumAttrCase<"Queries", 1, "queries">,
]>;
def Tile_AxisAttr : Tile_EnumAttr<Tile_Axis, "axis">;

def Tile_Combine : Tile_Enum<"Combine", "how a reduction combines", [
  I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Add", 1, "add">,
]>;
def Tile_CombineAttr : Tile_EnumAttr<Tile_Combine, "combine">;

def Tile_Choice : Tile_Enum<"Choice", "what a selection's entries mean", [
  I32EnumAttrCase<"Blocks", 0, "blocks">,
  I32EnumAttrCase<"TokenBlocks", 1, "token_blocks">,
  I32EnumAttrCase<"RowIntervals", 2, "row_intervals">,
  I32EnumAttrCase<"ColumnIntervals", 3, "column_intervals">,
]>;
def Tile_ChoiceAttr : Tile_EnumAttr<Tile_Choice, "choice">;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def Tile_FragType : Tile_Type<"Frag", "frag"> {
  let summary = "a register tile";
  let description = [{
    `!tile.frag<64x128xf32>` has 64 rows and 128 columns; `!tile.frag<128xf32>` is a
    vector along the columns, one element a column. The layout says which lane holds
    which element: `linear` (row major, the host), `accumulator` and `operand` (the
    C and A maps of mma instructions).
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$element,
                    "::jacquard::tile::Layout":$layout);
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape,
                                   "::mlir::Type":$element), [{
    return $_get($_ctxt, shape, element, ::jacquard::tile::Layout::Linear);
  }]>];
  let extraClassDeclaration = [{
    bool isVector() const { return getShape().size() == 1; }
    int64_t getRows() const { return isVector() ? 1 : getShape()[0]; }
    int64_t getCols() const { return getShape().back(); }
  }];
  let genVerifyDecl = 1;
}

class Tile_StagedType<string name, string typeMnemonic>
    : Tile_Type<name, typeMnemonic> {
  let genVerifyDecl = 1;
}

def Tile_RingType : Tile_StagedType<"Ring", "ring"> {
  let summary = "staged near memory: a ring of equal tiles";
  let description = [{
    `!tile.ring<2 x 64x128xbf16>`: two stages of 64 rows and 128 columns. Stage i of
    use n is n modulo the number of stages; the phases of the protocol (acquire,
    commit, wait, release) follow from n alone.
  }];
  let parameters = (ins "int64_t":$stages, "int64_t":$rows, "int64_t":$cols,
                    "::mlir::Type":$element);
}

def Tile_StageType : Tile_StagedType<"Stage", "stage"> {
  let summary = "one stage of a ring between acquire and commit, or wait and release";
  let parameters = (ins "int64_t":$rows, "int64_t":$cols, "::mlir::Type":$element);
}

def Tile_ViewType : Tile_Type<"View", "view"> {
  let summary = "rows of an operand in far memory";
  let description = [{
    `!tile.view<128xbf16>`: rows of 128 contiguous elements at a run-time stride;
    `!tile.view<f32>`: one element a row.
  }];
  let parameters = (ins "int64_t":$cols, "::mlir::Type":$element);
  let extraClassDeclaration = [{
    /// One element a row (printed without columns; `cols` is 0).
    bool isVector() const { return getCols() == 0; }
  }];
}

#endif // JACQUARD_TILE_DIALECT_TD
