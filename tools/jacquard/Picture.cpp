//===- Picture.cpp - a pattern as full, partial and empty tiles -----------===//

#include "Picture.h"

#include <algorithm>
#include <cstdio>

using namespace jacquard;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

double Picture::density() const {
  double pairs = static_cast<double>(qLen) * static_cast<double>(kLen);
  return pairs > 0 ? static_cast<double>(kept) / pairs : 0;
}

int64_t jacquard::countKept(const Pattern &pattern, const TileForm &form,
                            const Bindings &bindings, int64_t b, int64_t h,
                            Progress &progress) {
  int64_t qLen = bindings.shape.qLenOf(b), kLen = bindings.shape.kLenOf(b);
  // Interval ends give a row at once; lists are classified in larger tiles
  // first.
  TileSize tile =
      form.source == TileSource::List ? TileSize{32, 32} : TileSize{1, 1};
  TileFinder finder(form, bindings, tile);
  Evaluator evaluator(pattern.graph(), bindings);
  evaluator.setHead(b, h);
  std::vector<TileRun> runs;
  int64_t kept = 0, blocks = ceilDiv(qLen, tile.rows);
  for (int64_t block = 0; block < blocks; ++block) {
    int64_t rowEnd = std::min((block + 1) * tile.rows, qLen);
    finder.runs(b, h, block, runs);
    for (const TileRun &run : runs) {
      int64_t begin = run.begin * tile.keys,
              end = std::min(run.end * tile.keys, kLen);
      for (int64_t row = block * tile.rows; row < rowEnd; ++row) {
        if (run.full) {
          kept += end - begin;
          continue;
        }
        evaluator.setRow(row);
        for (int64_t k = begin; k < end; ++k) {
          evaluator.setKey(k);
          kept += evaluator.evalBool(pattern.graph().keep);
        }
      }
    }
    progress.done(static_cast<double>(block + 1) / static_cast<double>(blocks));
  }
  return kept;
}

int64_t jacquard::countKept(const Pattern &pattern, const Bindings &bindings) {
  const Graph &graph = pattern.graph();
  auto reads = [&](auto test) { return graph.reach(test)[graph.keep]; };
  const ProblemShape &shape = bindings.shape;
  bool sameHeads = !reads([](const Node &node) {
    return node.op == Op::Head || node.op == Op::KvHead ||
           node.op == Op::Selected;
  });
  bool sameBatch = shape.qLens.empty() && shape.kLens.empty() &&
                   std::equal(shape.qOffsets.begin() + !shape.qOffsets.empty(),
                              shape.qOffsets.end(), shape.qOffsets.begin()) &&
                   !reads([](const Node &node) {
                     return node.op == Op::Batch || node.op == Op::Selected;
                   });
  TileForm form = pattern.tiles(Walk::Keys);
  Progress progress("counting kept pairs");
  int64_t kept = 0;
  for (int64_t b = 0;
       b < (sameBatch ? std::min<int64_t>(shape.batch, 1) : shape.batch); ++b)
    for (int64_t h = 0;
         h < (sameHeads ? std::min<int64_t>(shape.heads, 1) : shape.heads); ++h)
      kept += countKept(pattern, form, bindings, b, h, progress);
  return kept * (sameBatch ? shape.batch : 1) * (sameHeads ? shape.heads : 1);
}

