//===- ImportPattern.cpp - patterns, tiles and problems -------------------===//

#include "compiler/Import/ImportPattern.h"

#include "compiler/Import/ImportExpression.h"
#include "compiler/Import/ImportTiles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace jacquard;

static Type scalarType(OpBuilder &builder, Scalar type) {
  switch (type) {
  case Scalar::Bool:
    return builder.getI1Type();
  case Scalar::Int:
    return builder.getI64Type();
  case Scalar::Float:
    return builder.getF32Type();
  }
  return {};
}

static std::string axisName(const Extent &extent) {
  switch (extent.kind) {
  case Extent::Batch:
    return "batch";
  case Extent::Heads:
    return "heads";
  case Extent::KvHeads:
    return "kv_heads";
  case Extent::QLen:
    return "q_len";
  case Extent::KLen:
    return "k_len";
  case Extent::Number:
    return std::to_string(extent.number);
  }
  return {};
}

static attn::SelectionKind kindOf(Selection::Kind kind) {
  switch (kind) {
  case Selection::Blocks:
    return attn::SelectionKind::Blocks;
  case Selection::TokenBlocks:
    return attn::SelectionKind::TokenBlocks;
  case Selection::RowIntervals:
    return attn::SelectionKind::RowIntervals;
  case Selection::ColumnIntervals:
    return attn::SelectionKind::ColumnIntervals;
  }
  return {};
}

namespace {
class Importer {
public:
  Importer(const Graph &graph, const CompileOptions &options,
           MLIRContext *context)
      : graph(graph), options(options), builder(context),
        loc(builder.getUnknownLoc()) {
    if (graph.source)
      loc =
          FileLineColLoc::get(builder.getStringAttr(graph.source->name), 1, 1);
  }

  OwningOpRef<ModuleOp> run(const TileForm &keys, const TileForm &queries) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    importDeclarations();
    importTiles(builder, loc, name(), keys);
    importTiles(builder, loc, name(), queries);
    importForward();
    if (options.backward)
      importBackward();
    return module;
  }

private:
  StringRef name() const {
    return graph.name.empty() ? "pattern" : StringRef(graph.name);
  }

