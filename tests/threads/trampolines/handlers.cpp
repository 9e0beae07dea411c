// Trampolines and the program's signal handlers: a thread that waits in a handler keeps its kernel thread, however the handler
// has been set, and a handler finds its thread in the program's code.
//
// usage: LD_PRELOAD=Weir's library WEIR_THREADS=all threads-trampoline-handlers counted|syscall|bare
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "waiting.hpp"

extern "C" int __sigaction(int, const struct sigaction*, struct sigaction*);
asm(".text\nreturns_from_handler: movl $15, %eax; syscall");
extern "C" void returns_from_handler();

namespace {

constexpr int its_signal = SIGUSR1;

long bare_call(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  register long fourth asm("r10") = d;
  asm volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
  return number;
}
bool is_blocked_by_kernel() {
  std::uint64_t value = 0;
  bare_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, reinterpret_cast<long>(&value), sizeof value);
  return (value >> (its_signal - 1) & 1) != 0;
}

// ---- how handlers are set

struct for_kernel {
  void (*handler)(int);
  unsigned long flags = 0x04000000;  // SA_RESTORER
  void (*restorer)() = returns_from_handler;
  std::uint64_t mask = 0;
};
template <int set(int, const struct sigaction*, struct sigaction*)>
void by_action(void (*to)(int)) {
  struct sigaction action {};
  action.sa_handler = to;
  if (set(its_signal, &action, nullptr) != 0) fail("a handler cannot be set");
  struct sigaction now {};
  set(its_signal, nullptr, &now);
  if (now.sa_handler != to) fail("the program finds another handler than it has set");
}
void by_sigset(void (*to)(int)) {
  if (sigset(its_signal, SIG_HOLD) == SIG_HOLD || sigset(its_signal, SIG_HOLD) != SIG_HOLD) fail("sigset() does not block");
  if (sigset(its_signal, to) != SIG_HOLD || is_blocked_by_kernel() || sigset(its_signal, to) != to)
    fail("sigset() has another result");
  if (sigset(SIGKILL, to) != SIG_ERR || errno != EINVAL || sigset(4711, to) != SIG_ERR || errno != EINVAL)
    fail("sigset() takes anything");
}
void by_syscall(void (*to)(int)) {
  const for_kernel action{to};
  syscall(SYS_rt_sigaction, its_signal, &action, nullptr, sizeof action.mask);
}
void by_bare_call(void (*to)(int)) {
  const for_kernel action{to};
  bare_call(SYS_rt_sigaction, its_signal, reinterpret_cast<long>(&action), 0, sizeof action.mask);
}

// ---- waiting in a handler

two_flags handler_may_end;
flag wrong;

void polls(int) {
  keeps_registers(handler_may_end);
  if (!is_blocked_by_kernel()) wrong.store(1);
}

