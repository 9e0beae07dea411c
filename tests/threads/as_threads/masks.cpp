// A signal mask is its member's own, whatever computes, waits and ends between two looks at it.
#include "team.hpp"

#include <csetjmp>

#include <ucontext.h>

namespace {

volatile sig_atomic_t terminated;

void one_member_blocks_sigterm() {
  handle(SIGTERM, [](int) { terminated = 1; });
  const sigset_t before = mask_now();
  for (int round = 0; round < 5; ++round) {
    team([&](int me) {
      const sigset_t own = mask_now();
      if (me == 1) block(SIGTERM);
      for (int i = 0; i < 10; ++i) {
        compute(0.0005);
        meet();
        CHECK(blocked(SIGTERM) == (me == 1));
      }
      if (me == 1) unblock(SIGTERM);
      meet();
      CHECK(same(mask_now(), own));
    });
    CHECK(same(mask_now(), before));
  }
  kill(getpid(), SIGTERM);
  CHECK(within(patience, [] { return terminated == 1; }));
}

void one_member_forgets_to_unblock() {
  const sigset_t before = mask_now();
  team([&](int me) {
    if (me == members - 1) block(SIGTERM);
    for (int i = 0; i < 10; ++i) {
      meet();
      CHECK(blocked(SIGTERM) == (me == members - 1));
    }
  });
  CHECK(same(mask_now(), before));
}

void each_has_its_own() {
  const sigset_t before = mask_now();
  team([&](int me) {
    const sigset_t first = mask_now();
    sigset_t own = first;
    sigaddset(&own, SIGRTMIN + 1 + me % 20);
    if (me % 2 == 0) sigaddset(&own, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &own, nullptr);
    for (int i = 0; i < 50; ++i) {
      if (i % 10 == me % 10) compute(0.002);
      if (i % 8 == me % 8) sleep_for(0.001);
      meet();
      CHECK(same(mask_now(), own));
    }
    pthread_sigmask(SIG_SETMASK, &first, nullptr);
  });
  CHECK(same(mask_now(), before));
}

// Longer than a time slice: who is taken from its processor finds its mask again, and gives it to nobody.
void members_that_compute_for_long() {
  team([&](int me) {
    const sigset_t first = mask_now();
    if (me % 2 == 0) block(SIGUSR2);
    for (int i = 0; i < 20; ++i) {
      compute(0.004);
      CHECK(blocked(SIGUSR2) == (me % 2 == 0));
    }
    pthread_sigmask(SIG_SETMASK, &first, nullptr);
  });
  CHECK(!blocked(SIGUSR2));
}

void members_inherit_the_makers() {
  block(SIGUSR2);
  team([](int) {
    CHECK(blocked(SIGUSR2));
    meet();
    CHECK(blocked(SIGUSR2));
  });
  CHECK(blocked(SIGUSR2));
}

// One that a member has blocked waits for this member.
void a_blocked_one_is_kept() {
  static thread_local volatile int came;
  handle(SIGUSR1, [](int) { came = came + 1; });
  team([](int me) {
    came = 0;
    block(SIGUSR1);
    raise(SIGUSR1);
    for (int i = 0; i < 10; ++i) {
      meet();
      CHECK(came == 0);
      sigset_t waiting;
      sigpending(&waiting);
      CHECK(sigismember(&waiting, SIGUSR1) == 1);
      if (i == me) compute(0.02);
    }
    unblock(SIGUSR1);
    CHECK(came == 1);
  });
}

thread_local sigjmp_buf back;

void keep_for_a_while(const sigset_t& signals) {
  for (int i = 0; i < 5; ++i) {
    CHECK(same(mask_now(), signals));
    compute(0.0005);
    meet();
  }
  CHECK(same(mask_now(), signals));
}

extern "C" [[noreturn]] void checked_longjmp(sigjmp_buf, int) asm("__longjmp_chk");  // in place of all with _FORTIFY_SOURCE

// To the mask that was saved, not to that which the handler has interrupted.
template <void jump(sigjmp_buf, int)>
void a_jump_out_of_a_handler() {
  handle(SIGUSR2, [](int) { jump(back, 1); });
  team([](int me) {
    if (me % 2 == 0) block(SIGRTMIN + 2);
    const sigset_t own = mask_now();
    if (sigsetjmp(back, 1) == 0) {
      block(SIGUSR1);
      if (me % 2 == 0) unblock(SIGRTMIN + 2);
      raise(SIGUSR2);
    }
    keep_for_a_while(own);
    unblock(SIGRTMIN + 2);
  });
}

void a_change_of_context() {
  team([](int me) {
    volatile bool returned = false;
    if (me % 2 == 0) block(SIGRTMIN + 2);
    const sigset_t own = mask_now();
    ucontext_t here;
    getcontext(&here);
    if (!returned) {
      returned = true;
      block(SIGUSR1);
      setcontext(&here);
    }
    keep_for_a_while(own);
    unblock(SIGRTMIN + 2);
  });
}

thread_local ucontext_t here, beyond;

// There and back: each context has a mask.
void swaps_of_contexts() {
  team([](int) {
    const sigset_t own = mask_now();
    block(SIGTERM);
    CHECK(getcontext(&beyond) == 0);
    std::vector<char> stack(256 * 1024);
    beyond.uc_stack.ss_sp = stack.data();
    beyond.uc_stack.ss_size = stack.size();
    makecontext(&beyond, [] {
      keep_for_a_while(set_of({SIGTERM}));
      swapcontext(&beyond, &here);
    }, 0);
    unblock(SIGTERM);
    CHECK(swapcontext(&here, &beyond) == 0);
    keep_for_a_while(own);
  });
}

// The mask that a handler writes into the context to which it returns, and no other that it has had.
void a_handler_changes_the_context() {
  struct sigaction action {};
  action.sa_sigaction = [](int, siginfo_t*, void* context) {
    auto& to = static_cast<ucontext_t*>(context)->uc_sigmask;
    sigismember(&to, SIGUSR1) == 1 ? sigdelset(&to, SIGUSR1) : sigaddset(&to, SIGUSR1);
    block(SIGTERM);
  };
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR2, &action, nullptr);
  struct sigaction found {};
  sigaction(SIGUSR2, nullptr, &found);
  CHECK(found.sa_sigaction == action.sa_sigaction && (found.sa_flags & SA_SIGINFO) != 0);
  const sigset_t before = mask_now();
  team([](int me) {
    for (int i = 0; i < 3; ++i) {
      const sigset_t first = mask_now();
      sigset_t own = first;
      sigaddset(&own, SIGUSR1);
      if (me % 2 == 0) raise(SIGUSR2);
      keep_for_a_while(me % 2 == 0 ? own : first);
      if (me % 2 == 0) raise(SIGUSR2);
      keep_for_a_while(first);
    }
  });
  CHECK(same(mask_now(), before));
  raise(SIGUSR2);
  team([](int) {});
  CHECK(blocked(SIGUSR1) && !blocked(SIGTERM));
}

