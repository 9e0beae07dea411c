// Threads of a program that has an allocator in place of the C library's (allocates.c): all of them allocate at the same time,
// wait for each other, there and elsewhere, and end, while others begin.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

extern "C" void meet_in_allocator_as(unsigned threads);
extern "C" void meet_in_allocator();

int main() {
  constexpr int threads = 16, crews = 20, rounds = 50, between_meetings = 10;
  meet_in_allocator_as(threads);
  std::mutex m;
  std::condition_variable changed;
  int done = 0;
  for (int crew = 0; crew < crews; ++crew) {
    std::vector<std::thread> started;
    for (int i = 0; i < threads; ++i)
      started.emplace_back([&] {
        for (int round = 0; round < rounds; ++round) {
          auto* const number = static_cast<volatile int*>(std::malloc(sizeof(int)));  // volatile: it is not left out
          *number = 1;
          if (round % between_meetings == 0) meet_in_allocator();
          const std::lock_guard lock(m);
          done += *number;
          std::free(const_cast<int*>(number));
          changed.notify_one();
        }
      });
    {
      std::unique_lock lock(m);
      changed.wait(lock, [&] { return done >= (crew + 1) * threads * rounds / 2; });
    }
    for (auto& each : started) each.join();
  }
  if (done != threads * crews * rounds) return 1;
  std::puts("ok");
}
