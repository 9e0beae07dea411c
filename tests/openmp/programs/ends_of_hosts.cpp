// Members wait in every way for the ends of threads that open regions: other members may run on those threads meanwhile.
#include "check.h"

#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <thread>

namespace {

std::atomic<int> opened{0};

void opens_a_region() {
#pragma omp parallel num_threads(3)
  ++opened;
}
void* open_and_return(void* to) {
  if (to != nullptr) *static_cast<std::atomic<long>*>(to) = syscall(SYS_gettid);
  opens_a_region();
  return to;
}
int host_of_c11(void*) { return opens_a_region(), 7; }

timespec in_an_hour(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  now.tv_sec += 3600;
  return now;
}

void joins(int how) {
  pthread_t created;
  void* result = nullptr;
  if (how == 0) {
    std::thread(opens_a_region).join();
  } else if (how == 1) {
    std::async(std::launch::async, opens_a_region).wait();
  } else if (how == 2) {
    thrd_t thread;
    int told = 0;
    CHECK(thrd_create(&thread, host_of_c11, nullptr) == thrd_success);
    CHECK(thrd_join(thread, &told) == thrd_success && told == 7);
  } else {
    std::atomic<long> its_number{0};
    CHECK(pthread_create(&created, nullptr, open_and_return, &its_number) == 0);
    const timespec real = in_an_hour(CLOCK_REALTIME), monotonic = in_an_hour(CLOCK_MONOTONIC);
    switch (how) {
      case 3: CHECK(pthread_timedjoin_np(created, &result, &real) == 0); break;
      case 4: CHECK(pthread_clockjoin_np(created, &result, CLOCK_MONOTONIC, &monotonic) == 0); break;
      case 5:
        while (pthread_tryjoin_np(created, &result) != 0) usleep(100);
        break;
      default: {
        while (its_number == 0) sched_yield();
        constexpr int of_thread = 0200;  // PIDFD_THREAD, of Linux 6.9
        const auto file = static_cast<int>(syscall(SYS_pidfd_open, its_number.load(), of_thread));
        pollfd end{file, POLLIN, 0};
        if (file >= 0) CHECK(poll(&end, 1, -1) == 1);
        close(file);
        CHECK(pthread_join(created, &result) == 0);
      }
    }
    CHECK(result == &its_number);
  }
}

}  // namespace

int main() {
  constexpr int ways = 7, rounds = 100;
  int members = 0;
  for (int i = 0; i < rounds * ways; ++i) {
#pragma omp parallel
    {
#pragma omp single
      members += omp_get_num_threads();
      joins(i / rounds);
    }
  }
  CHECK(opened >= members && members > 0);
  return verdict();
}
