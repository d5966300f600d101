//===- DenseDefinition.cpp - library patterns, pair by pair ---------------===//

#include "DenseDefinition.h"

#include <algorithm>
#include <cmath>

using namespace jacquard;

template <typename List>
static size_t positionOf(const List &list, const std::string &name) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name)
      return i;
  return list.size();
}

int64_t Pair::param(const std::string &name) const {
  return bindings.params.at(positionOf(graph.params, name)).intValue;
}

double Pair::real(const std::string &name) const {
  return bindings.params.at(positionOf(graph.params, name)).floatValue;
}

static int64_t offsetOf(const ArrayView &view,
                        const std::vector<int64_t> &indices) {
  int64_t offset = 0;
  for (size_t i = 0; i < indices.size(); ++i)
    offset +=
        std::clamp<int64_t>(indices[i], 0, view.shape[i] - 1) * view.strides[i];
  return offset;
}

double Pair::at(const std::string &name, std::vector<int64_t> indices) const {
  const ArrayView &view = bindings.tensors.at(positionOf(graph.tensors, name));
  int64_t offset = offsetOf(view, indices);
  if (view.type == ElementType::I32)
    return static_cast<const int32_t *>(view.data)[offset];
  return static_cast<const float *>(view.data)[offset];
}

bool Pair::listed(std::vector<int64_t> indices, int64_t value) const {
  const ArrayView &view = bindings.selections[0];
  for (int64_t i = 0; i < view.shape[3]; ++i) {
    int64_t offset = offsetOf(view, indices) + i * view.strides[3];
    if (static_cast<const int32_t *>(view.data)[offset] == value)
      return true;
  }
  return false;
}

bool Pair::within(std::vector<int64_t> indices, int64_t value) const {
  const ArrayView &view = bindings.selections[0];
  const auto *data = static_cast<const int32_t *>(view.data);
  for (int64_t i = 0; i < view.shape[3]; ++i) {
    int64_t offset = offsetOf(view, indices) + i * view.strides[3];
    if (data[offset] <= value && value < data[offset + view.strides[4]])
      return true;
  }
  return false;
}

/// Rounding to minus infinity, and the remainder that goes with it.
static int64_t part(int64_t a, int64_t b) {
  return static_cast<int64_t>(std::floor(static_cast<double>(a) / double(b)));
}
static int64_t rest(int64_t a, int64_t b) { return a - part(a, b) * b; }

static bool causal(const Pair &p) { return p.k <= p.q(); }

static bool near(int64_t a, int64_t b, int64_t radius) {
  return a - b <= radius && b - a <= radius;
}

static bool sameDocument(const Pair &p) {
  return p.at("doc", {p.b, p.q()}) == p.at("doc", {p.b, p.k});
}

static bool blockDiffusion(const Pair &p) {
  int64_t half = part(p.kLen(), 2), block = p.param("block");
  bool cleanQuery = p.q() >= half, cleanKey = p.k >= half;
  int64_t q = part(cleanQuery ? p.q() - half : p.q(), block);
  int64_t k = part(cleanKey ? p.k - half : p.k, block);
  if (cleanQuery)
    return cleanKey && k <= q;
  return cleanKey ? k < q : k == q;
}

static bool neighborhood3d(const Pair &p) {
  int64_t width = p.param("width"), height = p.param("height");
  int64_t radius = p.param("radius"), q = p.q();
  return near(rest(q, width), rest(p.k, width), radius) &&
         near(rest(part(q, width), height), rest(part(p.k, width), height),
              radius) &&
         near(part(part(q, width), height), part(part(p.k, width), height),
              radius);
}

static bool tiledWindow(const Pair &p) {
  int64_t width = p.param("width"), tile = p.param("tile"),
          radius = p.param("radius");
  return near(part(part(p.q(), width), tile), part(part(p.k, width), tile),
              radius) &&
         near(part(rest(p.q(), width), tile), part(rest(p.k, width), tile),
              radius);
}

