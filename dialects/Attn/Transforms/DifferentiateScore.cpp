//===- DifferentiateScore.cpp - reverse accumulation ----------------------===//

#include "dialects/Attn/Transforms/DifferentiateScore.h"

#include "dialects/Attn/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

namespace jacquard::attn {
#define GEN_PASS_DEF_ATTNDIFFERENTIATE
#include "dialects/Attn/Transforms/Passes.h.inc"
} // namespace jacquard::attn

using namespace mlir;
using namespace jacquard::attn;

namespace {
class Adjoint {
public:
  Adjoint(PatternOp pattern, OpBuilder &builder)
      : pattern(pattern), builder(builder), loc(pattern.getLoc()) {}

  LogicalResult run(ScoreOp score, ScoreGradOp gradient) {
    Block &from = score.getBody().front();
    Block &to = gradient.getBody().front();
    values.map(from.getArgument(0), to.getArgument(0));
    for (unsigned i = 1; i < from.getNumArguments(); ++i)
      values.map(from.getArgument(i), to.getArgument(i + 1));
    builder.setInsertionPointToStart(&to);
    for (Operation &op : from.without_terminator())
      builder.clone(op, values);
    auto yield = cast<YieldOp>(from.getTerminator());
    addTo(yield.getValue(), to.getArgument(1));
    for (Operation &op : llvm::reverse(from.without_terminator())) {
      if (op.getNumResults() != 1)
        continue;
      Value own = adjoints.lookup(op.getResult(0));
      loc = op.getLoc();
      if (own && failed(propagate(op, own)))
        return failure();
    }
    Value result = adjoints.lookup(from.getArgument(0));
    loc = score.getLoc();
    YieldOp::create(builder, loc, result ? result : real(0));
    return success();
  }

private:
  Value real(double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value div(Value a, Value b) {
    return arith::DivFOp::create(builder, loc, a, b);
  }
  Value neg(Value a) { return arith::NegFOp::create(builder, loc, a); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  /// The recomputed value of a value of the score region.
  Value now(Value original) { return values.lookup(original); }

  void addTo(Value original, Value amount) {
    Value &sum = adjoints[original];
    sum = sum ? arith::AddFOp::create(builder, loc, sum, amount).getResult()
              : amount;
  }

  /// All of `own` to the first value where `condition` holds, else to the
  /// second.
  void share(Value condition, Value first, Value second, Value own) {
    Value zero = real(0);
    addTo(first, select(condition, own, zero));
    addTo(second, select(condition, zero, own));
  }

  /// To the second operand only where it is strictly better: a tie is the
  /// first's.
  void choose(Operation &op, Value own, arith::CmpFPredicate better) {
    Value second = arith::CmpFOp::create(
        builder, loc, better, now(op.getOperand(1)), now(op.getOperand(0)));
    share(second, op.getOperand(1), op.getOperand(0), own);
  }

  LogicalResult propagate(Operation &op, Value own) {
    auto operand = [&](unsigned i) { return op.getOperand(i); };
    return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
        .Case([&](arith::AddFOp) {
          addTo(operand(0), own);
          addTo(operand(1), own);
          return success();
        })
        .Case([&](arith::SubFOp) {
          addTo(operand(0), own);
          addTo(operand(1), neg(own));
          return success();
        })
        .Case([&](arith::MulFOp) {
          addTo(operand(0), mul(own, now(operand(1))));
          addTo(operand(1), mul(own, now(operand(0))));
          return success();
        })
        .Case([&](arith::DivFOp) {
          Value part = div(own, now(operand(1)));
          addTo(operand(0), part);
          addTo(operand(1), neg(mul(part, now(op.getResult(0)))));
          return success();
        })
        .Case([&](arith::NegFOp) {
          addTo(operand(0), neg(own));
          return success();
        })
        .Case([&](math::AbsFOp) {
          Value x = now(operand(0)), zero = real(0);
          Value positive = arith::CmpFOp::create(
              builder, loc, arith::CmpFPredicate::OGT, x, zero);
          Value negative = arith::CmpFOp::create(
              builder, loc, arith::CmpFPredicate::OLT, x, zero);
          addTo(operand(0),
                select(positive, own, select(negative, neg(own), zero)));
          return success();
        })
        .Case([&](arith::MinimumFOp) {
          choose(op, own, arith::CmpFPredicate::OLT);
          return success();
        })
        .Case([&](arith::MaximumFOp) {
          choose(op, own, arith::CmpFPredicate::OGT);
          return success();
        })
        .Case([&](arith::SelectOp) {
          share(now(operand(0)), operand(1), operand(2), own);
          return success();
        })
        .Case([&](math::ExpOp) {
          addTo(operand(0), mul(own, now(op.getResult(0))));
          return success();
        })
        .Case([&](math::LogOp) {
          addTo(operand(0), div(own, now(operand(0))));
          return success();
        })
        .Case([&](math::TanhOp) {
          Value y = now(op.getResult(0));
          addTo(operand(0), mul(own, sub(real(1), mul(y, y))));
          return success();
        })
        .Case([&](math::SqrtOp) {
          addTo(operand(0), div(mul(own, real(0.5)), now(op.getResult(0))));
          return success();
        })
        .Case([&](LoadOp load) {
          auto tensor =
              pattern.lookupSymbol<TensorOp>(load.getTensorAttr().getAttr());
          if (!tensor.getGrad())
            return success();
          SmallVector<Value> indices;
          for (Value index : load.getIndices())
            indices.push_back(now(index));
          AccumulateOp::create(builder, loc, load.getTensorAttr(), indices,
                               own);
          return success();
        })
        .Case<arith::ConstantOp, arith::SIToFPOp, arith::UIToFPOp, GetOp>(
            [](auto) { return success(); }) // Nothing before these is a float.
        .Default([](Operation *other) {
          return other->emitOpError("has no derivative");
        });
  }

  PatternOp pattern;
  OpBuilder &builder;
  Location loc;
  IRMapping values;
  llvm::DenseMap<Value, Value> adjoints;
};
} // namespace

LogicalResult jacquard::attn::differentiateScore(PatternOp pattern) {
  Block &body = pattern.getBody().front();
  auto scores = body.getOps<ScoreOp>();
  if (scores.empty() || !body.getOps<ScoreGradOp>().empty())
    return success();
  ScoreOp score = *scores.begin();
  OpBuilder builder(pattern.getContext());
  builder.setInsertionPointToEnd(&body);
  auto gradient = ScoreGradOp::create(builder, score.getLoc());
  SmallVector<Type> types(2, builder.getF32Type());
  types.append(6, builder.getI64Type());
  builder.createBlock(&gradient.getBody(), {}, types,
                      SmallVector<Location>(types.size(), score.getLoc()));
  return Adjoint(pattern, builder).run(score, gradient);
}

namespace {
struct AttnDifferentiate
    : public jacquard::attn::impl::AttnDifferentiateBase<AttnDifferentiate> {
  void runOnOperation() override {
    if (failed(differentiateScore(getOperation())))
      signalPassFailure();
  }
};
} // namespace
