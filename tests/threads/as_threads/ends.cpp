// A member forks: its child is an ordinary process, however it ends.
#include "team.hpp"

#include <thread>

namespace {

int status_of(pid_t child) {
  int status = -1;
  if (!within(patience, [&] { return waitpid(child, &status, WNOHANG) == child; })) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return -2;
  }
  return status;
}

/// Of the child, which knows its member's number.
template <class Run>
void children(int expected, Run run) {
  team([&](int me) {
    for (int round = 0; round < 3; ++round) {
      if (round == 1) compute(0.005);
      meet();
      const pid_t child = fork();
      if (child == 0) {
        run(me);
        _exit(99);
      }
      const int status = status_of(child);
      if (status != expected) std::fprintf(stderr, "member %d: status %d\n", me, status);
      CHECK(status == expected);
      meet();
    }
  });
}

void by_exit_at_once() {
  children(7 << 8, [](int) { _exit(7); });
}
void by_exit() {
  children(8 << 8, [](int) { exit(8); });
}
#if !defined(_OPENMP)  // C++ lets nothing leave a region so: child_ends.c has it
void by_pthread_exit() {
  children(0, [](int) { pthread_exit(nullptr); });
}
#endif
void by_a_signal() {
  children(SIGTERM, [](int) { raise(SIGTERM); });
}
void by_abort() {
  children(SIGABRT, [](int) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    abort();
  });
}
void after_threads_of_their_own() {
  children(9 << 8, [](int me) {
    int sum = 0;
    std::thread one([&] { sum += me; });
    one.join();
    std::thread other([&] { sum += 1; });
    other.join();
    if (sum == me + 1) _exit(9);
  });
}
void with_the_members_mask_and_stack() {
  team([](int me) {
    char own[64 * 1024];
    stack_t stack{}, before;
    stack.ss_sp = own;
    stack.ss_size = sizeof own;
    sigaltstack(&stack, &before);
    if (me % 2 == 0) block(SIGUSR2);
    meet();
    const pid_t child = fork();
    if (child == 0) {
      stack_t now;
      sigaltstack(nullptr, &now);
      _exit(blocked(SIGUSR2) == (me % 2 == 0) && now.ss_sp == own ? 0 : 1);
    }
    CHECK(status_of(child) == 0);
    meet();
    unblock(SIGUSR2);
    sigaltstack(&before, nullptr);
  });
}

// The program's own end, from a member and beside members.
template <class Run>
void programs(int expected, Run run) {
  const pid_t child = fork();
  if (child == 0) {
    run();
    _exit(99);
  }
  CHECK(status_of(child) == expected);
}
void the_program_by_a_member() {
  programs(5 << 8, [] {
    team([](int me) {
      meet();
      if (me == members - 1) exit(5);
      meet();
      meet();
    });
  });
}
void the_program_by_its_first_threads_pthread_exit() {
  programs(0, [] {
    team([](int) { meet(); });
    pthread_exit(nullptr);
  });
}
void the_program_by_a_plain_thread() {
  programs(6 << 8, [] {
    std::thread([] {
      sleep_for(0.02);
      _exit(6);
    }).detach();
    for (;;) team([](int) { meet(); });
  });
}

}  // namespace

int main() {
  subject("children by _exit", by_exit_at_once);
  subject("children by exit", by_exit);
#if !defined(_OPENMP)
  subject("children by pthread_exit", by_pthread_exit);
#endif
  subject("children by a signal", by_a_signal);
  subject("children by abort", by_abort);
  subject("children after threads of their own", after_threads_of_their_own);
  subject("children with the member's mask and stack", with_the_members_mask_and_stack);
  subject("the program by a member", the_program_by_a_member);
  subject("the program by its first thread's pthread_exit", the_program_by_its_first_threads_pthread_exit);
  subject("the program by a plain thread", the_program_by_a_plain_thread);
  return verdict();
}
