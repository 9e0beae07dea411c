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
double seconds_of(const rusage& its) {
  const auto all = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return all(its.ru_utime) + all(its.ru_stime);
}

constexpr double limit = 1000;
// A timer on the thread's clock: how far it has come.
double time_of_timer(bool by_number) {
  thread_local timer_t its;
  thread_local bool made = false;
  if (!made) {
    sigevent none{};
    none.sigev_notify = SIGEV_NONE;
    int number = 0;
    if (by_number) {
      CHECK(syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &none, &number) == 0);
      std::memcpy(&its, &number, sizeof number);
    } else {
      CHECK(timer_create(CLOCK_THREAD_CPUTIME_ID, &none, &its) == 0);
    }
    const itimerspec far{{}, timespec_of(limit)};
    if (by_number)
      CHECK(syscall(SYS_timer_settime, number, 0, &far, nullptr) == 0);
    else
      CHECK(timer_settime(its, 0, &far, nullptr) == 0);
    made = true;
  }
  itimerspec left{};
  if (by_number) {
    int number = 0;
    std::memcpy(&number, &its, sizeof number);
    CHECK(syscall(SYS_timer_gettime, number, &left) == 0);
  } else {
    CHECK(timer_gettime(its, &left) == 0);
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
       clockid_t its;
       CHECK(pthread_getcpuclockid(pthread_self(), &its) == 0);
       return now_s(its);
     }},
    {"getrusage",
     [] {
       rusage its{};
       CHECK(getrusage(RUSAGE_THREAD, &its) == 0);
       return seconds_of(its);
     }},
    {"getrusage by number",
     [] {
       rusage its{};
       CHECK(syscall(SYS_getrusage, RUSAGE_THREAD, &its) == 0);
       return seconds_of(its);
     }},
    {"timers", [] { return time_of_timer(false); }},
    {"timers by number", [] { return time_of_timer(true); }},
};

void is_each_members_own(const way& its) {
  constexpr double part = 0.01, exact = 0.003;
  for (int round = 0; round < 2; ++round) {
    std::vector<double> had(static_cast<std::size_t>(members));
    const double begun = now_s(CLOCK_PROCESS_CPUTIME_ID);
    team([&](int me) {
      const double first = its.now();
      double last = first;
      for (int i = 0; i < members; ++i) {
        meet();
        if (i == me) compute(part);
        const double now = its.now();
        if (now < last) {
          std::fprintf(stderr, "%s of member %d: %g s after %g s\n", its.name, me, now, last);
          CHECK(now >= last);
        }
        last = now;
      }
      CHECK(driving_thread() == gettid());  // so that the time is not another member's
      had[static_cast<std::size_t>(me)] = last - first;
    });
    const double all = now_s(CLOCK_PROCESS_CPUTIME_ID) - begun;
    double sum = 0;
    for (const double one : had) sum += one;
    if (sum > all + exact) std::fprintf(stderr, "%s: members %g s, the process %g s\n", its.name, sum, all);
    CHECK(sum <= all + exact);
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
  for (const way& its : ways) subject(its.name, [&] { is_each_members_own(its); });
  subject("its own among others", is_its_own_among_others);
  return verdict();
}
