// A tick that waits to be handled does not come to the handler that the program installs meanwhile.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

#include <weir/crowd.hpp>

namespace {

constexpr int ticks = SIGURG;
volatile sig_atomic_t came = 0;
void handler(int) { came = came + 1; }

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  std::exit(1);
}

/// As the kernel knows it.
bool someone_handles_it() {
  unsigned long words[8] = {};
  check(syscall(SYS_rt_sigaction, SIGUSR1, nullptr, words, 8) == 0 && words[0] == 0, "nobody handles SIGUSR1");
  FILE* const status = std::fopen("/proc/self/status", "r");
  char line[256];
  unsigned long long caught = 0;
  while (std::fgets(line, sizeof line, status) != nullptr) std::sscanf(line, "SigCgt: %llx", &caught);
  std::fclose(status);
  return (caught >> (ticks - 1) & 1) != 0;
}

/// Members that wait for the next one in a loop of their own get ticks, and so does the one that computes meanwhile: for longer
/// than two looks are apart where they have found nothing lately. Loops that are known need no ticks.
void spin_until_ticked() {
  for (int i = 0; i < 1000 && !someone_handles_it(); ++i) {
    std::atomic<unsigned> turn{3};
    weir::crowd c(4, [&](unsigned me) {
      using std::chrono::steady_clock;
      if (me == 3)
        for (const auto end = steady_clock::now() + std::chrono::milliseconds(5); steady_clock::now() < end;) continue;
      while (turn.load(std::memory_order_relaxed) != me) {
      }
      turn = me - 1;
    }, {.processors = 1});
    c.join();
  }
  check(someone_handles_it(), "ticks have come");
}

void send_tick_to_me() {
  siginfo_t why{};
  why.si_code = SI_QUEUE;
  check(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), ticks, &why) == 0, "a tick is sent");
}

template <class Change>
void comes_not(Change change, const char* by) {
  signal(ticks, SIG_DFL);
  spin_until_ticked();
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, ticks);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  send_tick_to_me();
  change();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  check(came == 0, by);
  raise(ticks);
  check(came == 1, by);
  came = 0;
}

}  // namespace

int main() {
  comes_not([] {
    struct sigaction action {}, old {};
    action.sa_handler = handler;
    sigaction(ticks, &action, &old);
    check(old.sa_handler == SIG_DFL, "nobody handled it");
  }, "sigaction");
  comes_not([] { check(signal(ticks, handler) == SIG_DFL, "nobody handled it"); }, "signal");
  std::puts("ok");
}
