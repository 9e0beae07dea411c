// The older functions that set the handler of a signal: the member that raises it is interrupted, and in the way that the
// function says.
#include "team.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

using handler = void (*)(int);
extern "C" handler bsd_signal(int, handler);  // the headers do not have it any more

namespace {

thread_local volatile int came;
thread_local volatile bool is_blocked_meanwhile;
std::atomic<int> elsewhere;

void note(int number) {
  if (member_here < 0) ++elsewhere;
  is_blocked_meanwhile = blocked(number);
  came = came + 1;
}

struct sigaction now() {
  struct sigaction action;
  CHECK(sigaction(SIGUSR1, nullptr, &action) == 0);
  return action;
}

struct way {
  const char* name;
  handler (*set)(int, handler);
  bool only_once;  ///< the handler is gone when it begins, and the signal is not blocked
};
const way ways[] = {
    {"signal", signal, false},
    {"bsd_signal", bsd_signal, false},
    {"ssignal", ssignal, false},
    {"sysv_signal", sysv_signal, true},
    {"__sysv_signal", __sysv_signal, true},
};

void handlers_set_so(const way& by) {
  CHECK(by.set(SIGUSR1, note) == SIG_DFL);
  CHECK(by.set(SIGUSR1, note) == note && now().sa_handler == note);
  CHECK(((now().sa_flags & SA_RESTART) != 0) == !by.only_once);
  team([&](int me) {
    came = 0;
    int expected = 0;
    for (int i = 0; i < 3 * members; ++i) {
      meet();
      if (by.only_once && i % members == me) CHECK(by.set(SIGUSR1, note) == (i == 0 ? note : SIG_DFL));
      if (!by.only_once || i % members == me) {
        raise(SIGUSR1);
        ++expected;
        CHECK(is_blocked_meanwhile == !by.only_once);
        if (by.only_once) CHECK(now().sa_handler == SIG_DFL);
      }
      CHECK(came == expected && !blocked(SIGUSR1));
    }
  });
  CHECK(elsewhere == 0);
  CHECK(by.set(SIGUSR1, SIG_IGN) == (by.only_once ? SIG_DFL : note) && now().sa_handler == SIG_IGN);
}

void one_that_is_ignored() {
  signal(SIGUSR1, note);
  team([](int me) {
    came = 0;
    meet();
    raise(SIGUSR1);
    CHECK(came == 1);
    meet();
    if (me == 1) CHECK(sigignore(SIGUSR1) == 0 && now().sa_handler == SIG_IGN);
    for (int i = 0; i < 10; ++i) {
      meet();
      raise(SIGUSR1);
      CHECK(came == 1);
    }
  });
}

/// siginterrupt() says whether a call that the handler interrupts goes on.
void one_that_interrupts_calls() {
  static int ends[2];
  static pthread_t reader;
  static std::atomic<int> reads, returned;
  CHECK(pipe(ends) == 0);
  signal(SIGUSR1, note);
  team([](int me) {
    for (int i = 1; i <= 4; ++i) {
      const bool interrupts = i % 2 == 0;
      if (me == 0) CHECK(siginterrupt(SIGUSR1, interrupts) == 0 && now().sa_handler == note);
      if (me == 1) reader = pthread_self();
      came = 0;
      meet();
      if (me == 1) {
        char byte = 0;
        reads = i;
        errno = 0;
        const ssize_t count = read(ends[0], &byte, 1);
        CHECK(interrupts ? count == -1 && errno == EINTR && came >= 1 : count == 1 && byte == 'x' && came == 1);
        returned = i;
      } else if (me == 0) {
        while (reads != i) sleep_for(0.001);
        for (int sent = 0; returned != i && (interrupts || sent < 1) && sent < 100; ++sent) {  // it may come before the call
          sleep_for(0.05);
          CHECK(pthread_kill(reader, SIGUSR1) == 0);
          sleep_for(0.05);
        }
        if (!interrupts) CHECK(write(ends[1], "x", 1) == 1);
        CHECK(within(patience, [i] { return returned == i; }));
      }
      meet();
    }
  });
}

}  // namespace

int main() {
  for (const way& by : ways) subject(by.name, [&] { handlers_set_so(by); });
  subject("one that is ignored", one_that_is_ignored);
  subject("one that interrupts calls", one_that_interrupts_calls);
  return verdict();
}
