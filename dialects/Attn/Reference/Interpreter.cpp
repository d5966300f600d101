//===- Interpreter.cpp - the definition of attention, pair by pair --------===//

#include "dialects/Attn/Reference/Interpreter.h"

#include "dialects/Attn/Reference/PatternData.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace jacquard;
using namespace jacquard::attn;

static constexpr double infinity = std::numeric_limits<double>::infinity();

template <typename Region>
static Status compileRegion(PatternOp pattern, unsigned floats,
                            const Bindings &bindings,
                            std::optional<ScalarProgram> &program) {
  for (Region region : pattern.getBody().front().getOps<Region>()) {
    Expected<ScalarProgram> compiled =
        ScalarProgram::compile(region.getBody(), floats, pattern, bindings);
    if (!compiled)
      return compiled.takeError();
    program = std::move(*compiled);
  }
  return {};
}

Expected<Interpreter> Interpreter::create(PatternOp pattern,
                                          const Bindings &bindings) {
  Interpreter result(pattern, bindings);
  if (Status status = compileRegion<KeepOp>(pattern, 0, bindings, result.keep);
      !status)
    return status.takeError();
  if (Status status =
          compileRegion<ScoreOp>(pattern, 1, bindings, result.score);
      !status)
    return status.takeError();
  if (Status status =
          compileRegion<ScoreGradOp>(pattern, 2, bindings, result.scoreGrad);
      !status)
    return status.takeError();
  if (std::optional<llvm::StringRef> name = pattern.getSink())
    result.sink =
        &bindings.tensors[PatternData(pattern, bindings).tensorIndex(*name)];
  return result;
}

bool Interpreter::kept(const PairPlace &place) {
  return !keep || keep->evaluate(place, {}).i != 0;
}

double Interpreter::changedScore(const PairPlace &place, double s) {
  return score ? score->evaluate(place, {s}).f : s;
}

std::optional<double> Interpreter::sinkOf(int64_t h) const {
  if (!sink)
    return std::nullopt;
  return loadElement(*sink, {h}).f;
}

void Interpreter::everyRow(llvm::function_ref<void(PairPlace)> visit) const {
  const ProblemShape &shape = bindings->shape;
  for (int64_t b = 0; b < shape.batch; ++b)
    for (int64_t h = 0; h < shape.heads; ++h) {
      int64_t g = h / (shape.heads / shape.kvHeads);
      for (int64_t row = 0; row < shape.qLenOf(b); ++row)
        visit({b, h, g, row, 0});
    }
}

/// Sum over the last axis of products of two rows.
static double dot(const ReferenceArray &a, int64_t b, int64_t headA,
                  int64_t rowA, const ReferenceArray &other, int64_t headB,
                  int64_t rowB) {
  double sum = 0;
  for (int64_t d = 0; d < a.dim(3); ++d)
    sum += a.at({b, headA, rowA, d}) * other.at({b, headB, rowB, d});
  return sum;
}

Interpreter::Forward Interpreter::forward(const ReferenceArray &q,
                                          const ReferenceArray &k,
                                          const ReferenceArray &v,
                                          double scale) {
  const ProblemShape &shape = bindings->shape;
  Forward result{
      ReferenceArray({shape.batch, shape.heads, shape.qLen, v.dim(3)}),
      ReferenceArray({shape.batch, shape.heads, shape.qLen})};
  everyRow([&](PairPlace place) {
    auto [b, h, g, row, unused] = place;
    std::vector<std::pair<int64_t, double>> scores;
    double largest = sinkOf(h).value_or(-infinity);
    for (place.k = 0; place.k < shape.kLenOf(b); ++place.k) {
      if (!kept(place))
        continue;
      double s = changedScore(place, scale * dot(q, b, h, row, k, g, place.k));
      scores.emplace_back(place.k, s);
      // Not std::max: a NaN must stay.
      largest = s > largest || std::isnan(s) ? s : largest;
    }
    if (largest == -infinity) {
      result.lse.at({b, h, row}) = -infinity;
      return;
    }
    double sum = sink ? std::exp(*sinkOf(h) - largest) : 0;
    for (auto [key, s] : scores)
      sum += std::exp(s - largest);
    for (auto [key, s] : scores)
      for (int64_t d = 0; d < v.dim(3); ++d)
        result.out.at({b, h, row, d}) +=
            std::exp(s - largest) / sum * v.at({b, g, key, d});
    result.lse.at({b, h, row}) = largest + std::log(sum);
  });
  return result;
}

