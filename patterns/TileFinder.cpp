//===- TileFinder.cpp - runs of one block, on the host --------------------===//

#include "patterns/PositionSets.h"
#include "patterns/TileRanges.h"

#include <limits>

using namespace jacquard;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

static void append(std::vector<TileRun> &runs, TileRun run) {
  if (run.begin >= run.end)
    return;
  if (!runs.empty() && runs.back().end == run.begin &&
      runs.back().full == run.full)
    runs.back().end = run.end;
  else
    runs.push_back(run);
}

//===----------------------------------------------------------------------===//
// Closed forms: exactly what a kernel does
//===----------------------------------------------------------------------===//

namespace {
class IntervalFinder {
public:
  IntervalFinder(const TileForm &form, const Bindings &bindings, TileSize tile)
      : form(form), bindings(bindings), tile(tile),
        evaluator(form.graph, bindings) {}

  void runs(int64_t b, int64_t h, int64_t block, std::vector<TileRun> &out) {
    bool overKeys = form.walk == Walk::Keys;
    const ProblemShape &shape = bindings.shape;
    int64_t qLen = shape.qLenOf(b), kLen = shape.kLenOf(b);
    int64_t ownSize = overKeys ? tile.rows : tile.keys;
    int64_t ownLen = overKeys ? qLen : kLen, length = overKeys ? kLen : qLen;
    int64_t first = block * ownSize,
            last = std::min(first + ownSize, ownLen) - 1;
    if (first > last || length == 0)
      return;
    evaluator.setHead(b, h);
    shift = overKeys ? 0 : shape.qOffsetOf(b);
    auto rounded = [&](const TileInterval &interval) {
      if (interval.gate != noNode &&
          !end(interval.gate, interval.gateTrend, true, first, last))
        return Interval{0, 0};
      int64_t lo = end(interval.lo, interval.loTrend, false, first, last);
      int64_t hi = end(interval.hi, interval.hiTrend, true, first, last);
      lo = std::max<int64_t>(lo - shift, 0);
      hi = std::min(hi - shift, length);
      int64_t size = overKeys ? tile.keys : tile.rows;
      return lo < hi ? Interval{lo / size, ceilDiv(hi, size)} : Interval{0, 0};
    };
    std::vector<Interval> kept, gaps;
    for (const TileInterval &interval : form.kept)
      kept.push_back(rounded(interval));
    for (const TileInterval &interval : form.gaps)
      gaps.push_back(rounded(interval));
    constexpr int64_t never = std::numeric_limits<int64_t>::max();
    for (int64_t from = 0;;) {
      int64_t begin = never, stop = never;
      for (const Interval &part : kept)
        if (std::max(from, part.begin) < part.end)
          begin = std::min(begin, std::max(from, part.begin));
      if (begin == never)
        return;
      bool full = true;
      for (const std::vector<Interval> *list : {&kept, &gaps})
        for (const Interval &part : *list) {
          for (int64_t boundary : {part.begin, part.end})
            if (boundary > begin)
              stop = std::min(stop, boundary);
          if (list == &gaps && part.begin <= begin && begin < part.end)
            full = false;
        }
      append(out, {begin, stop, full});
      from = stop;
    }
  }

private:
  int64_t end(NodeId node, Trend trend, bool high, int64_t first,
              int64_t last) {
    bool atLast = (trend == Trend::Rising) == high;
    int64_t own = atLast ? last : first;
    form.walk == Walk::Keys ? evaluator.setRow(own) : evaluator.setKey(own);
    return evaluator.evalInt(node);
  }

  const TileForm &form;
  const Bindings &bindings;
  TileSize tile;
  Evaluator evaluator;
  int64_t shift = 0;
};

//===----------------------------------------------------------------------===//
// Bounds and lists: exact sets position by position
//===----------------------------------------------------------------------===//

/// Finds the tiles of a block along the axis in which the formula has fewer
/// opaque conditions.
class SetFinder {
public:
  SetFinder(const Graph &original, Walk walk, const Bindings &bindings,
            TileSize tile)
      : graph(original), walk(walk), bindings(bindings), tile(tile),
        formula(solveForWalk(graph, walk)), sets(graph, formula, bindings),
        pairs(graph, bindings), ranges(graph, bindings),
        undecided(formula.has(FormulaNode::Opaque)) {}

