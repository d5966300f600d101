//===- HostEmitter.h - one tile kernel as a host function -------*- C++ -*-===//
//
// Emits, for one `tile.kernel`, an `llvm.func` of the type in KernelAbi.h whose
// body is scf, arith, math, vector and LLVM ops: fragments are arrays in
// scratch (HostBuffers), maps are loops over vectors of `lanes` columns, mma is
// a register- blocked loop nest. Each family of ops has its own source file.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_COMPILER_LOWER_HOSTEMITTER_H
#define JACQUARD_COMPILER_LOWER_HOSTEMITTER_H

#include "compiler/Lower/HostBuffers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include <functional>

namespace jacquard {

class HostEmitter {
public:
  /// `lanes`: floats in a vector of the machine (16, 8 or 4).
  HostEmitter(tile::KernelOp kernel, int64_t lanes);

  /// Emits the function before the kernel. Fails with a diagnostic on an op
  /// that has no place in a host kernel.
  mlir::LogicalResult emit();

  int64_t scratchBytes() const { return buffers.scratchBytes(); }

private:
  using Value = mlir::Value;

  /// Rows of an operand: where the first is, how far apart they are.
  struct View {
    Value base;      ///< Pointer to row 0, element 0.
    Value rowStride; ///< In elements.
    int64_t cols = 0;
    mlir::Type element;
  };

  // Kernel (HostEmitter.cpp).
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation &op);
  mlir::LogicalResult emitFor(mlir::Operation &op);
  Value scalarOp(mlir::Operation &op);
  void emitPlanRange(tile::PlanRangeOp op);
  void emitPlanRun(tile::PlanRunOp op);
  void emitView(tile::ViewOp op);

  // Small pieces (HostEmitter.cpp).
  Value constant(int64_t value);
  Value constantFloat(double value);
  Value pointer(Value base, Value bytes);
  Value pointer(Value base, int64_t bytes);
  Value load(mlir::Type type, Value address);
  Value argument(int64_t offset, mlir::Type type);
  Value mul(Value a, Value b);
  Value add(Value a, Value b);
  Value smaller(Value a, Value b);
  mlir::VectorType vectorOf(mlir::Type element, int64_t count);
  /// A loop over [0, count) in steps; `body` gets the induction variable.
  void loop(Value count, int64_t step, const std::function<void(Value)> &body);
  void loop(int64_t count, int64_t step,
            const std::function<void(Value)> &body);
  /// Address of element (row, col) of an array in scratch.
  Value element(const HostBuffer &buffer, Value row, Value col);

  // Views, rings and conversions (HostMemory.cpp).
  void emitLoad(tile::LoadOp op);
  void emitStore(tile::StoreOp op);
  void emitCopy(tile::CopyOp op);
  void emitStage(mlir::Operation &op, Value ring, Value use, Value stage);
  void emitStorePartial(tile::StorePartialOp op);
  Value peek(tile::PeekOp op, mlir::IRMapping &values);
  Value viewElement(const View &view, Value row, Value col);
  /// To fp32 and from it; scalars or vectors.
  Value widen(Value stored);
  Value narrow(Value value, mlir::Type element);
  void copyBuffer(const HostBuffer &from, const HostBuffer &to);

  // Maps and reductions (HostMap.cpp, HostPatternData.cpp).
  mlir::LogicalResult emitMap(tile::MapOp op);
  mlir::LogicalResult emitMapOp(mlir::Operation &op, mlir::IRMapping &values);
  void emitFill(tile::FillOp op);
  void emitReduce(tile::ReduceOp op);
  Value broadcast(Value value);
  Value elementOf(tile::ElementOp op, mlir::IRMapping &values);
  void accumulate(tile::AccumulateOp op, mlir::IRMapping &values);
  Value selected(tile::SelectedOp op, mlir::IRMapping &values);
  /// Sum over axes of clamp(index) * stride for a TensorArg or SelectionArg.
  Value linearIndex(Value arg, int64_t shapeOffset, int64_t strideOffset,
                    mlir::ValueRange indices);
  Value gather(Value base, Value index, mlir::Type element);

  // Matrix products (HostMma.cpp).
  void emitMma(tile::MmaOp op);

  tile::KernelOp kernel;
  int64_t lanes;
  HostBuffers buffers;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::LLVM::LLVMFuncOp function;
  Value args, scratch, lane;
  mlir::IRMapping scalars; ///< Kernel values to emitted values.
  llvm::DenseMap<Value, View> views;
  llvm::DenseMap<Value, Value> stageBases; ///< Stage to pointer.
  llvm::DenseMap<Value, HostBuffer> stageShapes;
  mlir::Type i64, i32, i1, f32, pointerType;
};

} // namespace jacquard

#endif // JACQUARD_COMPILER_LOWER_HOSTEMITTER_H