  void importDeclarations() {
    FlatSymbolRefAttr sink;
    if (graph.sink)
      sink = FlatSymbolRefAttr::get(builder.getContext(),
                                    graph.tensors[*graph.sink].name);
    attn::AlignKindAttr align;
    if (graph.align != Align::Unset)
      align = attn::AlignKindAttr::get(builder.getContext(),
                                       graph.align == Align::TopLeft
                                           ? attn::AlignKind::TopLeft
                                           : attn::AlignKind::BottomRight);
    StringAttr description;
    if (!graph.description.empty())
      description = builder.getStringAttr(graph.description);
    auto pattern =
        attn::PatternOp::create(builder, loc, name(), description, sink, align);
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&pattern.getBody());
    for (const Param &param : graph.params)
      attn::ParamOp::create(builder, loc, param.name,
                            scalarType(builder, param.type), limit(param.min),
                            limit(param.max));
    for (const Tensor &tensor : graph.tensors) {
      SmallVector<StringRef> axes;
      SmallVector<std::string> names;
      for (const Extent &extent : tensor.shape)
        names.push_back(axisName(extent));
      axes.append(names.begin(), names.end());
      attn::TensorOp::create(builder, loc, builder.getStringAttr(tensor.name),
                             TypeAttr::get(scalarType(builder, tensor.type)),
                             builder.getStrArrayAttr(axes), unit(tensor.sorted),
                             unit(tensor.grad));
    }
    for (const Selection &selection : graph.selections) {
      bool hasQ = selection.kind == Selection::Blocks;
      bool hasK = hasQ || selection.kind == Selection::TokenBlocks;
      attn::SelectionOp::create(
          builder, loc, builder.getStringAttr(selection.name),
          attn::SelectionKindAttr::get(builder.getContext(),
                                       kindOf(selection.kind)),
          hasQ ? blockSize(selection.qBlock) : Attribute(),
          hasK ? blockSize(selection.kBlock) : Attribute());
    }
    if (graph[graph.keep].op != jacquard::Op::BoolConst ||
        !graph[graph.keep].intValue)
      importRegion<attn::KeepOp>(graph.keep, /*withLogit=*/false);
    if (graph[graph.score].op != jacquard::Op::Logit)
      importRegion<attn::ScoreOp>(graph.score, /*withLogit=*/true);
  }

  FloatAttr limit(const std::optional<double> &value) {
    return value ? builder.getF64FloatAttr(*value) : FloatAttr();
  }
  UnitAttr unit(bool set) { return set ? builder.getUnitAttr() : UnitAttr(); }
  Attribute blockSize(const SizeRef &size) {
    if (size.param)
      return FlatSymbolRefAttr::get(builder.getContext(),
                                    graph.params[*size.param].name);
    return builder.getI64IntegerAttr(size.literal);
  }

  template <typename Region> void importRegion(NodeId root, bool withLogit) {
    auto region = Region::create(builder, loc);
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Type> types(6, builder.getI64Type());
    if (withLogit)
      types.insert(types.begin(), builder.getF32Type());
    Block *block = builder.createBlock(
        &region.getBody(), {}, types, SmallVector<Location>(types.size(), loc));
    ExpressionImporter importer(graph, builder, loc);
    unsigned next = 0;
    if (withLogit)
      importer.bind(jacquard::Op::Logit, block->getArgument(next++));
    for (auto leaf :
         {jacquard::Op::Batch, jacquard::Op::Head, jacquard::Op::KvHead,
          jacquard::Op::Query, jacquard::Op::Key, jacquard::Op::Row})
      importer.bind(leaf, block->getArgument(next++));
    Value value = importer.import(root);
    attn::YieldOp::create(builder, loc, value);
  }

  Type operandType(int64_t dim) {
    int64_t any = ShapedType::kDynamic;
    return RankedTensorType::get({any, any, any, dim}, elementType());
  }
  Type elementType() {
    switch (options.element) {
    case ElementType::F16:
      return builder.getF16Type();
    case ElementType::BF16:
      return builder.getBF16Type();
    default:
      return builder.getF32Type();
    }
  }
  Type statisticType() {
    int64_t any = ShapedType::kDynamic;
    return RankedTensorType::get({any, any, any}, builder.getF32Type());
  }
  attn::ScheduleAttr schedule(const TileSize &tile) {
    return attn::ScheduleAttr::get(builder.getContext(), tile.rows, tile.keys);
  }

  func::FuncOp beginFunction(StringRef function, TypeRange inputs,
                             TypeRange results) {
    auto op = func::FuncOp::create(builder, loc, function,
                                   builder.getFunctionType(inputs, results));
    builder.setInsertionPointToStart(op.addEntryBlock());
    return op;
  }

  void importForward() {
    OpBuilder::InsertionGuard guard(builder);
    Type keyed = operandType(options.headDim),
         valued = operandType(options.valueDim);
    SmallVector<Type> results{valued, statisticType()};
    func::FuncOp function = beginFunction(
        "forward", {keyed, keyed, valued, builder.getF32Type()}, results);
    auto args = function.getArguments();
    auto forward = attn::ForwardOp::create(builder, loc, results, args[0],
                                           args[1], args[2], args[3], name(),
                                           schedule(options.schedule.forward));
    func::ReturnOp::create(builder, loc, forward.getResults());
  }

  void importBackward() {
    OpBuilder::InsertionGuard guard(builder);
    Type keyed = operandType(options.headDim),
         valued = operandType(options.valueDim);
    Type statistic = statisticType();
    SmallVector<Type> gradients{keyed, keyed, valued}, sink;
    for (auto [i, tensor] : llvm::enumerate(graph.tensors))
      if (tensor.grad && graph.sink != i)
        gradients.push_back(gradientType(tensor));
    if (graph.sink)
      sink.push_back(gradientType(graph.tensors[*graph.sink]));
    SmallVector<Type> results(gradients);
    results.append(sink);
    func::FuncOp function =
        beginFunction("backward",
                      {keyed, keyed, valued, valued, statistic, valued,
                       statistic, builder.getF32Type()},
                      results);
    auto args = function.getArguments();
    attn::ScheduleAttr tiles = schedule(options.schedule.backward);
    auto preprocess = attn::PreprocessOp::create(
        builder, loc, statistic, sink.empty() ? Type() : sink.front(), args[3],
        args[5], args[4], args[6], name(), tiles);
    auto backward = attn::BackwardOp::create(
        builder, loc, gradients, args[0], args[1], args[2], args[4], args[5],
        preprocess.getDelta(), args[7], name(), tiles);
    SmallVector<Value> values(backward.getResults());
    if (preprocess.getDsink())
      values.push_back(preprocess.getDsink());
    func::ReturnOp::create(builder, loc, values);
  }

  Type gradientType(const Tensor &tensor) {
    SmallVector<int64_t> shape(tensor.shape.size(), ShapedType::kDynamic);
    return RankedTensorType::get(shape, builder.getF32Type());
  }

  const Graph &graph;
  const CompileOptions &options;
  OpBuilder builder;
  Location loc;
};
} // namespace

OwningOpRef<ModuleOp> jacquard::importPattern(const Graph &graph,
                                              const CompileOptions &options,
                                              const TileForm &keys,
                                              const TileForm &queries,
                                              MLIRContext *context) {
  return Importer(graph, options, context).run(keys, queries);
}