  static size_t opaqueConditions(const Graph &original, Walk walk) {
    Graph graph = original;
    size_t count = 0;
    for (const FormulaNode &node : solveForWalk(graph, walk).nodes)
      count += node.kind == FormulaNode::Opaque;
    return count;
  }

  void runs(int64_t b, int64_t h, int64_t block, std::vector<TileRun> &out) {
    bool overKeys = walk == Walk::Keys;
    int64_t ownSize = overKeys ? tile.rows : tile.keys;
    int64_t size = overKeys ? tile.keys : tile.rows;
    int64_t ownLen =
        overKeys ? bindings.shape.qLenOf(b) : bindings.shape.kLenOf(b);
    int64_t first = block * ownSize, last = std::min(first + ownSize, ownLen);
    sets.setHead(b, h);
    pairs.setHead(b, h);
    ranges.setHead(b, h);
    Interval valid = sets.range();
    if (first >= last || valid.begin >= valid.end)
      return;

    // Over the block: kept by some position, by every position.
    KeptSet some, every, previous;
    for (int64_t own = first; own < last; ++own) {
      const KeptSet &kept = sets.at(own);
      if (own == first) {
        some = every = kept;
      } else if (!(kept == previous)) {
        some.certain = some.certain.unite(kept.certain);
        some.possible = some.possible.unite(kept.possible);
        every.certain = every.certain.intersect(kept.certain);
        every.possible = every.possible.intersect(kept.possible);
      } else {
        continue;
      }
      previous = kept;
    }

    int64_t done = 0; // Tiles below are decided.
    for (const Interval &part : some.possible.intervals()) {
      int64_t begin = std::max(done, (part.begin - valid.begin) / size);
      int64_t stop = ceilDiv(part.end - valid.begin, size);
      for (int64_t t = begin; t < stop;) {
        // A stretch of tiles inside one certain interval needs no look at each.
        int64_t from = valid.begin + t * size;
        int64_t skip = fullStretch(every.certain, from, size, valid.end);
        if (skip > t) {
          append(out, {t, skip, true});
          t = skip;
          continue;
        }
        int64_t to = std::min(from + size, valid.end);
        TileClass kind = classify(some, every, from, to, first, last);
        if (kind != TileClass::Skip)
          append(out, {t, t + 1, kind == TileClass::Full});
        ++t;
      }
      done = std::max(done, stop);
    }
  }

  int64_t evaluated = 0;

private:
  /// The tile after the last of those from `from` on that lie in one interval.
  int64_t fullStretch(const IntervalSet &certain, int64_t from, int64_t size,
                      int64_t end) const {
    int64_t start = sets.range().begin, t = (from - start) / size;
    for (const Interval &part : certain.intervals()) {
      if (part.end <= from)
        continue;
      if (part.begin > from)
        break;
      return part.end >= end ? ceilDiv(end - start, size)
                             : (part.end - start) / size;
    }
    return t;
  }

