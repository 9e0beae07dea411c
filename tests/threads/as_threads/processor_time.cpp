// A thread's processor time is its own, from the first time on that it asks: members together have no more than the process.
#include "team.hpp"

#include "../../openmp/driving_thread.h"

namespace {

/// A way to ask for the time of the calling thread, in seconds.
struct way {
  const char* name;
  double (*now)();
};

double seconds_of(const timespec& t) { return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec); }
double seconds_of(const rusage& usage) {
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

constexpr double limit = 1000;
// A timer on the thread's clock: how far it has come.
double time_of_timer(bool by_number) {
  thread_local timer_t timer;
  thread_local bool made = false;
  if (!made) {
    sigevent none{};
    none.sigev_notify = SIGEV_NONE;
    int number = 0;
    if (by_number) {
      CHECK(syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &none, &number) == 0);
      std::memcpy(&timer, &number, sizeof number);
    } else {
      CHECK(timer_create(CLOCK_THREAD_CPUTIME_ID, &none, &timer) == 0);
    }
    const itimerspec far{{}, timespec_of(limit)};
    if (by_number)
      CHECK(syscall(SYS_timer_settime, number, 0, &far, nullptr) == 0);
    else
      CHECK(timer_settime(timer, 0, &far, nullptr) == 0);
    made = true;
  }
  itimerspec left{};
  if (by_number) {
    int number = 0;
    std::memcpy(&number, &timer, sizeof number);
    CHECK(syscall(SYS_timer_gettime, number, &left) == 0);
  } else {
    CHECK(timer_gettime(timer, &left) == 0);
  }
  return limit - seconds_of(left.it_value);
}

const way ways[] = {
    {"clock_gettime", [] { return now_s(CLOCK_THREAD_CPUTIME_ID); }},
    {"clock_gettime by number",
     [] {
       timespec t{};
       CHECK(syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t) == 0);
       return seconds_of(t);
     }},
    {"the thread's own clock",
     [] {
       clockid_t clock;
       CHECK(pthread_getcpuclockid(pthread_self(), &clock) == 0);
       return now_s(clock);
     }},
    {"getrusage",
     [] {
       rusage usage{};
       CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
       return seconds_of(usage);
     }},
    {"getrusage by number",
     [] {
       rusage usage{};
       CHECK(syscall(SYS_getrusage, RUSAGE_THREAD, &usage) == 0);
       return seconds_of(usage);
     }},
    {"timers", [] { return time_of_timer(false); }},
    {"timers by number", [] { return time_of_timer(true); }},
};

void is_each_members_own(const way& method) {
  constexpr double part = 0.01, exact = 0.003;
  for (int round = 0; round < 2; ++round) {
    std::vector<double> had(static_cast<std::size_t>(members));
    const double begun = now_s(CLOCK_PROCESS_CPUTIME_ID);
    team([&](int me) {
      const double first = method.now();
      double last = first;
      for (int i = 0; i < members; ++i) {
        meet();
        if (i == me) compute(part);
        const double now = method.now();
        if (now < last) {
          std::fprintf(stderr, "%s of member %d: %g s after %g s\n", method.name, me, now, last);
          CHECK(now >= last);
        }
        last = now;
      }
      CHECK(driving_thread() == gettid());  // so that the time is not another member's
      had[static_cast<std::size_t>(me)] = last - first;
    });
    const double of_process = now_s(CLOCK_PROCESS_CPUTIME_ID) - begun;
    double sum = 0;
    for (const double one : had) sum += one;
    if (sum > of_process + exact) std::fprintf(stderr, "%s: members %g s, the process %g s\n", method.name, sum, of_process);
    CHECK(sum <= of_process + exact);
  }
}

// Not of all: one that asks, among others that never do.
void is_its_own_among_others() {
  team([](int me) {
    meet();
    const double first = me == 1 ? now_s(CLOCK_THREAD_CPUTIME_ID) : 0;
    for (int i = 0; i < members; ++i) {
      meet();
      if (i == me && me != 1) compute(0.02);
    }
    if (me == 1) CHECK(now_s(CLOCK_THREAD_CPUTIME_ID) - first < 0.02 * 0.5 * members);
  });
}

}  // namespace

int main() {
  for (const way& method : ways) subject(method.name, [&] { is_each_members_own(method); });
  subject("its own among others", is_its_own_among_others);
  return verdict();
}
