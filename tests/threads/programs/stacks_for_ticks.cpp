// A handler that goes to another kernel thread, since it changes something of the thread there, leaves each kernel thread the
// alternate stack on which its ticks begin: two that had the same would write over each other's frames. The program asks the
// kernel itself. x86-64.
#include <atomic>
#include <barrier>
#include <cstdio>
#include <set>
#include <thread>
#include <vector>

#include <sched.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int threads = 8;

stack_t asked_of_kernel() {
  stack_t now{};
  long result = SYS_sigaltstack;
  asm volatile("syscall" : "+a"(result) : "D"(nullptr), "S"(&now) : "rcx", "r11", "memory");
  return now;
}

std::barrier<> begin(threads), end(threads);
stack_t had[threads];

void change_thread(int) { setfsuid(getuid()); }

void run(int number) {
  for (int i = 0; i < 20; ++i) sched_yield();  // takes a seat
  begin.arrive_and_wait();
  for (int i = 0; i < 20; ++i) sched_yield();
  raise(SIGUSR1);
  had[number] = asked_of_kernel();
  end.arrive_and_wait();
}

}  // namespace

int main() {
  struct sigaction how {};
  how.sa_handler = change_thread;
  sigaction(SIGUSR1, &how, nullptr);
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back(run, i);
  for (auto& each : running) each.join();
  std::set<void*> different;
  int enabled = 0;
  for (const stack_t& each : had) {
    if ((each.ss_flags & SS_DISABLE) != 0) continue;
    ++enabled;
    different.insert(each.ss_sp);
  }
  std::printf("%d threads with a stack, %zu stacks\n", enabled, different.size());
  return different.size() == static_cast<std::size_t>(enabled) && enabled == threads ? 0 : 1;
}
