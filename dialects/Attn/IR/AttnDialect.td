//===- AttnDialect.td - the attn dialect --------------------*- tablegen -*-===//
//
// What to compute: patterns over (b, h, g, q, k, row) scalars, and whole attention
// problems that name one. How a kernel does it is the tile dialect's matter.
//
//===----------------------------------------------------------------------===//

#ifndef JACQUARD_ATTN_DIALECT_TD
#define JACQUARD_ATTN_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"

def Attn_Dialect : Dialect {
  let name = "attn";
  let summary = "Attention problems and the patterns that say which pairs attend";
  let description = [{
    A pattern is a symbol that declares parameters, tensors and selections and holds
    a `keep` and a `score` region over scalars. A problem op (`attn.forward`,
    `attn.backward`, ...) names a pattern. Values of parameters, tensors and
    selections are bound by name at launch, not by operands: they change nothing in
    the code.
  }];
  let cppNamespace = "::jacquard::attn";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = "void registerAttrs();";
}

class Attn_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::jacquard::attn";
}

def Attn_SelectionKindAttr : Attn_Enum<"SelectionKind", "what a selection lists", [
  I32EnumAttrCase<"Blocks", 0, "blocks">,
  I32EnumAttrCase<"TokenBlocks", 1, "token_blocks">,
  I32EnumAttrCase<"RowIntervals", 2, "row_intervals">,
  I32EnumAttrCase<"ColumnIntervals", 3, "column_intervals">,
]>;

def Attn_SizeKindAttr : Attn_Enum<"SizeKind", "a size of the problem", [
  I32EnumAttrCase<"QLen", 0, "q_len">, I32EnumAttrCase<"KLen", 1, "k_len">,
  I32EnumAttrCase<"Heads", 2, "heads">, I32EnumAttrCase<"KvHeads", 3, "kv_heads">,
]>;

def Attn_WalkKindAttr : Attn_Enum<"WalkKind", "the axis that a block walks", [
  I32EnumAttrCase<"Keys", 0, "keys">, I32EnumAttrCase<"Queries", 1, "queries">,
]>;

def Attn_TileSourceKindAttr : Attn_Enum<"TileSourceKind", "where tiles come from", [
  I32EnumAttrCase<"Interval", 0, "interval">,
  I32EnumAttrCase<"Bounds", 1, "bounds">, I32EnumAttrCase<"List", 2, "list">,
]>;

def Attn_AlignKindAttr : Attn_Enum<"AlignKind", "how positions follow from rows", [
  I32EnumAttrCase<"TopLeft", 0, "top_left">,
  I32EnumAttrCase<"BottomRight", 1, "bottom_right">,
]>;

def Attn_ScheduleAttr : AttrDef<Attn_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "tiles of a kernel: query rows and keys";
  let description = [{
    A performance choice: no result depends on it. Both sizes are positive.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$keys);
  let assemblyFormat = "`<` `rows` `=` $rows `,` `keys` `=` $keys `>`";
  let genVerifyDecl = 1;
}

#endif // JACQUARD_ATTN_DIALECT_TD
