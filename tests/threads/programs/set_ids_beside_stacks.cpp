// While handlers of the program run on alternate stacks, the C library's signal for setuid() comes to all kernel threads: to none
// of them on a stack that another one uses.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

namespace {

constexpr int threads = 8, signals = 300;
std::atomic<int> wrongs{0}, ended{0};

void use_stack(int) {
  volatile unsigned char used[2048];
  for (unsigned i = 0; i < sizeof used; ++i) used[i] = static_cast<unsigned char>(i);
  for (volatile int i = 0; i < 20'000;) i = i + 1;
  for (unsigned i = 0; i < sizeof used; ++i)
    if (used[i] != static_cast<unsigned char>(i)) ++wrongs;
}
void run() {
  std::vector<char> memory(64 * 1024);
  stack_t stack{};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  sigaltstack(&stack, nullptr);
  for (int i = 0; i < signals; ++i) {
    sched_yield();  // takes a seat
    raise(SIGUSR1);
  }
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  ++ended;
}

}  // namespace

int main() {
  struct sigaction how {};
  how.sa_handler = use_stack;
  how.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGUSR1, &how, nullptr);
  std::vector<std::thread> started;
  for (int i = 0; i < threads; ++i) started.emplace_back(run);
  while (ended < threads)
    if (setuid(getuid()) != 0) ++wrongs;
  for (std::thread& each : started) each.join();
  std::puts(wrongs == 0 ? "ok" : "a handler's stack has been written by others");
  return wrongs != 0;
}