Picture jacquard::drawPattern(const Pattern &pattern, const Bindings &bindings,
                              int64_t b, int64_t h, TileSize tile,
                              int64_t mostCells) {
  Picture picture;
  picture.name = pattern.graph().name;
  picture.b = b;
  picture.h = h;
  picture.qLen = bindings.shape.qLenOf(b);
  picture.kLen = bindings.shape.kLenOf(b);
  picture.tile = tile;
  picture.rowTiles = ceilDiv(picture.qLen, tile.rows);
  picture.keyTiles = ceilDiv(picture.kLen, tile.keys);
  picture.cellTiles = {
      std::max<int64_t>(1, ceilDiv(picture.rowTiles, mostCells)),
      std::max<int64_t>(1, ceilDiv(picture.keyTiles, mostCells))};
  picture.cellRows = ceilDiv(picture.rowTiles, picture.cellTiles.rows);
  picture.cellColumns = ceilDiv(picture.keyTiles, picture.cellTiles.keys);
  TileForm form = pattern.tiles(Walk::Keys);
  TileFinder finder(form, bindings, tile);
  Progress progress("finding tiles of " + picture.name);
  std::vector<TileRun> runs;
  std::vector<int64_t> fullTiles(picture.cellColumns),
      keptTiles(picture.cellColumns);
  for (int64_t row = 0; row < picture.rowTiles; ++row) {
    finder.runs(b, h, row, runs);
    for (const TileRun &run : runs) {
      (run.full ? picture.full : picture.partial) += run.end - run.begin;
      int64_t width = picture.cellTiles.keys;
      for (int64_t cell = run.begin / width; cell * width < run.end; ++cell) {
        int64_t count = std::min(run.end, (cell + 1) * width) -
                        std::max(run.begin, cell * width);
        keptTiles[cell] += count;
        fullTiles[cell] += run.full ? count : 0;
      }
    }
    bool last = row + 1 == picture.rowTiles;
    if (!last && (row + 1) % picture.cellTiles.rows != 0)
      continue;
    int64_t rows = row % picture.cellTiles.rows + 1;
    for (int64_t cell = 0; cell < picture.cellColumns; ++cell) {
      int64_t columns =
          std::min(picture.cellTiles.keys,
                   picture.keyTiles - cell * picture.cellTiles.keys);
      picture.cells.push_back(keptTiles[cell] == 0 ? TileClass::Skip
                              : fullTiles[cell] == rows * columns
                                  ? TileClass::Full
                                  : TileClass::Partial);
    }
    std::fill(fullTiles.begin(), fullTiles.end(), 0);
    std::fill(keptTiles.begin(), keptTiles.end(), 0);
    progress.done(static_cast<double>(row + 1) /
                  static_cast<double>(picture.rowTiles));
  }
  picture.empty =
      picture.rowTiles * picture.keyTiles - picture.full - picture.partial;
  picture.kept = countKept(pattern, form, bindings, b, h, progress);
  return picture;
}

std::string jacquard::grouped(int64_t number) {
  std::string digits = std::to_string(number);
  size_t first = number < 0;
  for (size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string jacquard::rounded(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

static std::string percent(double share) {
  return rounded(100 * share, 4) + " %";
}

std::string jacquard::asText(const Picture &picture, bool unicode) {
  const char *blocks[] = {unicode ? "· " : ". ", unicode ? "░░" : "--",
                          unicode ? "██" : "##"};
  std::string text = picture.name + ": q_len " + grouped(picture.qLen) +
                     ", k_len " + grouped(picture.kLen) + ", batch element " +
                     std::to_string(picture.b) + ", head " +
                     std::to_string(picture.h) + "\n";
  int64_t rowStep = picture.tile.rows * picture.cellTiles.rows;
  size_t width = std::to_string(std::max<int64_t>(picture.qLen - 1, 0)).size();
  for (int64_t row = 0; row < picture.cellRows; ++row) {
    std::string label = std::to_string(row * rowStep);
    text += std::string(width - std::min(width, label.size()), ' ') + label +
            (unicode ? " │" : " |");
    for (int64_t column = 0; column < picture.cellColumns; ++column)
      text += blocks[static_cast<int>(picture.at(row, column))];
    text += unicode ? "│\n" : "|\n";
  }
  auto count = [&](const char *block, const char *word, int64_t tiles) {
    int64_t all = std::max<int64_t>(picture.rowTiles * picture.keyTiles, 1);
    return std::string(block) + " " + word + " " + grouped(tiles) + " (" +
           percent(static_cast<double>(tiles) / static_cast<double>(all)) + ")";
  };
  text += "tiles of " + std::to_string(picture.tile.rows) + " x " +
          std::to_string(picture.tile.keys) + ": " +
          count(blocks[2], "full", picture.full) + "  " +
          count(blocks[1], "partial", picture.partial) + "  " +
          count(blocks[0], "empty", picture.empty) + "\n";
  if (picture.cellTiles.rows > 1 || picture.cellTiles.keys > 1)
    text += "one cell is " + std::to_string(picture.cellTiles.rows) + " x " +
            std::to_string(picture.cellTiles.keys) + " tiles\n";
  text += "pairs kept: " + grouped(picture.kept) + " of " +
          grouped(picture.qLen * picture.kLen) + ", density " +
          percent(picture.density()) + "\n";
  return text;
}