Interpreter::Preprocess Interpreter::preprocess(const ReferenceArray &out,
                                                const ReferenceArray &dOut,
                                                const ReferenceArray &lse,
                                                const ReferenceArray &dLse) {
  const ProblemShape &shape = bindings->shape;
  Preprocess result{ReferenceArray({shape.batch, shape.heads, shape.qLen}), {}};
  if (sink)
    result.dSink = ReferenceArray(sink->shape);
  everyRow([&](PairPlace place) {
    auto [b, h, g, row, unused] = place;
    double own = lse.at({b, h, row});
    if (own == -infinity) // Nothing flows through a row that keeps nothing.
      return;
    double delta = dot(out, b, h, row, dOut, h, row) - dLse.at({b, h, row});
    result.delta.at({b, h, row}) = delta;
    if (sink)
      accumulateElement(result.dSink, {h}, -std::exp(*sinkOf(h) - own) * delta);
  });
  return result;
}

Expected<Interpreter::Backward>
Interpreter::backward(const ReferenceArray &q, const ReferenceArray &k,
                      const ReferenceArray &v, const ReferenceArray &lse,
                      const ReferenceArray &dOut, const ReferenceArray &delta,
                      double scale) {
  if (score && !scoreGrad)
    return makeError(ErrorKind::Internal, "E0698",
                     "the reference needs the adjoint of the score");
  const ProblemShape &shape = bindings->shape;
  Backward result{ReferenceArray(q.shape),
                  ReferenceArray(k.shape),
                  ReferenceArray(v.shape),
                  {}};
  for (auto [i, tensor] :
       llvm::enumerate(pattern.getBody().front().getOps<TensorOp>()))
    result.gradients.push_back(tensor.getGrad()
                                   ? ReferenceArray(bindings->tensors[i].shape)
                                   : ReferenceArray());
  everyRow([&](PairPlace place) {
    auto [b, h, g, row, unused] = place;
    double rowLse = lse.at({b, h, row});
    if (rowLse == -infinity)
      return;
    for (place.k = 0; place.k < shape.kLenOf(b); ++place.k) {
      if (!kept(place))
        continue;
      double s = scale * dot(q, b, h, row, k, g, place.k);
      double p = std::exp(changedScore(place, s) - rowLse);
      double dp = dot(dOut, b, h, row, v, g, place.k);
      double dScore = p * (dp - delta.at({b, h, row}));
      double dS =
          scoreGrad
              ? scoreGrad->evaluate(place, {s, dScore}, &result.gradients).f
              : dScore;
      for (int64_t d = 0; d < q.dim(3); ++d) {
        result.dq.at({b, h, row, d}) += scale * dS * k.at({b, g, place.k, d});
        result.dk.at({b, g, place.k, d}) += scale * dS * q.at({b, h, row, d});
      }
      for (int64_t d = 0; d < v.dim(3); ++d)
        result.dv.at({b, g, place.k, d}) += p * dOut.at({b, h, row, d});
    }
  });
  return result;
}

ReferenceArray Interpreter::classify(int64_t rows, int64_t keys) {
  const ProblemShape &shape = bindings->shape;
  int64_t rowBlocks = (shape.qLen + rows - 1) / rows;
  int64_t keyBlocks = (shape.kLen + keys - 1) / keys;
  ReferenceArray result({shape.batch, shape.heads, rowBlocks, keyBlocks});
  ReferenceArray all = result, dropped = result;
  everyRow([&](PairPlace place) {
    for (place.k = 0; place.k < shape.kLenOf(place.b); ++place.k) {
      int64_t i = place.row / rows, j = place.k / keys;
      (kept(place) ? all : dropped).at({place.b, place.h, i, j}) += 1;
    }
  });
  for (size_t i = 0; i < result.data.size(); ++i)
    result.data[i] = all.data[i] == 0 ? 0 : dropped.data[i] == 0 ? 2 : 1;
  return result;
}

Interpreter::Forward
jacquard::attn::combine(llvm::ArrayRef<Interpreter::Forward> parts) {
  Interpreter::Forward result{ReferenceArray(parts.front().out.shape),
                              ReferenceArray(parts.front().lse.shape)};
  int64_t dim = result.out.shape.back();
  for (size_t row = 0; row < result.lse.data.size(); ++row) {
    double largest = -infinity, sum = 0;
    for (const Interpreter::Forward &part : parts)
      largest = std::max(largest, part.lse.data[row]);
    result.lse.data[row] = largest;
    if (largest == -infinity)
      continue;
    for (const Interpreter::Forward &part : parts)
      sum += std::exp(part.lse.data[row] - largest);
    result.lse.data[row] = largest + std::log(sum);
    for (const Interpreter::Forward &part : parts) {
      double weight = std::exp(part.lse.data[row] - largest) / sum;
      if (weight != 0) // What a part without keys holds must not matter.
        for (int64_t d = 0; d < dim; ++d)
          result.out.data[row * dim + d] +=
              weight * part.out.data[row * dim + d];
    }
  }
  return result;
}
