//===- TileTypes.cpp - spelling and rules of the dialect's types ----------===//
//
// Types read like shaped types: !tile.frag<64x128xf32, accumulator>,
// !tile.ring<2 x 64x128xbf16>, !tile.stage<64x128xbf16>, !tile.view<128xbf16>.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace jacquard::tile;

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/IR/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Tile/IR/TileTypes.cpp.inc"
      >();
}

static LogicalResult verifyElement(function_ref<InFlightDiagnostic()> emitError,
                                   Type element) {
  if (element.isF32() || element.isF16() || element.isBF16())
    return success();
  return emitError() << "element type must be f32, f16 or bf16, got "
                     << element;
}

static LogicalResult verifyShape(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape) {
  for (int64_t extent : shape)
    if (extent <= 0)
      return emitError() << "extents must be positive, got " << extent;
  return success();
}

LogicalResult FragType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type element, Layout) {
  if (shape.empty() || shape.size() > 2)
    return emitError() << "a fragment has one or two axes, got "
                       << shape.size();
  if (failed(verifyShape(emitError, shape)))
    return failure();
  return verifyElement(emitError, element);
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages, int64_t rows, int64_t cols,
                               Type element) {
  if (failed(verifyShape(emitError, {stages, rows, cols})))
    return failure();
  return verifyElement(emitError, element);
}

LogicalResult StageType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t rows, int64_t cols, Type element) {
  if (failed(verifyShape(emitError, {rows, cols})))
    return failure();
  return verifyElement(emitError, element);
}

static void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape,
                       Type element) {
  printer.printDimensionList(shape);
  if (!shape.empty())
    printer << 'x';
  printer << element;
}

static ParseResult parseShape(AsmParser &parser,
                              SmallVectorImpl<int64_t> &shape, Type &element) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
                 parser.parseType(element));
}

Type FragType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  Layout layout = Layout::Linear;
  if (parser.parseLess() || parseShape(parser, shape, element))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    StringRef word;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return {};
    std::optional<Layout> parsed = symbolizeLayout(word);
    if (!parsed)
      return parser.emitError(loc, "unknown layout '") << word << "'", Type();
    layout = *parsed;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<FragType>(parser.getContext(), shape, element,
                                     layout);
}

void FragType::print(AsmPrinter &printer) const {
  printer << '<';
  printShape(printer, getShape(), getElement());
  if (getLayout() != Layout::Linear)
    printer << ", " << stringifyLayout(getLayout());
  printer << '>';
}

/// Parses `<` (stages ` x `)? shape element `>` with two axes.
static ParseResult parseStaged(AsmParser &parser, int64_t *stages,
                               int64_t &rows, int64_t &cols, Type &element) {
  SmallVector<int64_t> shape;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return failure();
  if (stages && (parser.parseInteger(*stages) || parser.parseKeyword("x")))
    return failure();
  if (parseShape(parser, shape, element) || parser.parseGreater())
    return failure();
  if (shape.size() != 2)
    return parser.emitError(loc, "expected two axes");
  rows = shape[0];
  cols = shape[1];
  return success();
}

Type RingType::parse(AsmParser &parser) {
  int64_t stages, rows, cols;
  Type element;
  if (parseStaged(parser, &stages, rows, cols, element))
    return {};
  return parser.getChecked<RingType>(parser.getContext(), stages, rows, cols,
                                     element);
}

void RingType::print(AsmPrinter &printer) const {
  printer << '<' << getStages() << " x ";
  printShape(printer, {getRows(), getCols()}, getElement());
  printer << '>';
}

Type StageType::parse(AsmParser &parser) {
  int64_t rows, cols;
  Type element;
  if (parseStaged(parser, nullptr, rows, cols, element))
    return {};
  return parser.getChecked<StageType>(parser.getContext(), rows, cols, element);
}

void StageType::print(AsmPrinter &printer) const {
  printer << '<';
  printShape(printer, {getRows(), getCols()}, getElement());
  printer << '>';
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseShape(parser, shape, element) ||
      parser.parseGreater())
    return {};
  if (shape.size() > 1)
    return parser.emitError(loc, "a view has at most one static axis"), Type();
  return ViewType::get(parser.getContext(), shape.empty() ? 0 : shape[0],
                       element);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << '<';
  if (isVector())
    printer << getElement();
  else
    printShape(printer, {getCols()}, getElement());
  printer << '>';
}
