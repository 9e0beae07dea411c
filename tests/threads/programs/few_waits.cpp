// Threads that pass on a token: who has slept once or twice is a thread of the kernel still, and who sleeps often is a member.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>
#include <vector>

#include <semaphore.h>
#include <unistd.h>

#include "../../openmp/driving_thread.h"

namespace {

constexpr int sleeps_in_kernel = 2, rounds = 2000;

bool is_member() { return driving_thread() != gettid(); }

}  // namespace

int main() {
  // So that nobody is called in by the signal of ticks.
  sigset_t of_ticks;
  sigemptyset(&of_ticks);
  sigaddset(&of_ticks, SIGURG);
  pthread_sigmask(SIG_BLOCK, &of_ticks, nullptr);
  std::vector<sem_t> turn(2 * std::thread::hardware_concurrency() + 1);
  for (sem_t& each : turn) sem_init(&each, 0, 0);
  std::atomic<int> early{0}, late{0};
  std::vector<std::thread> threads;
  for (std::size_t me = 0; me < turn.size(); ++me)
    threads.emplace_back([&, me] {
      for (int i = 0; i < rounds; ++i) {
        while (sem_wait(&turn[me]) != 0) {
        }
        if (i < sleeps_in_kernel && is_member()) ++early;
        if (i + 10 == rounds && is_member()) ++late;
        sem_post(&turn[(me + 1) % turn.size()]);
      }
    });
  sem_post(&turn[0]);
  for (std::thread& each : threads) each.join();
  std::printf(early == 0 && late > 0 ? "ok\n" : "%d members at first, %d at last\n", early.load(), late.load());
}
