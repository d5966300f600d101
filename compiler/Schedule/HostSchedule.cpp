//===- HostSchedule.cpp - default tiles for the host ----------------------===//

#include "compiler/Schedule/HostSchedule.h"

using namespace jacquard;

/// The owned axis gives the columns of every product (two vectors of 16 lanes
/// at the least), the walked axis its depth: 64 x 64 keeps the operands of one
/// product, at head dims up to 256, in the second-level cache.
static constexpr int64_t defaultTile = 64;
static constexpr int64_t largestTile = 1024;

static Status checkSize(const char *kernel, const char *axis, int64_t size,
                        int64_t lanes) {
  if (size > 0 && size <= largestTile && size % lanes == 0)
    return {};
  return makeError(
      ErrorKind::Invalid, "E0602",
      std::string("schedule: ") + kernel + " " + axis + " is " +
          std::to_string(size) + "; this target takes multiples of " +
          std::to_string(lanes) + " up to " + std::to_string(largestTile));
}

Expected<Schedule> jacquard::hostSchedule(const CompileOptions &options,
                                          int64_t lanes) {
  Schedule schedule = options.schedule;
  for (auto [name, tile] : {std::pair("forward", &schedule.forward),
                            std::pair("backward", &schedule.backward)}) {
    if (tile->rows == 0)
      tile->rows = defaultTile;
    if (tile->keys == 0)
      tile->keys = defaultTile;
    if (Status status = checkSize(name, "rows", tile->rows, lanes); !status)
      return status.takeError();
    if (Status status = checkSize(name, "keys", tile->keys, lanes); !status)
      return status.takeError();
  }
  return schedule;
}
