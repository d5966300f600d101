//===- ScalarProgram.cpp - compiling and evaluating a region --------------===//

#include "dialects/Attn/Reference/ScalarProgram.h"

#include "dialects/Attn/Reference/PatternData.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace jacquard;
using namespace jacquard::attn;

/// Arithmetic on integers wraps at 64 bits.
static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

template <typename T> static bool ordered(int64_t predicate, T a, T b) {
  switch (predicate) {
  case 0:
    return a == b;
  case 1:
    return a != b;
  case 2:
    return a < b;
  case 3:
    return a <= b;
  case 4:
    return a > b;
  default:
    return a >= b;
  }
}

static bool compareInts(mlir::arith::CmpIPredicate predicate, int64_t a,
                        int64_t b) {
  auto number = static_cast<int64_t>(predicate);
  if (number <= static_cast<int64_t>(mlir::arith::CmpIPredicate::sge))
    return ordered(number, a, b);
  return ordered(number - 4, static_cast<uint64_t>(a),
                 static_cast<uint64_t>(b));
}

static bool compareFloats(mlir::arith::CmpFPredicate predicate, double a,
                          double b) {
  using P = mlir::arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return unordered || a != b;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  return false;
}

class ScalarProgram::Builder {
public:
  Builder(PatternOp pattern, const Bindings &bindings, unsigned floats)
      : data(pattern, bindings), bindings(bindings) {
    program.bindings = &bindings;
    program.floats = floats;
  }

  Expected<ScalarProgram> build(mlir::Block &block) {
    for (auto [i, argument] : llvm::enumerate(block.getArguments()))
      define(argument, argumentLevel(i));
    for (mlir::Operation &op : block.without_terminator())
      if (Status status = add(op); !status)
        return status.takeError();
    program.result = slot(block.getTerminator()->getOperand(0));
    return std::move(program);
  }

private:
  /// Arguments: the floats (of the pair), b, h, g, q, k, row.
  Level argumentLevel(unsigned i) const {
    if (i < program.floats)
      return PairLevel;
    switch (i - program.floats) {
    case 0:
    case 1:
    case 2:
      return HeadLevel;
    case 4:
      return PairLevel;
    default:
      return RowLevel;
    }
  }

  uint32_t define(mlir::Value value, Level level) {
    uint32_t number = program.values.size();
    slots[value] = number;
    levelOf.push_back(level);
    program.values.emplace_back();
    return number;
  }
  uint32_t slot(mlir::Value value) const { return slots.lookup(value); }

  Status add(mlir::Operation &op) {
    Instruction instruction;
    Level level = HeadLevel;
    for (mlir::Value operand : op.getOperands()) {
      instruction.operands.push_back(slot(operand));
      level = std::max(level, levelOf[instruction.operands.back()]);
    }
    if (auto accumulate = llvm::dyn_cast<AccumulateOp>(op)) {
      instruction.tensor = data.tensorIndex(accumulate.getTensor());
      program.accumulations.push_back(std::move(instruction));
      return {};
    }
    instruction.compute = meaning(op, instruction.operands);
    if (!instruction.compute)
      return makeError(ErrorKind::Internal, "E0698",
                       "the reference has no meaning for `" +
                           op.getName().getStringRef().str() + "`");
    instruction.result = define(op.getResult(0), level);
    program.levels[level].push_back(std::move(instruction));
    return {};
  }

  using Compute = std::function<ScalarValue(const Values &)>;

  static Compute ints(std::function<int64_t(int64_t, int64_t)> f,
                      const std::vector<uint32_t> &in) {
    return [=, a = in[0], b = in[1]](const Values &v) {
      return ScalarValue{f(v[a].i, v[b].i), 0};
    };
  }
  static Compute reals(std::function<double(double, double)> f,
                       const std::vector<uint32_t> &in) {
    return [=, a = in[0], b = in[1]](const Values &v) {
      return ScalarValue{0, f(v[a].f, v[b].f)};
    };
  }
  static Compute real(double (*f)(double), const std::vector<uint32_t> &in) {
    return
        [=, a = in[0]](const Values &v) { return ScalarValue{0, f(v[a].f)}; };
  }
  static Compute fixed(ScalarValue value) {
    return [=](const Values &) { return value; };
  }

