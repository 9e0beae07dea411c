// With WEIR_THREADS=auto, threads that sleep while they wait, or compute, stay threads of the kernel. Once some poll, all become
// members, which were threads of the kernel when they began; also if the thread that has created them has ended ("creator").
// Prints "ok".
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

#include "../../openmp/driving_thread.h"

namespace {

bool is_member() { return driving_thread() != gettid(); }

const int threads = 4 * static_cast<int>(std::thread::hardware_concurrency());
std::atomic<int> members{0};

void run(const std::function<void(int)>& what) {
  std::vector<std::thread> started;
  for (int me = 0; me < threads; ++me) started.emplace_back(what, me);
  for (std::thread& each : started) each.join();
}

std::mutex mutex;
std::condition_variable changed;
int turn = 0;
volatile double sum = 0;

/// The threads take turns, and compute for a while in between.
void sleep_for_turns(int me) {
  for (int i = 0; i < 500; ++i) {
    double total = 0;
    for (int k = 0; k < 20'000; ++k) total += k;
    std::unique_lock lock(mutex);
    changed.wait(lock, [me] { return turn == me; });
    sum = total;
    turn = (turn + 1) % threads;
    changed.notify_all();
    if (i % 100 == 0 && is_member()) ++members;
  }
}

std::atomic<int> polled{0};

/// They wait for their turns in loops until all have been members: for ever otherwise.
void poll_for_turns(int me) {
  bool is_counted = false;
  while (members != threads) {
    while (polled != me && members != threads) {
    }
    if (!is_counted && is_member()) is_counted = true, ++members;
    polled = (me + 1) % threads;
  }
}

std::atomic<bool> creator_has_ended{false};

void poll_without_creator() {
  std::vector<std::thread> started;
  std::thread([&started] {
    for (int me = 0; me < threads; ++me)
      started.emplace_back([me] {
        creator_has_ended.wait(false);
        poll_for_turns(me);
      });
  }).join();
  creator_has_ended = true;
  creator_has_ended.notify_all();
  for (std::thread& each : started) each.join();
}

}  // namespace

int main(int, char** words) {
  if (words[1] != nullptr && std::string_view(words[1]) == "creator") return poll_without_creator(), std::puts("ok"), 0;
  run(sleep_for_turns);
  if (members != 0) return std::printf("%d times, threads that sleep were members\n", members.load()), 1;
  run(poll_for_turns);
  std::puts("ok");
}
