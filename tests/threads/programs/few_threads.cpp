// As many threads as processors wait for each other: the process has no other thread. With one more it has.
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::condition_variable changed;
int turn = 0;
bool are_counted = false;

/// `all` threads, of which the calling one is the last, take turns.
void take_turns(int me, int all) {
  for (int i = 0; i < 100; ++i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [me] { return turn == me; });
    turn = (turn + 1) % all;
    changed.notify_all();
  }
}

/// How many threads the process has while they are all there.
int with(int all) {
  are_counted = false;
  std::vector<std::thread> others;
  for (int i = 0; i + 1 < all; ++i)
    others.emplace_back([i, all] {
      take_turns(i, all);
      std::unique_lock lock(mutex);
      changed.wait(lock, [] { return are_counted; });
    });
  take_turns(all - 1, all);
  const auto count = std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  {
    const std::lock_guard lock(mutex);
    are_counted = true;
  }
  changed.notify_all();
  for (std::thread& each : others) each.join();
  return static_cast<int>(count);
}

}  // namespace

int main() {
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  const int few = with(processors), many = with(processors + 1);
  std::printf(few <= processors && many > processors + 1 ? "ok\n" : "%d threads with %d, %d with one more\n", few, processors, many);
}
