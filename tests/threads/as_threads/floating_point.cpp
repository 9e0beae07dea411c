// Flags of floating-point exceptions are each thread's own, also those of the unit that computes long double.
#include "team.hpp"

#include <cfenv>
#include <cfloat>

#include <sys/prctl.h>

namespace {

#if defined(__x86_64__)
// Not by the C library, which answers with those of SSE, too: other computing raises them, such as that of times.
constexpr int every_exception = FE_ALL_EXCEPT;
int raised() {
  unsigned short status = 0;
  asm volatile("fnstsw %0" : "=m"(status));
  return status & every_exception;
}
void clear() { asm volatile("fnclex"); }
#else
constexpr int every_exception = FE_ALL_EXCEPT & ~FE_INEXACT;
int raised() { return std::fetestexcept(every_exception); }
void clear() { std::feclearexcept(FE_ALL_EXCEPT); }
#endif

/// Each member computes something else; 0: nothing.
int computes(int which) {
  volatile long double zero = 0, one = 1, three = 3, most = LDBL_MAX, least = LDBL_MIN;
  volatile long double result = 0;
  static_cast<void>(result);
  switch (which % 6) {
    case 1: result = one / zero; return FE_DIVBYZERO;
    case 2: result = zero / zero; return FE_INVALID;
    case 3: result = most * three; return (FE_OVERFLOW | FE_INEXACT) & every_exception;
    case 4: result = least / three; return (FE_UNDERFLOW | FE_INEXACT) & every_exception;
    case 5: result = one / three; return FE_INEXACT & every_exception;
    default: return 0;
  }
}

void stay(int me, int own) {
  for (int i = 0; i < 30; ++i) {
    if (i == me) compute(0.01);
    if (i == me + 3) sleep_for(0.002);
    meet();
    if (i % 3 == 0) sched_yield();
    if (const int found = raised(); found != own) {
      std::fprintf(stderr, "flags of member %d: %#x, not %#x\n", me, static_cast<unsigned>(found), static_cast<unsigned>(own));
      return CHECK(found == own);
    }
  }
}

void each_has_its_own() {
  clear();
  team([](int me) {
    CHECK(raised() == 0);
    meet();
    const int own = computes(me);
    CHECK(raised() == own);
    stay(me, own);
    meet();
    clear();
    stay(me, 0);
    const int later = computes(me + 1);
    meet();
    stay(me, later);
    clear();
  });
  CHECK(raised() == 0);
}

// A member that raises none while all others do, and one that raises them while no other does.
void one_is_unlike_the_others() {
  for (const bool raises : {false, true}) {
    clear();
    team([&](int me) {
      const int own = (me == 1) == raises ? computes(5) | computes(1) : 0;
      meet();
      stay(me, own);
      clear();
    });
    CHECK(raised() == 0);
  }
}

// With other modes than the others have: rounding, and which exceptions trap.
void with_modes() {
  constexpr int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  clear();
  team([&](int me) {
    const int rounding = roundings[me % 4];
    std::fesetround(rounding);
    const int own = computes(me);
    meet();
    for (int i = 0; i < 5; ++i) {
      stay(me, own);
      CHECK(std::fegetround() == rounding);
    }
    std::fesetround(FE_TONEAREST);
    clear();
  });
}

#if defined(__x86_64__)
// A flag whose exception is no longer masked traps in the next instruction of its own thread, and of no other.
void flags_that_would_trap() {
  clear();
  team([](int me) {
    unsigned short masked = 0;
    asm volatile("fnstcw %0" : "=m"(masked));
    const auto unmasked = static_cast<unsigned short>(masked & ~FE_DIVBYZERO);
    const int own = me % 2 != 0 ? computes(1) : 0;
    if (me % 2 != 0) asm volatile("fldcw %0" : : "m"(unmasked));
    for (int i = 0; i < 30; ++i) {
      meet();
      CHECK(raised() == own);
      if (me % 2 == 0) {  // the others would trap at each such instruction
        volatile long double one = 1;
        one = one + one;
      }
    }
    clear();
    asm volatile("fldcw %0" : : "m"(masked));
  });
}
#endif

// A change of what the kernel keeps of the thread.
void go_with_a_member_that_leaves() {
  clear();
  team([](int me) {
    const int own = computes(me);
    meet();
    if (me % 2 != 0) prctl(PR_SET_TIMERSLACK, 60'000L + me);
    CHECK(raised() == own);
    stay(me, own);
    clear();
  });
  CHECK(raised() == 0);
}

}  // namespace

int main() {
  subject("each has its own", each_has_its_own);
  subject("one is unlike the others", one_is_unlike_the_others);
  subject("with modes", with_modes);
#if defined(__x86_64__)
  subject("flags that would trap", flags_that_would_trap);
#endif
  subject("go with a member that leaves", go_with_a_member_that_leaves);
  return verdict();
}
