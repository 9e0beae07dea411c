// More signals with values come for the process than wait for one thread: the only thread that does not block them has no
// processor meanwhile. None is lost.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>
#include <vector>

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using time_to_pass = std::chrono::steady_clock;

constexpr int signals = 100;
std::atomic<int> handled{0}, sum{0};
std::atomic<bool> all_sent{false};
sem_t ends;

void handle(int, siginfo_t* why, void*) {
  sum += why->si_value.sival_int;
  ++handled;
}

void compute_for(time_to_pass::duration some) {
  for (const auto from = time_to_pass::now(); time_to_pass::now() - from < some;) {
  }
}

}  // namespace

int main() {
  const int number = SIGRTMIN + 1;
  struct sigaction how {};
  how.sa_sigaction = handle;
  how.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(number, &how, nullptr);
  sigset_t it;
  sigemptyset(&it);
  sigaddset(&it, number);
  pthread_sigmask(SIG_BLOCK, &it, nullptr);
  sem_init(&ends, 0, 0);

  // By waiting they become members.
  const unsigned busy = std::thread::hardware_concurrency();
  pthread_barrier_t met;
  pthread_barrier_init(&met, nullptr, busy + 2);
  const auto meet = [&met] {
    for (int i = 0; i < 20; ++i) pthread_barrier_wait(&met);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < busy; ++i)
    threads.emplace_back([&] {
      meet();
      while (!all_sent) compute_for(10us);
    });
  threads.emplace_back([&] {
    pthread_sigmask(SIG_UNBLOCK, &it, nullptr);
    meet();
    while (sem_wait(&ends) != 0) {
    }
  });
  meet();
  for (int i = 1; i <= signals; ++i) {
    if (sigqueue(getpid(), number, sigval{i}) != 0) return std::perror("sigqueue"), 1;
    compute_for(50us);
  }
  all_sent = true;
  for (const auto from = time_to_pass::now(); handled < signals && time_to_pass::now() - from < 60s;) usleep(1000);
  sem_post(&ends);
  for (std::thread& each : threads) each.join();
  if (handled != signals || sum != signals * (signals + 1) / 2)
    return std::printf("%d of %d signals came, sum %d\n", handled.load(), signals, sum.load()), 1;
  std::puts("ok");
}