  Compute meaning(mlir::Operation &op, const std::vector<uint32_t> &in) {
    if (Compute compute = arithmetic(op, in))
      return compute;
    return patternData(op, in);
  }

  static Compute arithmetic(mlir::Operation &op,
                            const std::vector<uint32_t> &in) {
    namespace arith = mlir::arith;
    namespace math = mlir::math;
    return llvm::TypeSwitch<mlir::Operation *, Compute>(&op)
        .Case([&](arith::ConstantOp c) -> Compute {
          if (auto value = llvm::dyn_cast<mlir::FloatAttr>(c.getValue()))
            return fixed({0, value.getValueAsDouble()});
          auto value = llvm::dyn_cast<mlir::IntegerAttr>(c.getValue());
          if (!value)
            return {};
          if (value.getType().isInteger(1))
            return fixed({value.getValue().getBoolValue(), 0});
          return fixed({value.getInt(), 0});
        })
        .Case([&](arith::AddIOp) {
          return ints([](uint64_t a, uint64_t b) { return wrap(a + b); }, in);
        })
        .Case([&](arith::SubIOp) {
          return ints([](uint64_t a, uint64_t b) { return wrap(a - b); }, in);
        })
        .Case([&](arith::MulIOp) {
          return ints([](uint64_t a, uint64_t b) { return wrap(a * b); }, in);
        })
        .Case([&](arith::MinSIOp) {
          return ints([](int64_t a, int64_t b) { return std::min(a, b); }, in);
        })
        .Case([&](arith::MaxSIOp) {
          return ints([](int64_t a, int64_t b) { return std::max(a, b); }, in);
        })
        .Case([&](arith::AndIOp) {
          return ints([](int64_t a, int64_t b) { return a & b; }, in);
        })
        .Case([&](arith::OrIOp) {
          return ints([](int64_t a, int64_t b) { return a | b; }, in);
        })
        .Case([&](arith::XOrIOp) {
          return ints([](int64_t a, int64_t b) { return a ^ b; }, in);
        })
        .Case([&](FloorDivOp) {
          return ints(
              [](int64_t a, int64_t b) { return floorDivide(a, b).quotient; },
              in);
        })
        .Case([&](ModOp) {
          return ints(
              [](int64_t a, int64_t b) { return floorDivide(a, b).remainder; },
              in);
        })
        .Case([&](BitOp) {
          return ints(
              [](int64_t a, int64_t b) {
                return b >= 0 && b < 32 && ((a >> b) & 1);
              },
              in);
        })
        .Case([&](math::AbsIOp) -> Compute {
          return [a = in[0]](const Values &v) {
            return ScalarValue{
                v[a].i < 0 ? wrap(0 - static_cast<uint64_t>(v[a].i)) : v[a].i,
                0};
          };
        })
        .Case([&](arith::CmpIOp compare) {
          return ints(
              [p = compare.getPredicate()](int64_t a, int64_t b) -> int64_t {
                return compareInts(p, a, b);
              },
              in);
        })
        .Case([&](arith::CmpFOp compare) -> Compute {
          return [p = compare.getPredicate(), a = in[0],
                  b = in[1]](const Values &v) {
            return ScalarValue{compareFloats(p, v[a].f, v[b].f), 0};
          };
        })
        .Case([&](arith::SelectOp) -> Compute {
          return [c = in[0], a = in[1], b = in[2]](const Values &v) {
            return v[c].i ? v[a] : v[b];
          };
        })
        .Case([&](arith::ExtUIOp) -> Compute {
          return
              [a = in[0]](const Values &v) { return ScalarValue{v[a].i, 0}; };
        })
        .Case<arith::SIToFPOp, arith::UIToFPOp>([&](auto) -> Compute {
          return [a = in[0]](const Values &v) {
            return ScalarValue{0, static_cast<double>(v[a].i)};
          };
        })
        .Case([&](arith::AddFOp) {
          return reals([](double a, double b) { return a + b; }, in);
        })
        .Case([&](arith::SubFOp) {
          return reals([](double a, double b) { return a - b; }, in);
        })
        .Case([&](arith::MulFOp) {
          return reals([](double a, double b) { return a * b; }, in);
        })
        .Case([&](arith::DivFOp) {
          return reals([](double a, double b) { return a / b; }, in);
        })
        .Case([&](arith::MinimumFOp) {
          return reals(
              [](double a, double b) {
                return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
              },
              in);
        })
        .Case([&](arith::MaximumFOp) {
          return reals(
              [](double a, double b) {
                return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
              },
              in);
        })
        .Case([&](arith::NegFOp) {
          return real([](double a) { return -a; }, in);
        })
        .Case([&](math::AbsFOp) { return real(std::fabs, in); })
        .Case([&](math::ExpOp) { return real(std::exp, in); })
        .Case([&](math::LogOp) { return real(std::log, in); })
        .Case([&](math::TanhOp) { return real(std::tanh, in); })
        .Case([&](math::SqrtOp) { return real(std::sqrt, in); })
        .Default([](mlir::Operation *) { return Compute(); });
  }

