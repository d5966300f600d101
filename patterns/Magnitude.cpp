//===- Magnitude.cpp - bounds on absolute values --------------------------===//

#include "patterns/Magnitude.h"

#include <algorithm>
#include <cmath>

using namespace jacquard;

/// The most that the absolute value of `node` can be, given that of operands.
static double magnitude(const Graph &graph, const Node &node,
                        const std::vector<double> &known) {
  constexpr double value32 = 0x1p31, length = 0x1p30;
  auto in = [&](size_t i) { return known[node.operands[i]]; };
  if (node.type != Scalar::Int)
    return 0;
  switch (node.op) {
  case Op::IntConst:
    return std::fabs(static_cast<double>(node.intValue));
  case Op::Key:
  case Op::Row:
  case Op::QLen:
  case Op::KLen:
    return length;
  case Op::Param: {
    const Param &param = graph.params[node.ref];
    return std::max(std::fabs(param.min.value_or(-value32)),
                    std::fabs(param.max.value_or(value32)));
  }
  case Op::Add:
  case Op::Sub:
    return in(0) + in(1);
  case Op::Mul:
    return in(0) * in(1);
  case Op::FloorDiv: // At most one further from 0, and never past the dividend.
  case Op::Neg:
  case Op::Abs:
    return in(0);
  case Op::Mod:
    return in(1);
  case Op::Min:
  case Op::Max:
    return std::max(in(0), in(1));
  case Op::Where:
    return std::max(in(1), in(2));
  case Op::LowerBound:
    return 0x1p40;
  default: // Positions of queries, heads, elements: 32-bit values.
    return value32;
  }
}

std::vector<bool> jacquard::fitting(const Graph &graph) {
  // Whoever reads an end still adds an offset and a tile's size to it.
  constexpr double most = 0x1p63 - 0x1p34;
  std::vector<double> known;
  std::vector<bool> fits;
  for (const Node &node : graph.nodes()) {
    known.push_back(magnitude(graph, node, known));
    bool fit = known.back() <= most;
    for (NodeId operand : node.operands)
      fit = fit && fits[operand];
    fits.push_back(fit);
  }
  return fits;
}
