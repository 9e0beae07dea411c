// A library whose runtime schedules threads itself is loaded: threads that are created afterwards stay with the kernel, and those
// that are members go on as such. With "first" it is loaded before there are threads, and nobody becomes a member.
//
// usage: LD_PRELOAD=Weir's library WEIR_THREADS=all threads-loads_scheduler LIBRARY [first]
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include "../../openmp/driving_thread.h"

namespace {

using clock = std::chrono::steady_clock;

/// Threads that take turns, more than the processors.
class ring {
 public:
  ring() {
    for (unsigned i = 0; i < size_; ++i) threads_.emplace_back([this, i] { run(i); });
  }
  ring(const ring&) = delete;
  ~ring() {
    is_over_ = true;
    for (std::thread& each : threads_) each.join();
  }
  std::atomic<unsigned> turns{0}, turns_of_members{0};

 private:
  void run(unsigned me) {
    for (bool over = false; !over;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return turn_ % size_ == me; });
      over = is_over_;
      ++turn_;
      changed_.notify_all();
      lock.unlock();
      ++turns;
      if (driving_thread() != gettid()) ++turns_of_members;
    }
  }

  const unsigned size_ = 2 * std::thread::hardware_concurrency();
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned turn_ = 0;
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

template <class Holds>
bool soon(Holds holds) {
  for (const auto until = clock::now() + std::chrono::seconds(100); clock::now() < until;) {
    if (holds()) return true;
    usleep(1000);
  }
  return holds();
}

/// Do these threads take turns, after some time as members, if they are to be that?
bool take_turns(ring& by, bool as_members) {
  by.turns = by.turns_of_members = 0;
  const auto at_least = clock::now() + std::chrono::milliseconds(300);  // so that a thread that runs would have been called in
  return soon([&] { return by.turns > 1000 && clock::now() > at_least && (!as_members || by.turns_of_members > 0); }) &&
         (as_members || by.turns_of_members == 0);
}

}  // namespace

int main(int, char** words) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  const bool is_first = words[2] != nullptr;
  bool is_right = true;
  const auto load = [&] { is_right &= dlopen(words[1], RTLD_NOW) != nullptr; };
  if (is_first) {
    load();
    ring later;
    is_right &= take_turns(later, false);
  } else {
    ring earlier;
    is_right &= take_turns(earlier, true);
    load();
    ring later;
    is_right &= take_turns(later, false) && take_turns(earlier, true) && take_turns(later, false);
  }
  std::puts(is_right ? "ok" : "wrong");
}
