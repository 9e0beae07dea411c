// Members that compute without calls beside others, where no signal of the user's may be pending any more: a tick comes without
// what it asks.
#include <cstdio>
#include <ctime>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

int main() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_SIGPENDING, &none);
  cpu_set_t here;
  sched_getaffinity(0, sizeof here, &here);
  const auto threads = static_cast<unsigned>(3 * CPU_COUNT(&here));
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, threads);
  const auto compute = [&barrier] {
    for (int i = 0; i < 5; ++i) pthread_barrier_wait(&barrier);  // a thread sleeps twice before it becomes a member
    // More than a time slice of the kernel's for each, many looks of the monitor's.
    for (volatile unsigned long i = 0; i < 60'000'000;) i = i + 1;
    pthread_barrier_wait(&barrier);
  };
  std::vector<std::thread> started;
  for (unsigned i = 0; i < threads; ++i) started.emplace_back(compute);
  for (std::thread& each : started) each.join();
  std::puts("ok");
}
