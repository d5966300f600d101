//===- RunOptions.cpp - q, k and v of `jacquard run` ----------------------===//

#include "RunOptions.h"

#include <algorithm>

using namespace jacquard;

/// A size that a file sets, unless an option says otherwise.
static Status takeSize(const RunOptions &options, const char *option,
                       int64_t fromFile, int64_t &size) {
  if (options.command->count(option) && size != fromFile)
    return makeError(ErrorKind::Invalid, "E0509",
                     std::string(option) + " is " + std::to_string(size) +
                         ", but the file has " + std::to_string(fromFile));
  size = fromFile;
  return {};
}

static Expected<Array> readOperand(const std::string &path, const char *name,
                                   bool bf16, size_t axes) {
  Expected<Array> array = readNpy(path, bf16);
  if (array && (array->shape.size() != axes || array->type == ElementType::I32))
    return makeError(ErrorKind::Invalid, "E0312",
                     std::string(name) + " in '" + path +
                         "' must be a float array of " + std::to_string(axes) +
                         " axes");
  return array;
}

/// Reads the files of q, k and v and takes sizes and types from them. What has
/// no file stays empty.
Status jacquard::readFiles(RunOptions &options, Operands &operands) {
  bool bf16 = options.type.element() == ElementType::BF16;
  struct Source {
    const std::string &path;
    const char *name;
    Array &target;
    size_t axes;
  };
  for (const Source &source :
       {Source{options.query, "--query", operands.q, 4},
        Source{options.key, "--key", operands.k, 4},
        Source{options.value, "--value", operands.v, 4},
        Source{options.dOut, "--dout", operands.dOut, 4},
        Source{options.dLse, "--dlse", operands.dLse, 3}}) {
    if (source.path.empty())
      continue;
    Expected<Array> array =
        readOperand(source.path, source.name, bf16, source.axes);
    if (!array)
      return array.takeError();
    source.target = std::move(*array);
  }
  ProblemOptions &problem = options.problem;
  Status status;
  if (!operands.q.shape.empty()) {
    const Array &q = operands.q;
    std::string type(elementName(q.type));
    if (options.command->count("--dtype") && options.type.dtype != type)
      return makeError(ErrorKind::Invalid, "E0509",
                       "--dtype is " + options.type.dtype + ", but '" +
                           options.query + "' holds " + type);
    options.type.dtype = type;
    for (auto [option, axis, size] : {std::tuple("--batch", 0, &problem.batch),
                                      {"--heads", 1, &problem.heads},
                                      {"--q", 2, &problem.q},
                                      {"--head-dim", 3, &options.type.headDim}})
      if (status = takeSize(options, option, q.shape[axis], *size); !status)
        return status;
  }
  if (!operands.k.shape.empty()) {
    for (auto [option, axis, size] :
         {std::tuple("--kv-heads", 1, &problem.kvHeads),
          {"--k", 2, &problem.k}})
      if (status = takeSize(options, option, operands.k.shape[axis], *size);
          !status)
        return status;
  }
  if (!operands.v.shape.empty())
    return takeSize(options, "--value-dim", operands.v.shape[3],
                    options.type.valueDim);
  return {};
}

Status jacquard::fillOperands(const RunOptions &options, const Problem &problem,
                              Operands &operands) {
  for (auto [name, array] : {std::pair("--query", &operands.q),
                             {"--key", &operands.k},
                             {"--value", &operands.v}})
    if (array->shape.empty() && !options.random)
      return makeError(ErrorKind::Invalid, "E0508",
                       std::string(name) + " is not given",
                       {"give --query, --key and --value files, or --random"});
  int64_t headDim = options.type.headDim;
  int64_t valueDim = options.type.valueDim ? options.type.valueDim : headDim;
  if (headDim < 0 || valueDim < 0)
    return makeError(ErrorKind::Invalid, "E0601", "a head dim is negative");
  double rows = static_cast<double>(problem.batch) *
                (static_cast<double>(problem.heads) * problem.qLen +
                 static_cast<double>(problem.kvHeads) * problem.kLen);
  if (Status status = checkElements(rows * std::max(headDim, valueDim));
      !status)
    return status;
  Operands random = randomOperands(problem, options.type.element(), headDim,
                                   valueDim, options.problem.seed);
  for (auto [array, made] : {std::pair(&operands.q, &random.q),
                             {&operands.k, &random.k},
                             {&operands.v, &random.v}})
    if (array->shape.empty())
      *array = std::move(*made);
  return {};
}
