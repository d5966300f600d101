//===- ShowCommand.cpp - show: the picture of a pattern -------------------===//

#include "Knobs.h"
#include "OutputFile.h"
#include "Picture.h"
#include "ProblemOptions.h"

using namespace jacquard;

namespace {
struct ShowOptions {
  ProblemOptions problem;
  int64_t element = 0, head = 0, tileQ = 0, tileK = 0;
  std::string svg, png;
  bool ascii = false;
};
} // namespace

/// A power of two for which the picture has at most 32 tiles along the axis.
static int64_t defaultTile(int64_t length) {
  int64_t tile = 1;
  while (tile * 32 < length)
    tile *= 2;
  return tile;
}

static Json pictureJson(const Picture &picture) {
  Json rows = Json::array();
  for (int64_t row = 0; row < picture.cellRows; ++row) {
    std::string line;
    for (int64_t column = 0; column < picture.cellColumns; ++column)
      line += ".-#"[static_cast<int>(picture.at(row, column))];
    rows.push_back(line);
  }
  return {{"pattern", picture.name},
          {"batch_element", picture.b},
          {"head", picture.h},
          {"q_len", picture.qLen},
          {"k_len", picture.kLen},
          {"tile", {picture.tile.rows, picture.tile.keys}},
          {"tiles",
           {{"full", picture.full},
            {"partial", picture.partial},
            {"empty", picture.empty}}},
          {"kept_pairs", picture.kept},
          {"density", picture.density()},
          {"cell_tiles", {picture.cellTiles.rows, picture.cellTiles.keys}},
          {"cells", rows}};
}

static int show(const Session &session, const ShowOptions &options) {
  Expected<LoadedProblem> loaded = options.problem.load(false, true);
  if (!loaded)
    return fail(session, loaded.error());
  Expected<Bindings> bindings =
      bind(loaded->pattern, loaded->problem, loaded->owned.inputs, true);
  if (!bindings)
    return fail(session, bindings.error());
  const ProblemShape &shape = bindings->shape;
  for (auto [name, given, limit] :
       {std::tuple("--element", options.element, shape.batch),
        std::tuple("--head", options.head, shape.heads)})
    if (given < 0 || given >= limit)
      return fail(session,
                  makeError(ErrorKind::Usage, "E0507",
                            std::string(name) + " is " + std::to_string(given) +
                                "; there are " + std::to_string(limit)));
  for (auto [name, given] : {std::pair("--tile-q", options.tileQ),
                             std::pair("--tile-k", options.tileK)})
    if (given < 0 || given > (int64_t(1) << 32))
      return fail(session,
                  makeError(ErrorKind::Usage, "E0507",
                            std::string(name) + " is " + std::to_string(given) +
                                "; at least 1 is needed"));
  TileSize tile{options.tileQ ? options.tileQ : defaultTile(shape.qLen),
                options.tileK ? options.tileK : defaultTile(shape.kLen)};
  sayRandom(*loaded, options.problem.seed);
  bool toFile = !options.svg.empty() || !options.png.empty();
  Picture picture = drawPattern(loaded->pattern, *bindings, options.element,
                                options.head, tile, toFile ? 768 : 64);
  if (!options.svg.empty())
    if (Status status = writeWhole(options.svg, {asSvg(picture)}); !status)
      return fail(session, status.error());
  if (!options.png.empty()) {
    std::string png = asPng(picture);
    if (Status status = writeWhole(options.png, {png}); !status)
      return fail(session, status.error());
  }
  if (session.json)
    printJson(pictureJson(picture));
  else if (!toFile)
    printText(asText(picture, unicodeOn() && !options.ascii));
  return 0;
}

void jacquard::addShowCommand(CLI::App &app, Session &session) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App *command = addCommand(
      app, session, "show",
      "Show a pattern as full, partial and empty tiles, with exact counts",
      {"show window_sink --q 2048 --k 2048 -p window=512",
       "show documents -t doc=ids.npy --q 4096 --svg documents.svg",
       "show head_mixture --heads 8 --head 7 --tile-q 64 --tile-k 64"},
      [&session, options] { return show(session, *options); });
  options->problem.declare(*command, 1024);
  command->add_option("--tile-q", options->tileQ,
                      "Rows of a tile (default: by length)");
  command->add_option("--tile-k", options->tileK,
                      "Keys of a tile (default: by length)");
  command->add_option("--head", options->head, "Which query head")
      ->capture_default_str();
  command->add_option("--element", options->element, "Which batch element")
      ->capture_default_str();
  command->add_option("--svg", options->svg,
                      "Write the picture as SVG instead");
  command->add_option("--png", options->png,
                      "Write the picture as PNG instead");
  command->add_flag("--ascii", options->ascii, "Draw with ASCII only");
}