  TileClass classify(const KeptSet &some, const KeptSet &every, int64_t from,
                     int64_t to, int64_t first, int64_t last) {
    if (every.certain.contains(from, to))
      return TileClass::Full;
    if (!some.possible.meets(from, to))
      return TileClass::Skip;
    bool touched = some.certain.meets(from, to);
    bool maybeFull = undecided && every.possible.contains(from, to);
    if (touched && !maybeFull)
      return TileClass::Partial;
    ++evaluated;
    int64_t offset = sets.range().begin;
    bool overKeys = walk == Walk::Keys;
    int64_t row0 = overKeys ? first : from - offset;
    int64_t row1 = overKeys ? last : to - offset;
    int64_t k0 = overKeys ? from : first, k1 = overKeys ? to : last;
    switch (ranges.over(graph.keep, row0, row1, k0, k1)) {
    case Truth::Never:
      return TileClass::Skip;
    case Truth::Always:
      return TileClass::Full;
    case Truth::Mixed:
      break;
    }
    bool kept = false, dropped = false;
    for (int64_t row = row0; row < row1; ++row) {
      pairs.setRow(row);
      for (int64_t k = k0; k < k1; ++k) {
        pairs.setKey(k);
        (pairs.evalBool(graph.keep) ? kept : dropped) = true;
        if (kept && dropped)
          return TileClass::Partial;
      }
    }
    return kept ? TileClass::Full : TileClass::Skip;
  }

  Graph graph; ///< With the nodes of the thresholds.
  Walk walk;
  const Bindings &bindings;
  TileSize tile;
  TileFormula formula;
  PositionSets sets;
  Evaluator pairs;
  TileRanges ranges;
  bool undecided;
};
} // namespace

//===----------------------------------------------------------------------===//
// The finder
//===----------------------------------------------------------------------===//

struct TileFinder::Impl {
  Impl(const TileForm &form, const Bindings &bindings, TileSize tile)
      : walk(form.walk), bindings(bindings), tile(tile) {
    if (form.source == TileSource::Interval) {
      closed.emplace(form, bindings, tile);
      return;
    }
    Walk other = walk == Walk::Keys ? Walk::Queries : Walk::Keys;
    size_t own = SetFinder::opaqueConditions(form.graph, walk);
    size_t across = SetFinder::opaqueConditions(form.graph, other);
    // Block lists hold their entries by query; with no difference walk keys.
    bool swap =
        across < own || (across == own && !form.graph.selections.empty() &&
                         other == Walk::Keys);
    transposed = swap;
    sets.emplace(form.graph, swap ? other : walk, bindings, tile);
  }

  /// All blocks of (b, h) found along the other axis, turned over.
  void transpose(int64_t b, int64_t h) {
    const ProblemShape &shape = bindings.shape;
    int64_t own = walk == Walk::Keys ? ceilDiv(shape.qLenOf(b), tile.rows)
                                     : ceilDiv(shape.kLenOf(b), tile.keys);
    int64_t others = walk == Walk::Keys ? ceilDiv(shape.kLenOf(b), tile.keys)
                                        : ceilDiv(shape.qLenOf(b), tile.rows);
    turned.assign(own, {});
    std::vector<TileRun> found;
    for (int64_t block = 0; block < others; ++block) {
      found.clear();
      sets->runs(b, h, block, found);
      for (const TileRun &run : found)
        for (int64_t t = run.begin; t < run.end; ++t)
          append(turned[t], {block, block + 1, run.full});
    }
    turnedHead = {b, h};
  }

  Walk walk;
  const Bindings &bindings;
  TileSize tile;
  bool transposed = false;
  std::optional<IntervalFinder> closed;
  std::optional<SetFinder> sets;
  std::vector<std::vector<TileRun>> turned;
  std::pair<int64_t, int64_t> turnedHead{-1, -1};
};

TileFinder::TileFinder(const TileForm &form, const Bindings &bindings,
                       TileSize tile)
    : impl(std::make_unique<Impl>(form, bindings, tile)) {}

TileFinder::~TileFinder() = default;

void TileFinder::runs(int64_t b, int64_t h, int64_t block,
                      std::vector<TileRun> &out) {
  out.clear();
  if (impl->closed)
    return impl->closed->runs(b, h, block, out);
  if (!impl->transposed)
    return impl->sets->runs(b, h, block, out);
  if (impl->turnedHead != std::pair(b, h))
    impl->transpose(b, h);
  if (block < static_cast<int64_t>(impl->turned.size()))
    out = impl->turned[block];
}

int64_t TileFinder::evaluatedTiles() const {
  return impl->sets ? impl->sets->evaluated : 0;
}
