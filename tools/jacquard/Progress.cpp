//===- Progress.cpp - a line on the terminal for slow steps ---------------===//

#include "Progress.h"
#include "Knobs.h"

#include <chrono>
#include <cstdio>

using namespace jacquard;

Progress::Progress(std::string what) : what(std::move(what)) {
  if (progressOn())
    thread = std::thread([this] { show(); });
}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex);
    over = true;
  }
  wake.notify_all();
  if (thread.joinable())
    thread.join();
}

void Progress::show() {
  using namespace std::chrono;
  auto start = steady_clock::now();
  bool shown = false;
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, shown ? milliseconds(250) : milliseconds(1000),
                        [&] { return over; })) {
    double seconds = duration<double>(steady_clock::now() - start).count();
    double share = fraction;
    if (share > 0)
      std::fprintf(stderr, "\r\033[K%s: %.0f %%, %.0f s, about %.0f s left",
                   what.c_str(), 100 * share, seconds,
                   seconds * (1 - share) / share);
    else
      std::fprintf(stderr, "\r\033[K%s: %.0f s", what.c_str(), seconds);
    std::fflush(stderr);
    shown = true;
  }
  if (shown)
    std::fprintf(stderr, "\r\033[K");
}
