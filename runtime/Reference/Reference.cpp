//===- Reference.cpp - attention by its definition, in fp64 ---------------===//
//
// Every pair of every head, one after another, from the formulas of the
// language's semantics; gradients by reverse accumulation over the score's
// graph. Slow and plain on purpose. Beside each result stands how far a target
// may be from it: what rounding alone can explain (u: unit roundoff of the
// stored element, e: of fp32).
//
//===----------------------------------------------------------------------===//

#include "runtime/Reference/Reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace jacquard;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = 1.0 / (1 << 24); ///< fp32.

double unitRoundoff(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return 1.0 / (1 << 11);
  case ElementType::BF16:
    return 1.0 / (1 << 8);
  default:
    return epsilon;
  }
}

/// A weight below the smallest normal fp32 number may count as 0.
constexpr double flushed = 2 * 1.1754943508222875e-38;

/// Smallest step of the type near zero.
double leastStep(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return std::ldexp(1, -24);
  case ElementType::BF16:
    return std::ldexp(1, -133);
  default:
    return std::ldexp(1, -126); // fp32 kernels may flush below.
  }
}

/// An operand read as fp64.
class Operand {
public:
  Operand() = default;
  Operand(const TensorView &view, int64_t start) : view(view), start(start) {
    if (this->view.strides.empty())
      this->view.strides = ArrayView::contiguous(view.shape);
    size_t axes = view.shape.size();
    if (axes && view.shape[0] == 1)
      this->view.strides[0] = 0;
  }
  double at(int64_t b, int64_t h, int64_t row, int64_t dim = 0) const {
    int64_t offset = b * view.strides[0] + h * view.strides[1] +
                     (start + row) * view.strides[2] + dim;
    switch (view.type) {
    case ElementType::F32:
      return static_cast<const float *>(view.data)[offset];
    case ElementType::I32:
      return static_cast<const int32_t *>(view.data)[offset];
    default:
      return decode16(static_cast<const uint16_t *>(view.data)[offset],
                      view.type);
    }
  }

private:
  TensorView view;
  int64_t start = 0;
};

/// The score of a pair, its derivative by s, and those by tensor elements.
class ScoreTape {
public:
  ScoreTape(const Graph &graph, Evaluator &evaluator, const Bindings &bindings)
      : graph(graph), evaluator(evaluator), bindings(bindings),
        plain(graph[graph.score].op == Op::Logit),
        adjoints(graph.nodes().size()) {}

  bool isPlain() const { return plain; }

  double value(double s) {
    if (plain)
      return s;
    evaluator.setLogit(s);
    return evaluator.evalFloat(graph.score);
  }

  /// Largest intermediate value, and how many there are: what rounding acts on.
  double roundingScale() {
    if (plain)
      return 0;
    double most = 0;
    int64_t count = 0;
    for (NodeId id = 0; id <= graph.score; ++id)
      if (graph[id].type == Scalar::Float && reads()[id]) {
        most = std::max(most, std::fabs(evaluator.evalFloat(id)));
        ++count;
      }
    return 4 * count * most;
  }

  /// d score / d s; calls `element(tensor, offset, derivative)` for loads of
  /// tensors that want a gradient.
  template <typename Callback> double gradient(Callback element) {
    if (plain)
      return 1;
    std::fill(adjoints.begin(), adjoints.end(), 0.0);
    adjoints[graph.score] = 1;
    double bySlope = 0;
    for (NodeId id = graph.score + 1; id-- > 0;) {
      const Node &node = graph[id];
      double own = adjoints[id];
      if (node.type != Scalar::Float || !reads()[id] || own == 0)
        continue;
      auto in = [&](size_t i) { return evaluator.evalFloat(node.operands[i]); };
      auto give = [&](size_t i, double amount) {
        adjoints[node.operands[i]] += amount;
      };
      double y = evaluator.evalFloat(id);
      switch (node.op) {
      case Op::Logit:
        bySlope += own;
        break;
      case Op::Load:
        if (graph.tensors[node.ref].grad)
          element(node.ref, offsetOf(node), own);
        break;
      case Op::Add:
        give(0, own), give(1, own);
        break;
      case Op::Sub:
        give(0, own), give(1, -own);
        break;
      case Op::Mul:
        give(0, own * in(1)), give(1, own * in(0));
        break;
      case Op::Div:
        give(0, own / in(1)), give(1, -own * y / in(1));
        break;
      case Op::Neg:
        give(0, -own);
        break;
      case Op::Abs:
        give(0, in(0) > 0 ? own : in(0) < 0 ? -own : 0);
        break;
      case Op::Min:
        give(in(1) < in(0) ? 1 : 0, own);
        break;
      case Op::Max:
        give(in(1) > in(0) ? 1 : 0, own);
        break;
      case Op::Where:
        give(evaluator.evalBool(node.operands[0]) ? 1 : 2, own);
        break;
      case Op::Exp:
        give(0, own * y);
        break;
      case Op::Log:
        give(0, own / in(0));
        break;
      case Op::Tanh:
        give(0, own * (1 - y * y));
        break;
      case Op::Sigmoid:
        give(0, own * y * (1 - y));
        break;
      case Op::Sqrt:
        give(0, own / (2 * y));
        break;
      default:
        break;
      }
    }
    return bySlope;
  }

private:
  /// Which nodes the score reads.
  const std::vector<bool> &reads() {
    if (used.empty()) {
      used.resize(graph.nodes().size());
      used[graph.score] = true;
      for (NodeId id = graph.score + 1; id-- > 0;)
        if (used[id])
          for (NodeId operand : graph[id].operands)
            used[operand] = true;
    }
    return used;
  }