// Its own signal is not blocked, so the mask that it finds is that of the member.
void a_handler_that_blocks_while_it_runs() {
  handle(SIGUSR2, [](int) { block(SIGUSR1); }, SA_NODEFER);
  team([](int me) {
    const sigset_t own = mask_now();
    if (me % 2 == 0) raise(SIGUSR2);
    keep_for_a_while(own);
  });
}

// The functions that POSIX and BSD had before there were threads.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
sigset_t blocked_by(int way) {
  const int numbers[] = {0, SIGTERM, SIGUSR2, SIGUSR1, SIGHUP};
  return way == 0 ? set_of({}) : set_of({numbers[way]});
}
void older_functions() {
  team([](int me) {
    switch (me % 5) {
      case 1: sighold(SIGTERM); break;
      case 2: sigset(SIGUSR2, SIG_HOLD); break;
      case 3: sigblock(1 << (SIGUSR1 - 1)); break;
      case 4: sigsetmask(1 << (SIGHUP - 1)); break;
      default: break;
    }
    keep_for_a_while(blocked_by(me % 5));
    switch (me % 5) {
      case 1: sigrelse(SIGTERM); break;
      case 2: sigset(SIGUSR2, SIG_DFL); break;
      default: sigsetmask(0); break;
    }
    keep_for_a_while(set_of({}));
  });
}
#pragma GCC diagnostic pop

// Which has its parent's memory: what it changes is its own mask. Programs and libraries do so before they execute another.
void a_child_by_vfork() {
  team([](int me) {
    if (me % 2 == 0) block(SIGTERM);
    const sigset_t own = mask_now(), none = set_of({});
    for (int i = 0; i < 5; ++i) {
      meet();
      const pid_t child = vfork();
      if (child == 0) {
        sigprocmask(SIG_SETMASK, &none, nullptr);
        execlp("true", "true", nullptr);
        _exit(1);
      }
      int status = -1;
      CHECK(waitpid(child, &status, 0) == child && status == 0);
      keep_for_a_while(own);
    }
    unblock(SIGTERM);
  });
}

}  // namespace

int main() {
  subject("one member blocks SIGTERM", one_member_blocks_sigterm);
  subject("one member forgets to unblock", one_member_forgets_to_unblock);
  subject("each has its own", each_has_its_own);
  subject("members that compute for long", members_that_compute_for_long);
  subject("members inherit the maker's", members_inherit_the_makers);
  subject("a blocked one is kept", a_blocked_one_is_kept);
  subject("a jump out of a handler", a_jump_out_of_a_handler<siglongjmp>);
  subject("longjmp out of a handler", a_jump_out_of_a_handler<longjmp>);
  subject("_longjmp out of a handler", a_jump_out_of_a_handler<_longjmp>);
  subject("a checked jump out of a handler", a_jump_out_of_a_handler<checked_longjmp>);
  subject("a change of context", a_change_of_context);
  subject("swaps of contexts", swaps_of_contexts);
  subject("a handler changes the context", a_handler_changes_the_context);
  subject("a handler that blocks while it runs", a_handler_that_blocks_while_it_runs);
  subject("older functions", older_functions);
  subject("a child by vfork()", a_child_by_vfork);
  return verdict();
}
