//===- ImportTiles.cpp - intervals as scalar code -------------------------===//

#include "compiler/Import/ImportTiles.h"

#include "compiler/Import/ImportExpression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace jacquard;

static attn::TileSourceKind sourceOf(const TileForm &form) {
  switch (form.source) {
  case TileSource::Interval:
    return attn::TileSourceKind::Interval;
  case TileSource::Bounds:
    return attn::TileSourceKind::Bounds;
  case TileSource::List:
    return attn::TileSourceKind::List;
  }
  return {};
}

namespace {
/// The expressions of the ends, at the block's first and last position: one
/// importer for each, since the own position differs.
class EndImporter {
public:
  EndImporter(const TileForm &form, OpBuilder &builder, Location loc,
              Block &block)
      : builder(builder), loc(loc), first(form.graph, builder, loc),
        last(form.graph, builder, loc) {
    Op own = form.walk == Walk::Keys ? Op::Query : Op::Key;
    for (ExpressionImporter *importer : {&first, &last}) {
      importer->bind(Op::Batch, block.getArgument(0));
      importer->bind(Op::Head, block.getArgument(1));
      importer->bind(Op::KvHead, block.getArgument(2));
      importer->bind(own, block.getArgument(importer == &first ? 3 : 4));
    }
  }

  void append(const TileInterval &interval, SmallVectorImpl<Value> &ends) {
    Value lo = at(interval.loTrend == Trend::Falling).import(interval.lo);
    Value hi = at(interval.hiTrend == Trend::Rising).import(interval.hi);
    if (interval.gate != noNode) { // Where it is shut, the interval is empty.
      Value gate =
          at(interval.gateTrend == Trend::Rising).import(interval.gate);
      hi = arith::SelectOp::create(builder, loc, gate, hi, lo);
    }
    ends.append({lo, hi});
  }

private:
  using Op = jacquard::Op;
  ExpressionImporter &at(bool end) { return end ? last : first; }

  OpBuilder &builder;
  Location loc;
  ExpressionImporter first, last;
};
} // namespace

attn::TilesOp jacquard::importTiles(OpBuilder &builder, Location loc,
                                    StringRef pattern, const TileForm &form) {
  bool overKeys = form.walk == Walk::Keys;
  auto tiles = attn::TilesOp::create(
      builder, loc, (pattern + (overKeys ? "_keys" : "_queries")).str(),
      pattern, overKeys ? attn::WalkKind::Keys : attn::WalkKind::Queries,
      sourceOf(form));
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(5, builder.getI64Type());
  Block *block = builder.createBlock(&tiles.getBody(), {}, types,
                                     SmallVector<Location>(5, loc));
  SmallVector<Value> kept, gaps;
  if (form.source == TileSource::Interval) {
    EndImporter importer(form, builder, loc, *block);
    for (const TileInterval &interval : form.kept)
      importer.append(interval, kept);
    for (const TileInterval &interval : form.gaps)
      importer.append(interval, gaps);
  }
  attn::IntervalsOp::create(builder, loc, kept, gaps);
  return tiles;
}