  /// Where an element lies in a contiguous array of the tensor's own shape.
  int64_t offsetOf(const Node &node) {
    const ArrayView &view = bindings.tensors[node.ref];
    std::vector<int64_t> strides = ArrayView::contiguous(view.shape);
    int64_t offset = 0;
    for (size_t i = 0; i < node.operands.size(); ++i)
      offset += std::clamp<int64_t>(evaluator.evalInt(node.operands[i]), 0,
                                    view.shape[i] - 1) *
                strides[i];
    return offset;
  }

  const Graph &graph;
  Evaluator &evaluator;
  const Bindings &bindings;
  bool plain;
  std::vector<double> adjoints;
  std::vector<bool> used;
};

/// One kept pair of a row.
struct Pair {
  int64_t k;
  double raw, score, rawError, scoreError;
};

class ReferenceRun {
public:
  ReferenceRun(const Pattern &pattern, const Bindings &bindings,
               const ReferenceOperands &operands, bool backward, double scale)
      : graph(pattern.graph()), bindings(bindings), shape(bindings.shape),
        operands(operands), withBackward(backward), scale(scale),
        evaluator(graph, bindings), tape(graph, evaluator, bindings) {
    headDim = operands.q.shape[3];
    valueDim = operands.v.shape[3];
    u = unitRoundoff(operands.q.type);
    step = leastStep(operands.q.type);
  }

  Reference run() {
    int64_t rows = shape.batch * shape.heads * shape.qLen;
    int64_t keys = shape.batch * shape.kvHeads * shape.kLen;
    resize(result.out, rows * valueDim);
    resize(result.lse, rows);
    std::fill(result.lse.value.begin(), result.lse.value.end(), -infinity);
    if (withBackward) {
      resize(result.dq, rows * headDim);
      resize(result.dk, keys * headDim);
      resize(result.dv, keys * valueDim);
      for (uint32_t i = 0; i < graph.tensors.size(); ++i)
        if (graph.tensors[i].grad || graph.sink == i)
          resize(result.gradients[graph.tensors[i].name],
                 elements(bindings.tensors[i].shape));
    }
    for (int64_t b = 0; b < shape.batch; ++b)
      for (int64_t h = 0; h < shape.heads; ++h)
        head(b, h);
    if (withBackward) {
      finish(result.dk, u);
      finish(result.dv, u);
      for (auto &entry : result.gradients)
        finish(entry.second, epsilon);
    }
    return std::move(result);
  }

private:
  static int64_t elements(const std::vector<int64_t> &extents) {
    int64_t count = 1;
    for (int64_t extent : extents)
      count *= extent;
    return count;
  }
  static void resize(Bounded &array, int64_t count) {
    array.value.assign(count, 0);
    array.bound.assign(count, 0);
  }
  /// Rounding of sums to the stored type.
  void finish(Bounded &array, double roundoff) const {
    for (size_t i = 0; i < array.value.size(); ++i)
      array.bound[i] +=
          roundoff * (std::fabs(array.value[i]) + array.bound[i]) + step;
  }

  void head(int64_t b, int64_t h) {
    evaluator.setHead(b, h);
    int64_t g = h / (shape.heads / shape.kvHeads);
    int64_t qStart = operands.qStarts.empty() ? 0 : operands.qStarts[b];
    int64_t kStart = operands.kStarts.empty() ? 0 : operands.kStarts[b];
    q = Operand(operands.q, qStart);
    k = Operand(operands.k, kStart);
    v = Operand(operands.v, kStart);
    dOut = withBackward ? Operand(operands.dOut, qStart) : Operand();
    hasDLse = !operands.dLse.shape.empty();
    dLse = hasDLse ? Operand(operands.dLse, qStart) : Operand();
    // In packed arrays the batch axis is 1, whose stride the operand ignores.
    for (int64_t row = 0; row < shape.qLenOf(b); ++row)
      oneRow(b, h, g, row);
  }

