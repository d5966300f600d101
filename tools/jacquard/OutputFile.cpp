//===- OutputFile.cpp - files written whole or not at all -----------------===//

#include "OutputFile.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace jacquard;

static bool writeAll(int file, std::string_view piece) {
  while (!piece.empty()) {
    ssize_t count = ::write(file, piece.data(), piece.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    piece.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

Status jacquard::writeWhole(const std::string &path,
                            const std::vector<std::string_view> &pieces) {
  // One process, one name: two of them may write the same file.
  std::string temporary = path + ".part" + std::to_string(::getpid());
  int file =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool good = file >= 0;
  for (std::string_view piece : pieces)
    good = good && writeAll(file, piece);
  int reason = good ? 0 : errno;
  if (file >= 0 && ::close(file) != 0 && good) {
    good = false;
    reason = errno;
  }
  if (good && std::rename(temporary.c_str(), path.c_str()) != 0) {
    good = false;
    reason = errno;
  }
  if (good)
    return {};
  if (file >= 0)
    std::remove(temporary.c_str());
  return makeError(ErrorKind::Environment, "E0503",
                   "can't write '" + path + "': " + std::strerror(reason));
}