const std::map<std::string, DenseDefinition> &jacquard::denseDefinitions() {
  using P = const Pair &;
  static const std::map<std::string, DenseDefinition> all{
      {"full", {}},
      {"causal", {causal, {}}},
      {"window",
       {[](P p) {
          return p.q() - p.param("left") <= p.k &&
                 p.k <= p.q() + p.param("right");
        },
        {}}},
      {"token_window",
       {[](P p) {
          return causal(p) && p.q() - p.k < p.at("width", {p.b, p.row});
        },
        {}}},
      {"window_sink",
       {[](P p) {
          return causal(p) &&
                 (p.q() - p.k < p.param("window") || p.k < p.param("sink"));
        },
        {}}},
      {"a_shape",
       {[](P p) {
          return causal(p) &&
                 (p.k < p.param("first") || p.q() - p.k < p.param("window") ||
                  p.q() >= p.kLen() - p.param("last"));
        },
        {}}},
      {"global_tokens",
       {[](P p) {
          int64_t globals = p.param("globals");
          return near(p.q(), p.k, p.param("window")) || p.k < globals ||
                 p.q() < globals;
        },
        {}}},
      {"dilated",
       {[](P p) {
          int64_t step = p.param("dilation");
          for (int64_t i = 0; i < p.param("window"); ++i)
            if (p.q() - i * step == p.k)
              return true;
          return false;
        },
        {}}},
      {"strided",
       {[](P p) {
          int64_t stride = p.param("stride");
          return causal(p) &&
                 (p.q() - p.k < stride || rest(p.k, stride) == stride - 1);
        },
        {}}},
      {"bigbird",
       {[](P p) {
          int64_t globals = p.param("globals");
          return near(p.q(), p.k, p.param("window")) || p.k < globals ||
                 p.q() < globals || p.listed({p.b, p.h, p.row / 64}, p.k / 64);
        },
        {}}},
      {"block_diagonal",
       {[](P p) {
          return part(p.q(), p.param("block")) == part(p.k, p.param("block"));
        },
        {}}},
      {"chunked",
       {[](P p) {
          return causal(p) &&
                 part(p.q(), p.param("chunk")) == part(p.k, p.param("chunk"));
        },
        {}}},
      {"block_causal",
       {[](P p) {
          return part(p.k, p.param("block")) <= part(p.q(), p.param("block"));
        },
        {}}},
      {"prefix_lm",
       {[](P p) { return causal(p) || p.k < p.at("prefix", {p.b}); }, {}}},
      {"documents", {[](P p) { return causal(p) && sameDocument(p); }, {}}},
      {"shared_prefix",
       {[](P p) {
          return causal(p) && (p.k < p.param("prefix") || sameDocument(p));
        },
        {}}},
      {"tree",
       {[](P p) {
          return causal(p) && p.q() < p.at("subtree_end", {p.b, p.k});
        },
        {}}},
      {"row_intervals",
       {[](P p) { return p.within({p.b, p.h, p.row}, p.k); }, {}}},
      {"column_intervals",
       {[](P p) { return p.within({p.b, p.h, p.k}, p.row); }, {}}},
      {"padding",
       {[](P p) {
          double valid = p.at("valid", {p.b});
          return p.k < valid && p.q() < valid;
        },
        {}}},
      {"neighborhood_2d",
       {[](P p) {
          int64_t width = p.param("width"), radius = p.param("radius");
          return near(part(p.q(), width), part(p.k, width), radius) &&
                 near(rest(p.q(), width), rest(p.k, width), radius);
        },
        {}}},
      {"neighborhood_3d", {neighborhood3d, {}}},
      {"tiled_window", {tiledWindow, {}}},
      {"frame_window",
       {[](P p) {
          int64_t own = part(p.q(), p.param("frame")),
                  other = part(p.k, p.param("frame"));
          return near(own, other, p.param("window")) ||
                 rest(other, p.param("every")) == 0;
        },
        {}}},
      {"block_mask",
       {[](P p) {
          int64_t block = p.param("block");
          return p.at("mask", {p.h, part(p.q(), block), part(p.k, block)}) != 0;
        },
        {}}},
      {"block_list",
       {[](P p) { return p.listed({p.b, p.h, p.row / 128}, p.k / 128); }, {}}},
      {"token_block_list",
       {[](P p) {
          int64_t group = p.bindings.shape.heads / p.bindings.shape.kvHeads;
          return causal(p) && p.listed({p.b, p.h / group, p.row}, p.k / 64);
        },
        {}}},
      {"variable_blocks",
       {[](P p) {
          return p.at("table",
                      {p.h, static_cast<int64_t>(p.at("q_id", {p.row})),
                       static_cast<int64_t>(p.at("k_id", {p.k}))}) != 0;
        },
        {}}},
      {"vertical_slash",
       {[](P p) {
          return causal(p) && (p.at("vertical", {p.h, p.k}) != 0 ||
                               p.at("slash", {p.h, p.q() - p.k}) != 0);
        },
        {}}},
      {"compressed_keys",
       {[](P p) {
          // Every position that the key stands for is past or present.
          for (int64_t i = 0; i < p.param("ratio"); ++i)
            if (p.k * p.param("ratio") + i > p.q())
              return false;
          return true;
        },
        {}}},
      {"block_diffusion", {blockDiffusion, {}}},
      {"head_mixture",
       {[](P p) {
          bool local = p.h < p.param("local");
          return causal(p) && !(local && p.q() - p.k >= p.param("window"));
        },
        {}}},
      {"bitmap",
       {[](P p) {
          if (p.k >= 2048)
            return false;
          auto word =
              static_cast<int32_t>(p.at("bits", {p.b, p.row, p.k / 32}));
          return (static_cast<uint32_t>(word) >> (p.k % 32) & 1) != 0;
        },
        {}}},
      {"alibi",
       {causal,
        [](P p) { return p.s - p.at("slope", {p.h}) * double(p.q() - p.k); }}},
      {"relative_bias",
       {{},
        [](P p) {
          int64_t distance = std::clamp<int64_t>(p.q() - p.k, -128, 128);
          return p.s + p.at("table", {p.h, distance + 128});
        }}},
      {"pair_bias",
       {{}, [](P p) { return p.s + p.at("bias", {p.h, p.row, p.k}); }}},
      {"soft_cap",
       {{},
        [](P p) { return p.real("cap") * std::tanh(p.s / p.real("cap")); }}},
      {"temperature", {{}, [](P p) { return p.s * p.at("factor", {p.h}); }}},
      {"learned_sink", {causal, {}}},
  };
  return all;
}