  void oneRow(int64_t b, int64_t h, int64_t g, int64_t row) {
    evaluator.setRow(row);
    std::vector<Pair> pairs;
    double top = -infinity, worst = 0;
    for (int64_t key = 0; key < shape.kLenOf(b); ++key) {
      evaluator.setKey(key);
      if (!evaluator.evalBool(graph.keep))
        continue;
      double dot = 0, size = 0;
      for (int64_t d = 0; d < headDim; ++d) {
        double term = q.at(b, h, row, d) * k.at(b, g, key, d);
        dot += term;
        size += std::fabs(term);
      }
      Pair pair;
      pair.k = key;
      pair.raw = scale * dot;
      pair.rawError = (headDim + 4) * epsilon * std::fabs(scale) * size;
      pair.score = tape.value(pair.raw);
      double slope = tape.gradient([](uint32_t, int64_t, double) {});
      pair.scoreError =
          std::fabs(slope) * pair.rawError +
          epsilon * (tape.roundingScale() + std::fabs(pair.score));
      top = std::max(top, pair.score);
      worst = std::max(worst, pair.scoreError);
      pairs.push_back(pair);
    }
    double sink = -infinity;
    if (graph.sink) {
      const ArrayView &view = bindings.tensors[*graph.sink];
      int64_t at = view.shape[0] == 1 ? 0 : h * view.strides[0];
      sink = view.type == ElementType::F32
                 ? static_cast<const float *>(view.data)[at]
                 : decode16(static_cast<const uint16_t *>(view.data)[at],
                            view.type);
    }
    double high = std::max(top, sink), sum = 0;
    if (high > -infinity) {
      for (const Pair &pair : pairs)
        sum += std::exp(pair.score - high);
      if (sink > -infinity)
        sum += std::exp(sink - high);
    }
    double lse = sum > 0 || std::isnan(sum) ? high + std::log(sum) : -infinity;
    // exp of a score with error x is off by about x; a few units more for exp
    // itself, rescaling (once a tile) and the sum.
    double count = static_cast<double>(pairs.size());
    double relative = std::expm1(2 * worst) + (count + 64) * epsilon +
                      8 * epsilon * std::fabs(high > -infinity ? high : 0);
    int64_t index = (b * shape.heads + h) * shape.qLen + row;
    result.lse.value[index] = lse;
    if (lse > -infinity)
      result.lse.bound[index] = relative + 4 * epsilon * std::fabs(lse);

    std::vector<double> weights(pairs.size());
    for (size_t i = 0; i < pairs.size(); ++i)
      weights[i] = lse > -infinity || std::isnan(lse)
                       ? std::exp(pairs[i].score - lse)
                       : 0;
    for (int64_t d = 0; d < valueDim; ++d) {
      double value = 0, size = 0, lost = 0;
      for (size_t i = 0; i < pairs.size(); ++i) {
        double weighted = v.at(b, g, pairs[i].k, d),
               term = weights[i] * weighted;
        value += term;
        size += std::fabs(term);
        lost += flushed * std::fabs(weighted);
      }
      result.out.value[index * valueDim + d] = value;
      result.out.bound[index * valueDim + d] =
          u * std::fabs(value) + 2 * relative * size + lost + step;
    }
    if (withBackward)
      rowGradients(b, h, g, row, index, pairs, weights, lse, relative, sink);
  }

