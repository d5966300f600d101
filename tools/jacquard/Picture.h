//===- Picture.h - a pattern as full, partial and empty tiles ---*- C++ -*-===//
//
// Tiles and pairs are counted exactly; the picture has a bounded number of
// cells, so at great lengths one cell stands for a square of tiles.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_TOOLS_JACQUARD_PICTURE_H
#define JACQUARD_TOOLS_JACQUARD_PICTURE_H

#include "Progress.h"
#include "runtime/Jacquard.h"

namespace jacquard {

struct Picture {
  std::string name;
  int64_t b = 0, h = 0, qLen = 0, kLen = 0;
  TileSize tile;
  int64_t rowTiles = 0, keyTiles = 0;
  int64_t full = 0, partial = 0, empty = 0; ///< Tiles.
  int64_t kept = 0;                         ///< Pairs.
  TileSize cellTiles{1, 1};                 ///< Tiles of one cell.
  int64_t cellRows = 0, cellColumns = 0;
  std::vector<TileClass> cells; ///< Row by row.

  double density() const;
  TileClass at(int64_t row, int64_t column) const {
    return cells[row * cellColumns + column];
  }
};

/// Counts pairs of (b, h) that are kept.
int64_t countKept(const Pattern &pattern, const TileForm &form,
                  const Bindings &bindings, int64_t b, int64_t h,
                  Progress &progress);

/// Kept pairs of all heads; heads that cannot differ are counted once.
int64_t countKept(const Pattern &pattern, const Bindings &bindings);

/// At most `mostCells` cells along each axis.
Picture drawPattern(const Pattern &pattern, const Bindings &bindings, int64_t b,
                    int64_t h, TileSize tile, int64_t mostCells);

/// For a terminal; `unicode` or ASCII.
std::string asText(const Picture &picture, bool unicode);
std::string asSvg(const Picture &picture);
/// A PNG file's bytes; empty when it can't be made.
std::string asPng(const Picture &picture);

/// 1234567 as "1,234,567".
std::string grouped(int64_t number);
/// A number with so many significant digits.
std::string rounded(double value, int digits);

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_PICTURE_H
