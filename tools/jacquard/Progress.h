//===- Progress.h - a line on the terminal for slow steps -------*- C++ -*-===//
#ifndef JACQUARD_TOOLS_JACQUARD_PROGRESS_H
#define JACQUARD_TOOLS_JACQUARD_PROGRESS_H

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace jacquard {

/// While it lives and after its first second, shows `what`, the share done
/// (where one is set) and the time on stderr; only on a terminal. The line is
/// wiped at the end.
class Progress {
public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// From 0 to 1.
  void done(double share) { fraction = share; }

private:
  void show();

  std::string what;
  std::atomic<double> fraction{-1};
  std::mutex mutex;
  std::condition_variable wake;
  bool over = false;
  std::thread thread;
};

} // namespace jacquard

#endif // JACQUARD_TOOLS_JACQUARD_PROGRESS_H