  /// Parameters, sizes, tensors and selections.
  Compute patternData(mlir::Operation &op, const std::vector<uint32_t> &in) {
    return llvm::TypeSwitch<mlir::Operation *, Compute>(&op)
        .Case([&](GetOp get) {
          const ParamValue &value =
              bindings.params[data.paramIndex(get.getParam())];
          return fixed({value.intValue, value.floatValue});
        })
        .Case([&](SizeOp size) -> Compute {
          // The batch element is the argument after the floats.
          return [&bindings = bindings, kind = size.getKind(),
                  b = program.floats](const Values &v) {
            const ProblemShape &shape = bindings.shape;
            switch (kind) {
            case SizeKind::QLen:
              return ScalarValue{shape.qLenOf(v[b].i), 0};
            case SizeKind::KLen:
              return ScalarValue{shape.kLenOf(v[b].i), 0};
            case SizeKind::Heads:
              return ScalarValue{shape.heads, 0};
            case SizeKind::KvHeads:
              return ScalarValue{shape.kvHeads, 0};
            }
            return ScalarValue{};
          };
        })
        .Case([&](LoadOp load) -> Compute {
          return [&view = bindings.tensors[data.tensorIndex(load.getTensor())],
                  in](const Values &v) {
            std::vector<int64_t> indices;
            for (uint32_t index : in)
              indices.push_back(v[index].i);
            return loadElement(view, indices);
          };
        })
        .Case([&](SelectedOp selected) -> Compute {
          uint32_t index = data.selectionIndex(selected.getSelection());
          return [view = data.selection(index), in](const Values &v) {
            PairPlace place{v[in[0]].i, v[in[1]].i, v[in[2]].i, v[in[3]].i,
                            v[in[4]].i};
            return ScalarValue{view.contains(place), 0};
          };
        })
        .Default([](mlir::Operation *) { return Compute(); });
  }

  PatternData data;
  const Bindings &bindings;
  ScalarProgram program;
  llvm::DenseMap<mlir::Value, uint32_t> slots;
  std::vector<Level> levelOf;
};

Expected<ScalarProgram> ScalarProgram::compile(mlir::Region &region,
                                               unsigned floats,
                                               PatternOp pattern,
                                               const Bindings &bindings) {
  return Builder(pattern, bindings, floats).build(region.front());
}

void ScalarProgram::runLevel(Level level) {
  for (const Instruction &instruction : levels[level])
    values[instruction.result] = instruction.compute(values);
}

ScalarValue ScalarProgram::evaluate(const PairPlace &place,
                                    std::initializer_list<double> inputs,
                                    TensorGradients *gradients) {
  uint32_t next = 0;
  for (double input : inputs)
    values[next++].f = input;
  for (int64_t position :
       {place.b, place.h, place.g,
        place.row + bindings->shape.qOffsetOf(place.b), place.k, place.row})
    values[next++].i = position;
  bool sameHead = last && last->b == place.b && last->h == place.h;
  if (!sameHead)
    runLevel(HeadLevel);
  if (!sameHead || last->row != place.row)
    runLevel(RowLevel);
  runLevel(PairLevel);
  last = place;
  if (gradients)
    for (const Instruction &instruction : accumulations) {
      std::vector<int64_t> indices;
      for (size_t i = 0; i + 1 < instruction.operands.size(); ++i)
        indices.push_back(values[instruction.operands[i]].i);
      accumulateElement((*gradients)[*instruction.tensor], indices,
                        values[instruction.operands.back()].f);
    }
  return values[result];
}
