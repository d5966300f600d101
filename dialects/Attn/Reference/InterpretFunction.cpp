//===- InterpretFunction.cpp - executes the problems of a function --------===//

#include "dialects/Attn/Reference/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace jacquard;
using namespace jacquard::attn;

namespace {
class FunctionInterpreter {
public:
  explicit FunctionInterpreter(const Bindings &bindings) : bindings(bindings) {}

  void define(mlir::Value value, ReferenceArray array) {
    values[value] = std::move(array);
  }

  Status execute(mlir::Operation &op) {
    if (auto constant = llvm::dyn_cast<mlir::arith::ConstantOp>(op))
      if (auto number = llvm::dyn_cast<mlir::FloatAttr>(constant.getValue())) {
        define(op.getResult(0), ReferenceArray({}, number.getValueAsDouble()));
        return {};
      }
    if (auto joined = llvm::dyn_cast<CombineOp>(op)) {
      std::vector<Interpreter::Forward> parts;
      for (auto [out, lse] : llvm::zip(joined.getOuts(), joined.getLses()))
        parts.push_back({values[out], values[lse]});
      Interpreter::Forward result = combine(parts);
      define(joined.getOut(), std::move(result.out));
      define(joined.getLse(), std::move(result.lse));
      return {};
    }
    auto name = op.getAttrOfType<mlir::FlatSymbolRefAttr>("pattern");
    auto pattern =
        name ? mlir::SymbolTable::lookupNearestSymbolFrom<PatternOp>(&op, name)
             : PatternOp();
    if (!pattern)
      return unknown(op);
    Expected<Interpreter> interpreter = Interpreter::create(pattern, bindings);
    if (!interpreter)
      return interpreter.takeError();
    return problem(op, pattern, *interpreter);
  }

  std::vector<ReferenceArray> take(mlir::OperandRange operands) {
    std::vector<ReferenceArray> results;
    for (mlir::Value operand : operands)
      results.push_back(values[operand]);
    return results;
  }

private:
  static Error unknown(mlir::Operation &op) {
    return makeError(ErrorKind::Internal, "E0698",
                     "the reference can't execute `" +
                         op.getName().getStringRef().str() + "`");
  }

  Status problem(mlir::Operation &op, PatternOp pattern,
                 Interpreter &interpreter) {
    return llvm::TypeSwitch<mlir::Operation *, Status>(&op)
        .Case([&](ForwardOp forward) -> Status {
          Interpreter::Forward result = interpreter.forward(
              values[forward.getQ()], values[forward.getK()],
              values[forward.getV()], scalar(forward.getScale()));
          define(forward.getOut(), std::move(result.out));
          define(forward.getLse(), std::move(result.lse));
          return {};
        })
        .Case([&](PreprocessOp preprocess) -> Status {
          Interpreter::Preprocess result = interpreter.preprocess(
              values[preprocess.getOut()], values[preprocess.getDout()],
              values[preprocess.getLse()], values[preprocess.getDlse()]);
          define(preprocess.getDelta(), std::move(result.delta));
          if (preprocess.getDsink())
            define(preprocess.getDsink(), std::move(result.dSink));
          return {};
        })
        .Case([&](BackwardOp backward) -> Status {
          Expected<Interpreter::Backward> result = interpreter.backward(
              values[backward.getQ()], values[backward.getK()],
              values[backward.getV()], values[backward.getLse()],
              values[backward.getDout()], values[backward.getDelta()],
              scalar(backward.getScale()));
          if (!result)
            return result.takeError();
          define(backward.getDq(), std::move(result->dq));
          define(backward.getDk(), std::move(result->dk));
          define(backward.getDv(), std::move(result->dv));
          size_t next = 0;
          for (auto [i, tensor] :
               llvm::enumerate(pattern.getBody().front().getOps<TensorOp>()))
            if (tensor.getGrad() && tensor.getSymName() != pattern.getSink())
              define(backward.getGradients()[next++],
                     std::move(result->gradients[i]));
          return {};
        })
        .Case([&](ClassifyOp classify) -> Status {
          define(classify.getClasses(),
                 interpreter.classify(classify.getRows(), classify.getKeys()));
          return {};
        })
        .Default(
            [](mlir::Operation *other) -> Status { return unknown(*other); });
  }

  double scalar(mlir::Value value) { return values[value].data.front(); }

  const Bindings &bindings;
  llvm::DenseMap<mlir::Value, ReferenceArray> values;
};
} // namespace

Expected<std::vector<ReferenceArray>>
jacquard::attn::interpret(mlir::Region &function,
                          std::vector<ReferenceArray> arguments,
                          const Bindings &bindings) {
  mlir::Block &block = function.front();
  if (block.getNumArguments() != arguments.size())
    return makeError(ErrorKind::Internal, "E0698",
                     "the function takes " +
                         std::to_string(block.getNumArguments()) +
                         " arguments, got " + std::to_string(arguments.size()));
  FunctionInterpreter interpreter(bindings);
  for (auto [argument, array] : llvm::zip(block.getArguments(), arguments))
    interpreter.define(argument, std::move(array));
  for (mlir::Operation &op : block.without_terminator())
    if (Status status = interpreter.execute(op); !status)
      return status.takeError();
  return interpreter.take(block.getTerminator()->getOperands());
}
