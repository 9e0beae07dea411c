// A profiler unwinds the stack in its handler, wherever it has interrupted the member.
#include "team.hpp"

#include <execinfo.h>
#include <sys/time.h>

namespace {

std::atomic<int> samples, empty;
thread_local volatile bool sampling;

// After the last sample, not since it began: on a slow machine the program would do nothing but sample.
template <int Which>
void set_next(suseconds_t us) {
  const itimerval next{{0, 0}, {0, us}};
  setitimer(static_cast<__itimer_which_t>(Which), &next, nullptr);
}

template <int Which>
void sample(int) {
  const int before = errno;
  if (!sampling) {
    sampling = true;
    void* frames[64];
    const int depth = backtrace(frames, 64);
    ++samples;
    if (depth < 2) ++empty;
    sampling = false;
  }
  set_next<Which>(100);
  errno = before;
}

// Often enough to find a member at each instruction of a switch.
template <int Which, int Signal>
void a_sampler_in_regions_with_barriers() {
  void* frames[4];
  backtrace(frames, 4);  // loads what it needs
  handle(Signal, sample<Which>);
  set_next<Which>(100);
  const double until = now_s() + 1;
  do {
    team([](int me) {
      for (int i = 0; i < 500; ++i) {
        meet();
        if (i == me) compute(0.001);
      }
    });
  } while (now_s() < until || (samples < 20 && now_s() < until + patience));
  CHECK(samples >= 20);
  CHECK(empty == 0);
}

// From the bottom of a member's calls to its thread's begin, while others compute.
void members_see_their_calls() {
  team([](int me) {
    for (int i = 0; i < 100; ++i) {
      void* frames[64];
      const int depth = backtrace(frames, 64);
      meet();
      void* again[64];
      CHECK(depth > 1 && backtrace(again, 64) == depth);
      if (i % 20 == me) compute(0.02);
    }
  });
}

}  // namespace

int main() {
  subject("a sampler by SIGPROF", a_sampler_in_regions_with_barriers<ITIMER_PROF, SIGPROF>);
  subject("a sampler by SIGALRM", a_sampler_in_regions_with_barriers<ITIMER_REAL, SIGALRM>);
  subject("members see their calls", members_see_their_calls);
  return verdict();
}
