//===- ThreadPool.h - the workers of a host device --------------*- C++ -*-===//
//
// Threads are made once. A job is a number of items; workers and the caller
// take them one at a time from a counter. Several callers may run jobs at once:
// they take turns.
//
//===----------------------------------------------------------------------===//
#ifndef JACQUARD_RUNTIME_LAUNCH_THREADPOOL_H
#define JACQUARD_RUNTIME_LAUNCH_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace jacquard {

class ThreadPool {
public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;

  int size() const { return static_cast<int>(scratches.size()); }

  /// Runs `work(item, scratch)` for every item in [0, items); scratch has at
  /// least `scratchBytes`, aligned to 64, one a worker. Returns false if there
  /// is no memory for it.
  bool run(int64_t items, int64_t scratchBytes,
           const std::function<void(int64_t item, void *scratch)> &work);

private:
  struct Scratch {
    void *data = nullptr;
    int64_t bytes = 0;
  };
  void workerLoop(int index);
  void takeItems(void *scratch);

  std::vector<std::thread> workers;
  std::vector<Scratch> scratches; ///< The caller's is the last.
  std::mutex callers;             ///< One job at a time.
  std::mutex mutex;
  std::condition_variable start, done;
  const std::function<void(int64_t, void *)> *job = nullptr;
  int64_t jobItems = 0;
  std::atomic<int64_t> next{0};
  uint64_t round = 0;
  int busy = 0;
  bool stopping = false;
};

} // namespace jacquard

#endif // JACQUARD_RUNTIME_LAUNCH_THREADPOOL_H