  void rowGradients(int64_t b, int64_t h, int64_t g, int64_t row, int64_t index,
                    const std::vector<Pair> &pairs,
                    const std::vector<double> &weights, double lse,
                    double relative, double sink) {
    double delta = 0, deltaError = 0;
    for (int64_t d = 0; d < valueDim; ++d) {
      double o = result.out.value[index * valueDim + d];
      double gradient = dOut.at(b, h, row, d);
      delta += gradient * o;
      // The kernels read out as it was stored.
      deltaError +=
          std::fabs(gradient) * (result.out.bound[index * valueDim + d] +
                                 (valueDim + 2) * epsilon * std::fabs(o));
    }
    if (hasDLse && lse > -infinity) {
      delta -= dLse.at(b, h, row);
      deltaError +=
          epsilon * (std::fabs(delta) + std::fabs(dLse.at(b, h, row)));
    }
    if (lse == -infinity)
      return;
    if (graph.sink) {
      double weight = std::exp(sink - lse);
      bool shared = bindings.tensors[*graph.sink].shape[0] == 1;
      Bounded &gradient = result.gradients[graph.tensors[*graph.sink].name];
      gradient.value[shared ? 0 : h] -= weight * delta;
      gradient.bound[shared ? 0 : h] +=
          weight * (deltaError + (relative + 8 * epsilon) * std::fabs(delta));
    }
    double count = static_cast<double>(pairs.size());
    for (size_t i = 0; i < pairs.size(); ++i) {
      const Pair &pair = pairs[i];
      double p = weights[i], pError = 2 * relative * p + flushed;
      double dp = 0, dpSize = 0;
      int64_t value =
          ((b * shape.kvHeads + g) * shape.kLen + pair.k) * valueDim;
      for (int64_t d = 0; d < valueDim; ++d) {
        double gradient = dOut.at(b, h, row, d),
               term = gradient * v.at(b, g, pair.k, d);
        dp += term;
        dpSize += std::fabs(term);
        result.dv.value[value + d] += p * gradient;
        result.dv.bound[value + d] +=
            std::fabs(gradient) * (pError + accumulation() * p);
      }
      double inner = dp - delta;
      double dScore = p * inner;
      double dScoreError =
          p * ((valueDim + 2) * epsilon * dpSize + deltaError +
               2 * epsilon * (std::fabs(dp) + std::fabs(delta))) +
          pError * std::fabs(inner);
      evaluator.setKey(pair.k);
      tape.value(pair.raw);
      double slope =
          tape.gradient([&](uint32_t tensor, int64_t offset, double by) {
            Bounded &gradient = result.gradients[graph.tensors[tensor].name];
            gradient.value[offset] += dScore * by;
            gradient.bound[offset] +=
                std::fabs(by) *
                (dScoreError +
                 std::fabs(dScore) * (accumulation() * shape.qLen +
                                      pair.scoreError + 64 * epsilon));
          });
      double dRaw = dScore * slope;
      double dRawError = std::fabs(slope) * dScoreError;
      if (!tape.isPlain())
        dRawError += std::fabs(dScore) * (1 + std::fabs(slope)) *
                     (pair.scoreError + 64 * epsilon);
      int64_t key = ((b * shape.kvHeads + g) * shape.kLen + pair.k) * headDim;
      for (int64_t d = 0; d < headDim; ++d) {
        double kd = scale * k.at(b, g, pair.k, d),
               qd = scale * q.at(b, h, row, d);
        result.dq.value[index * headDim + d] += dRaw * kd;
        result.dq.bound[index * headDim + d] +=
            std::fabs(kd) *
            (dRawError + (count + 8) * epsilon * std::fabs(dRaw));
        result.dk.value[key + d] += dRaw * qd;
        result.dk.bound[key + d] +=
            std::fabs(qd) * (dRawError + accumulation() * std::fabs(dRaw));
      }
    }
    for (int64_t d = 0; d < headDim; ++d) {
      double value = result.dq.value[index * headDim + d];
      result.dq.bound[index * headDim + d] += u * std::fabs(value) + step;
    }
  }

  /// Of a sum over all rows of a group in fp32.
  double accumulation() const {
    double terms = static_cast<double>(shape.qLen) *
                   static_cast<double>(shape.heads / shape.kvHeads);
    return (terms + 8) * epsilon;
  }

  const Graph &graph;
  const Bindings &bindings;
  const ProblemShape &shape;
  const ReferenceOperands &operands;
  bool withBackward;
  double scale;
  Evaluator evaluator;
  ScoreTape tape;
  int64_t headDim = 0, valueDim = 0;
  double u = 0, step = 0;
  Operand q, k, v, dOut, dLse;
  bool hasDLse = false;
  Reference result;
};
} // namespace

Expected<Reference> jacquard::reference(const Pattern &pattern,
                                        const Problem &problem,
                                        const Inputs &inputs,
                                        const BackwardArgs &args, bool backward,
                                        std::optional<double> scale) {
  Expected<Bindings> bindings = bind(pattern, problem, inputs, false);
  if (!bindings)
    return bindings.takeError();
  ReferenceOperands operands{args.q,    args.k, args.v, args.dOut,
                             args.dLse, {},     {}};
  for (int64_t b = 0; b < problem.batch; ++b) {
    if (!problem.cuQ.empty())
      operands.qStarts.push_back(problem.cuQ[b]);
    if (!problem.cuK.empty())
      operands.kStarts.push_back(problem.cuK[b]);
  }
  for (const TensorView *view : {&args.q, &args.v})
    if (view->shape.size() != 4)
      return makeError(ErrorKind::Invalid, "E0312", "q and v must have 4 axes");
  double factor =
      scale.value_or(1 / std::sqrt(static_cast<double>(args.q.shape[3])));
  return ReferenceRun(pattern, *bindings, operands, backward, factor).run();
}
