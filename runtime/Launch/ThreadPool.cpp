//===- ThreadPool.cpp - taking items from a counter -----------------------===//

#include "runtime/Launch/ThreadPool.h"

#include <cstdlib>

using namespace jacquard;

ThreadPool::ThreadPool(int threads) : scratches(threads < 1 ? 1 : threads) {
  for (int i = 0; i + 1 < size(); ++i)
    workers.emplace_back([this, i] { workerLoop(i); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  start.notify_all();
  for (std::thread &worker : workers)
    worker.join();
  for (Scratch &scratch : scratches)
    std::free(scratch.data);
}

void ThreadPool::takeItems(void *scratch) {
  for (int64_t item;
       (item = next.fetch_add(1, std::memory_order_relaxed)) < jobItems;)
    (*job)(item, scratch);
}

void ThreadPool::workerLoop(int index) {
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    start.wait(lock, [&] { return stopping || round != seen; });
    if (stopping)
      return;
    seen = round;
    void *scratch = scratches[index].data;
    lock.unlock();
    takeItems(scratch);
    lock.lock();
    if (--busy == 0)
      done.notify_one();
  }
}

bool ThreadPool::run(int64_t items, int64_t scratchBytes,
                     const std::function<void(int64_t, void *)> &work) {
  if (items <= 0)
    return true;
  std::lock_guard<std::mutex> turn(callers);
  for (Scratch &scratch : scratches) {
    if (scratch.bytes >= scratchBytes)
      continue;
    std::free(scratch.data);
    int64_t rounded = (scratchBytes + 63) / 64 * 64;
    scratch.data = std::aligned_alloc(64, rounded);
    scratch.bytes = scratch.data ? rounded : 0;
    if (!scratch.data)
      return false;
  }
  job = &work;
  jobItems = items;
  next = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    busy = static_cast<int>(workers.size());
    ++round;
  }
  start.notify_all();
  takeItems(scratches.back().data);
  std::unique_lock<std::mutex> lock(mutex);
  done.wait(lock, [&] { return busy == 0; });
  return true;
}