/// While a handler polls, its mask is in force for its thread, and for no other. The handler has interrupted no function of the C
/// library. `as_member`: the thread has waited before.
void polls_in_handler(bool as_member) {
  static flag others_end;
  for (auto* const each : {&handler_may_end.first, &handler_may_end.second, &others_end}) each->store(0);
  std::vector<std::thread> started;
  for (unsigned t = 1; t < threads; ++t)
    started.emplace_back([&] {
      const two_flags never_mind{1, 1};
      while (others_end.load() == 0) {
        keeps_registers(never_mind);
        sched_yield();
        if (is_blocked_by_kernel()) wrong.store(1);
      }
    });
  two_flags begins;
  std::thread handles([&] {
    if (as_member) keeps_registers(begins);
    bare_call(SYS_tgkill, getpid(), bare_call(SYS_gettid), its_signal);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  begins.first.store(1);
  begins.second.store(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  handler_may_end.first.store(1);
  handler_may_end.second.store(1);
  handles.join();
  others_end.store(1);
  for (std::thread& each : started) each.join();
  if (wrong.load() != 0) fail("a thread has the mask of a handler, or the handler has not");
}

// ---- what a handler sees

/// A sampling profiler sees who has called the loop, while a trampoline is in the library, and never an address without a name.
void is_unwound() {
  static flag seen, unknown;
  static const void* library = nullptr;
  Dl_info found;
  dladdr(dlsym(RTLD_DEFAULT, "GOMP_barrier"), &found);
  library = found.dli_fbase;
  void* first[1];
  backtrace(first, 1);  // loads the unwinder
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  action.sa_sigaction = [](int, siginfo_t*, void* context) {
    const auto code = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
    Dl_info in;
    if (dladdr(reinterpret_cast<void*>(code), &in) == 0) return unknown.store(unknown.load() + 1);
    if (in.dli_fbase != library) return;
    void* frames[64];
    const int n = backtrace(frames, 64);
    for (int i = 0; i < n; ++i) {
      const char* const at = static_cast<const char*>(frames[i]);
      if (at >= reinterpret_cast<const char*>(keeps) && at < keeps_end) return seen.store(seen.load() + 1);
    }
  };
  sigaction(SIGPROF, &action, nullptr);
  const itimerval often{{0, 1000}, {0, 1000}}, off{};
  setitimer(ITIMER_PROF, &often, nullptr);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(200);
  while (seen.load() < 5 && std::chrono::steady_clock::now() < end) in_turn(200, keeps_registers);
  setitimer(ITIMER_PROF, &off, nullptr);
  if (seen.load() < 5) fail("nobody is seen in a trampoline");
  if (unknown.load() != 0) fail("a thread is seen where no code of the program is");
}

/// Where a load fails that a trampoline has a copy of, the handler finds the program's instruction.
void fails_in_copy() {
  static void* page = nullptr;
  static flag failed;
  page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t*, void* context) {
    if (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP] != reinterpret_cast<greg_t>(has_no_pause_first))
      fail("a load has failed elsewhere than the program loads");
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    static_cast<flag*>(page)->store(1);
    failed.store(failed.load() + 1);
  };
  sigaction(SIGSEGV, &action, nullptr);
  if (has_no_pause(static_cast<const flag*>(page)) != 1 || failed.load() != 1) fail("a load that has failed is not repeated");
  signal(SIGSEGV, SIG_DFL);
}

/// A thread that may be cancelled anywhere is cancelled in a loop with a trampoline, and the others go on.
void is_cancelled() {
  for (int i = 0; i < 20; ++i) {
    static two_flags never;
    std::vector<pthread_t> started(threads);
    for (pthread_t& each : started)
      pthread_create(&each, nullptr, [](void*) -> void* {
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
        keeps_registers(never);
        return nullptr;
      }, nullptr);
    usleep(1000);
    for (const pthread_t each : started) pthread_cancel(each);
    for (const pthread_t each : started) {
      void* how = nullptr;
      pthread_join(each, &how);
      if (how != PTHREAD_CANCELED) fail("a thread is not cancelled");
    }
  }
  in_turn(50, keeps_registers);
}

}  // namespace

int main(int, char** words) {
  const std::string how = words[1];
  if (how == "bare") by_bare_call(polls);
  until_placed("no trampoline", keeps_first_pause, keeps_registers);
  until_placed("no second trampoline", keeps_second_pause, keeps_registers);
  const auto as_both = [](void (*set)(void (*)(int))) {
    if (set != nullptr) set(polls);
    for (const bool as_member : {false, true}) polls_in_handler(as_member);
  };
  if (how == "counted") {
    for (const auto set : {by_action<sigaction>, by_action<__sigaction>, by_sigset}) as_both(set);
    until_placed("no trampoline in place of a load", has_no_pause_first, [](const two_flags& may) { has_no_pause(&may.first); });
    is_unwound();
    fails_in_copy();
    is_cancelled();
  } else {
    as_both(how == "syscall" ? by_syscall : nullptr);
  }
  std::puts("ok");
}
