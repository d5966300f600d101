//===- PictureFile.cpp - pictures of patterns as SVG and PNG --------------===//

#include "Picture.h"

#include <algorithm>
#include <array>

// One translation unit holds the writer; its functions stay in it.
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image_write.h>
#pragma clang diagnostic pop

using namespace jacquard;

/// Skip, partial, full.
static constexpr std::array<std::array<unsigned char, 3>, 3> colors{
    {{{0xf4, 0xf4, 0xf0}}, {{0xe6, 0xa1, 0x4a}}, {{0x2a, 0x5c, 0x8a}}}};

static int64_t cellPixels(const Picture &picture) {
  int64_t longest =
      std::max<int64_t>({picture.cellRows, picture.cellColumns, 1});
  return std::clamp<int64_t>(768 / longest, 1, 24);
}

static std::string hexColor(TileClass tile) {
  const auto &color = colors[static_cast<size_t>(tile)];
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "#";
  for (unsigned char part : color) {
    text += digits[part >> 4];
    text += digits[part & 15];
  }
  return text;
}

static std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text)
    result += c == '<'   ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '&' ? "&amp;"
                         : std::string(1, c);
  return result;
}

static std::string caption(const Picture &picture) {
  return picture.name + ", q_len " + grouped(picture.qLen) + ", k_len " +
         grouped(picture.kLen) + ": " + grouped(picture.full) + " full, " +
         grouped(picture.partial) + " partial, " + grouped(picture.empty) +
         " empty tiles of " + std::to_string(picture.tile.rows) + " x " +
         std::to_string(picture.tile.keys) + "; density " +
         rounded(100 * picture.density(), 4) + " %";
}

std::string jacquard::asSvg(const Picture &picture) {
  int64_t size = cellPixels(picture), margin = 28;
  int64_t width = picture.cellColumns * size, height = picture.cellRows * size;
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
      number(std::max<int64_t>(width, 640)) + "\" height=\"" +
      number(height + margin) + "\">\n<title>" + escaped(picture.name) +
      "</title>\n<text x=\"0\" y=\"18\" font-family=\"sans-serif\" "
      "font-size=\"12\">" +
      escaped(caption(picture)) + "</text>\n<g transform=\"translate(0," +
      number(margin) + ")\" shape-rendering=\"crispEdges\">\n" +
      "<rect width=\"" + number(width) + "\" height=\"" + number(height) +
      "\" fill=\"" + hexColor(TileClass::Skip) + "\"/>\n";
  for (int64_t row = 0; row < picture.cellRows; ++row)
    for (int64_t column = 0; column < picture.cellColumns;) {
      int64_t begin = column;
      TileClass tile = picture.at(row, column);
      while (column < picture.cellColumns && picture.at(row, column) == tile)
        ++column;
      if (tile == TileClass::Skip)
        continue;
      svg += "<rect x=\"" + number(begin * size) + "\" y=\"" +
             number(row * size) + "\" width=\"" +
             number((column - begin) * size) + "\" height=\"" + number(size) +
             "\" fill=\"" + hexColor(tile) + "\"/>\n";
    }
  return svg + "</g>\n</svg>\n";
}

std::string jacquard::asPng(const Picture &picture) {
  int64_t size = cellPixels(picture);
  // A picture of nothing is one empty pixel.
  int64_t width = std::max<int64_t>(picture.cellColumns * size, 1);
  int64_t height = std::max<int64_t>(picture.cellRows * size, 1);
  std::vector<unsigned char> pixels;
  pixels.reserve(static_cast<size_t>(width * height * 3));
  bool nothing = picture.cells.empty();
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      TileClass tile =
          nothing ? TileClass::Skip : picture.at(y / size, x / size);
      const auto &color = colors[static_cast<size_t>(tile)];
      pixels.insert(pixels.end(), color.begin(), color.end());
    }
  std::string bytes;
  auto append = [](void *context, void *data, int count) {
    static_cast<std::string *>(context)->append(static_cast<char *>(data),
                                                static_cast<size_t>(count));
  };
  int made = stbi_write_png_to_func(append, &bytes, static_cast<int>(width),
                                    static_cast<int>(height), 3, pixels.data(),
                                    static_cast<int>(width * 3));
  return made ? bytes : std::string();
}
