//===- HostSchedule.h - tiles for the host and what they cost ---*- C++ -*-===//
//
// A schedule is data: tile sizes a kernel, chosen by head dim, checked against
// the scratch that a worker's cache can hold, overridable by the caller.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_COMPILER_SCHEDULE_HOSTSCHEDULE_H
#define JACQUARD_COMPILER_SCHEDULE_HOSTSCHEDULE_H

#include "compiler/Compiler.h"

namespace jacquard {

/// Fills in the sizes that `options.schedule` leaves open and checks all of
/// them (E0602): multiples of the vector's lanes, at most 1,024.
Expected<Schedule> hostSchedule(const CompileOptions &options, int64_t lanes);

} // namespace jacquard

#endif // JACQUARD_COMPILER_SCHEDULE_HOSTSCHEDULE_H
