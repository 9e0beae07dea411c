// As many threads as processors wait for each other: the process has no other thread. With one more it has. Threads that have
// ended do not count, nor those that the system has refused.
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

#include <pthread.h>

namespace {

std::mutex mutex;
std::condition_variable changed;
int turn = 0;
bool are_counted = false;

/// `number` threads, of which the calling one is the last, take turns.
void take_turns(int me, int number) {
  for (int i = 0; i < 100; ++i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [me] { return turn == me; });
    turn = (turn + 1) % number;
    changed.notify_all();
  }
}

int threads_now() { return static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {})); }

/// How many threads the process has while they are all there.
int with(int number) {
  are_counted = false;
  std::vector<std::thread> others;
  for (int i = 0; i + 1 < number; ++i)
    others.emplace_back([i, number] {
      take_turns(i, number);
      std::unique_lock lock(mutex);
      changed.wait(lock, [] { return are_counted; });
    });
  take_turns(number - 1, number);
  const int count = threads_now();
  {
    const std::lock_guard lock(mutex);
    are_counted = true;
  }
  changed.notify_all();
  for (std::thread& each : others) each.join();
  return count;
}

/// Threads whose stacks have no place in memory.
bool are_refused(int times) {
  constexpr std::size_t stack_bytes = std::size_t{1} << 46;
  pthread_attr_t attributes;
  pthread_t none;
  int refused = 0;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, stack_bytes) != 0) return false;
  for (int i = 0; i < times; ++i)
    refused += pthread_create(&none, &attributes, [](void* it) { return it; }, nullptr) == EAGAIN ? 1 : 0;
  pthread_attr_destroy(&attributes);
  return refused == times;
}

}  // namespace

int main() {
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  const bool refused = are_refused(processors);
  const int few = with(processors), again = with(processors), many = with(processors + 1);
  const bool well = refused && few <= processors && again <= processors && many > processors + 1;
  std::printf(well ? "ok\n" : "%d threads with %d, %d again, %d with one more\n", few, processors, again, many);
}
