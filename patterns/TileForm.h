//===- TileForm.h - which tiles of a pattern are skipped, full, partial ---===//
//
// For a block of query rows [m0, m1) and keys [n0, n1): is `keep` false for all
// pairs (skip), true for all (full) or mixed (partial)? A `TileForm` says how a
// kernel finds out, for row blocks walking keys and, transposed, for key blocks
// walking query rows.
//
// The form is a set of half-open *kept* intervals and a set of *gap* intervals
// along the walked axis. A tile is touched if a kept interval of any row of the
// block meets it, and full if no gap interval does. Ends are expressions of the
// block's own axis (`Query` when walking keys, `Key` when walking queries), of
// heads, lengths, parameters and tensors; their trend says at which end of the
// block they are smallest and largest. Walking queries, ends are *positions*
// (q); subtract q_offset[b] for rows.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_PATTERNS_TILEFORM_H
#define JACQUARD_PATTERNS_TILEFORM_H

#include "patterns/Bindings.h"

namespace jacquard {

enum class Walk : uint8_t { Keys, Queries };
enum class TileClass : uint8_t { Skip, Partial, Full };

/// How tiles are found, in the order of preference.
enum class TileSource : uint8_t {
  Interval, ///< Closed form: computed inside the kernel, nothing stored.
  Bounds,   ///< Interval ends that read tensors: a plan in proportion to the
            ///< rows.
  List,     ///< Anything else: a plan in proportion to the kept tiles.
};

/// How an end moves as the block's own axis grows.
enum class Trend : uint8_t { Constant, Rising, Falling, Unknown };

struct TileInterval {
  NodeId lo = noNode, hi = noNode; ///< Int nodes of the form's graph.
  Trend loTrend = Trend::Constant, hiTrend = Trend::Constant;
  /// A bool node, or none: the interval is there only for positions of the
  /// block for which it holds. Rising (false, then true) it is tested at the
  /// block's last position, falling at the first, constant at either.
  NodeId gate = noNode;
  Trend gateTrend = Trend::Constant;
};

struct TileForm {
  Walk walk = Walk::Keys;
  TileSource source = TileSource::List;
  std::string reason; ///< One line: why this source.
  Graph graph; ///< The pattern's graph, with the nodes of the ends added.
  /// Complete for Interval, empty for the others.
  std::vector<TileInterval> kept, gaps;

  /// The formula of the intervals, for `explain`.
  std::string formula() const;
};

TileForm analyzeTiles(const Graph &graph, Walk walk);

/// Tile sizes: a performance choice, no result depends on it.
struct TileSize {
  int64_t rows = 64, keys = 64;
};

/// A run of equal tiles [begin, end) along the walked axis, in tiles.
struct TileRun {
  int64_t begin = 0, end = 0;
  bool full = false;
  bool operator==(const TileRun &) const = default;
};

/// Finds the runs of one block on the host; for tests, pictures, plans and the
/// reference. Not thread safe.
class TileFinder {
public:
  TileFinder(const TileForm &form, const Bindings &bindings, TileSize tile);
  ~TileFinder();

  /// The runs of block `block` (row block when walking keys, key block when
  /// walking queries) of (b, h): sorted, disjoint, non-empty, neighbours
  /// differ. Tiles count only pairs inside the lengths of batch element b.
  void runs(int64_t b, int64_t h, int64_t block, std::vector<TileRun> &out);

  /// How many tiles were decided by evaluating pairs so far.
  int64_t evaluatedTiles() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Runs of every block in compressed rows: block i of (b, h) has runs
/// [rowStart[i], rowStart[i + 1]). `batchStride` and `headStride` (in blocks)
/// are 0 where nothing in the pattern depends on that axis and lengths are
/// equal.
struct TilePlan {
  Walk walk = Walk::Keys;
  TileSize tile;
  int64_t blocks = 0; ///< Per (b, h).
  int64_t batchStride = 0, headStride = 0;
  std::vector<int64_t> rowStart;
  std::vector<TileRun> runs;

  int64_t bytes() const;
};

/// Builds the plan of a Bounds or List form (also works for Interval, for
/// tests). A tile that reaches past a length is reported partial when
/// `raggedIsPartial`.
TilePlan planTiles(const TileForm &form, const Bindings &bindings,
                   TileSize tile, bool raggedIsPartial);

} // namespace jacquard

#endif // JACQUARD_PATTERNS_TILEFORM_H
