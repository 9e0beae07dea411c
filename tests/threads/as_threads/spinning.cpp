// Members that wait for each other in loops of their own go on, whatever the program does with its signals and timers.
#include "team.hpp"

#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

namespace {

/// A token goes round: each member waits for it in a loop of its own.
void pass_a_token(int rounds = 2) {
  std::atomic<int> turn{0};
  team([&](int me) {
    for (int round = 0; round < rounds; ++round) {
      while (turn.load(std::memory_order_relaxed) != round * members + me) {
      }
      turn = turn + 1;
    }
    meet();
  });
  CHECK(turn == rounds * members);
}

void all_default_signals() { pass_a_token(); }

// The usual server: all threads block everything, but one that calls sigwait.
void all_blocked_and_a_thread_that_waits() {
  sigset_t every_signal;
  sigfillset(&every_signal);
  pthread_sigmask(SIG_SETMASK, &every_signal, nullptr);
  pthread_t server;
  static std::atomic<int> got{0};
  pthread_create(&server, nullptr, [](void*) -> void* {
    sigset_t signals;
    sigfillset(&signals);
    for (int number = 0; number != SIGTERM;) {
      if (sigwait(&signals, &number) == 0) got = number;
    }
    return nullptr;
  }, nullptr);
  pass_a_token();
  pass_a_token();
  kill(getpid(), SIGHUP);
  CHECK(within(patience, [] { return got == SIGHUP; }));
  kill(getpid(), SIGTERM);
  pthread_join(server, nullptr);
  CHECK(got == SIGTERM);
}

void members_that_block_everything() {
  std::atomic<int> turn{0};
  const sigset_t before = mask_now();
  team([&](int me) {
    const sigset_t own = mask_now();
    sigset_t every_signal;
    sigfillset(&every_signal);
    pthread_sigmask(SIG_SETMASK, &every_signal, nullptr);
    while (turn.load(std::memory_order_relaxed) != me) {
    }
    turn = me + 1;
    meet();
    pthread_sigmask(SIG_SETMASK, &own, nullptr);
  });
  CHECK(same(mask_now(), before));
}

// Whichever the runtime has chosen. The caller may ignore some, as nohup does.
void handlers_that_the_program_has_not_installed() {
  const auto handler_of = [](int number) {
    struct sigaction action {};
    sigaction(number, nullptr, &action);
    return action.sa_handler;
  };
  decltype(handler_of(1)) before[65];
  for (int number = 1; number < 65; ++number) {
    before[number] = handler_of(number);
    CHECK(before[number] == SIG_DFL || before[number] == SIG_IGN);
  }
  pass_a_token();
  for (int number = 1; number < 65; ++number) CHECK(handler_of(number) == before[number]);
  CHECK(signal(SIGURG, SIG_IGN) == before[SIGURG]);
  pass_a_token();
  CHECK(signal(SIGURG, SIG_DFL) == SIG_IGN);
}

volatile sig_atomic_t urgent;

// As they find it: by a handler installed before the first region, or between regions.
template <bool AtFirst>
void a_handler_of_sigurg() {
  if (!AtFirst) pass_a_token();
  urgent = 0;
  handle(SIGURG, [](int) { urgent = urgent + 1; });
  pass_a_token();
  const int uncalled = urgent;
  CHECK(uncalled == 0);
  raise(SIGURG);
  CHECK(urgent == 1);
  struct sigaction action;
  sigaction(SIGURG, nullptr, &action);
  CHECK(action.sa_flags & SA_RESTART);
  pass_a_token();
}

// Of any signal: whichever the runtime has chosen.
void a_handler_of_every_signal() {
  pass_a_token(1);
  static std::atomic<int> came[65];
  for (int number = 1; number < 65; ++number) {
    if (number != SIGKILL && number != SIGSTOP && number != SIGALRM && (number < 32 || number >= SIGRTMIN)) {
      handle(number, [](int which) { ++came[which]; });
    }
  }
  pass_a_token();
  for (int number = 1; number < 65; ++number) CHECK(came[number] == 0);
}

template <void (*Reset)()>
void all_reset_after_the_first_region() {
  pass_a_token(1);
  Reset();
  pass_a_token();
  pass_a_token();
}
void to_default() {
  for (int number = 1; number < 65; ++number) signal(number, SIG_DFL);
}
void to_ignored() {
  for (int number = 1; number < 65; ++number) {
    if (number != SIGCHLD) signal(number, SIG_IGN);
  }
}
void block_all() {
  sigset_t every_signal;
  sigfillset(&every_signal);
  pthread_sigmask(SIG_SETMASK, &every_signal, nullptr);
}

void no_pending_signals_allowed() {
  const rlimit none{0, 0};
  CHECK(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
  pass_a_token();
}
void none_allowed_after_the_first_region() {
  pass_a_token(1);
  no_pending_signals_allowed();
}

// A filter refuses timers: those of the program, and so the runtime's.
void no_timers_allowed() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof program / sizeof *program, program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return;  // this system takes no filter
  pass_a_token();
}

}  // namespace

int main() {
  subject("default signals", all_default_signals);
  subject("all blocked, and a thread that waits", all_blocked_and_a_thread_that_waits);
  subject("members that block everything", members_that_block_everything);
  subject("handlers that the program has not installed", handlers_that_the_program_has_not_installed);
  subject("a handler of SIGURG before the first region", a_handler_of_sigurg<true>);
  subject("a handler of SIGURG after the first region", a_handler_of_sigurg<false>);
  subject("a handler of every signal after the first region", a_handler_of_every_signal);
  subject("all default after the first region", all_reset_after_the_first_region<to_default>);
  subject("all ignored after the first region", all_reset_after_the_first_region<to_ignored>);
  subject("all blocked after the first region", all_reset_after_the_first_region<block_all>);
  subject("no pending signals allowed", no_pending_signals_allowed);
  subject("none allowed after the first region", none_allowed_after_the_first_region);
  subject("no timers allowed", no_timers_allowed);
  return verdict();
}
