// A thread goes through functions one instruction after the other, by the processor's trap flag and a handler of which Weir does
// not hear. At a chosen instruction of Weir's something is done.
#pragma once

#include "threads.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <ucontext.h>

namespace stepping {

// The C library's own: Weir's would take part.
inline int (*cancel)(pthread_t);
inline int (*set_type)(int, int*);
inline std::uintptr_t weir_begins = 0, weir_ends = 0;
inline void look_up() {
  void* const library = dlopen("libc.so.6", RTLD_NOW);
  cancel = reinterpret_cast<int (*)(pthread_t)>(dlsym(library, "pthread_cancel"));
  set_type = reinterpret_cast<int (*)(int, int*)>(dlsym(library, "pthread_setcanceltype"));
  void* const replaced = dlsym(RTLD_DEFAULT, "sem_post");
  if (replaced == dlsym(library, "sem_post")) return;
  dl_iterate_phdr(
      [](dl_phdr_info* of, std::size_t, void* at) {
        for (int i = 0; i < of->dlpi_phnum; ++i) {
          const auto& part = of->dlpi_phdr[i];
          const std::uintptr_t begins = of->dlpi_addr + part.p_vaddr;
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0 ||
              reinterpret_cast<std::uintptr_t>(at) - begins >= part.p_memsz)
            continue;
          weir_begins = begins;
          weir_ends = begins + part.p_memsz;
        }
        return 0;
      },
      replaced);
}

[[maybe_unused]] constexpr unsigned long trap_flag = 0x100;
struct steps {
  unsigned long at = 0, seen = 0;  // in Weir's code, and in the C library's where Weir has deferred the cancellation
  bool done = false;
  void (*does)() = [] { cancel(pthread_self()); };  // and the thread goes on without steps, if at all
  bool only_weir = false;                           // no instructions of the C library count
  bool goes_on = false;                             // it does, step by step
  unsigned long anywhere = 0;                       // instructions of Weir's at which the thread could be cancelled
};
inline thread_local steps* stepped = nullptr;

#if defined(__x86_64__)
extern "C" void return_from_handler();
// As unwinders know it.
asm("return_from_handler: movq $15, %rax\nsyscall");
/// The next instruction begins a process, which nobody steps through, or blocks the signal.
inline bool is_last(const greg_t* of) {
  const auto* const code = reinterpret_cast<const unsigned char*>(of[REG_RIP]);
  const long call = of[REG_RAX];
  if (code[0] != 0x0f || code[1] != 0x05) return false;
  const auto* const set = reinterpret_cast<const unsigned long*>(of[REG_RSI]);
  if (call == SYS_rt_sigprocmask) return of[REG_RDI] != SIG_UNBLOCK && set != nullptr && (*set >> (SIGTRAP - 1) & 1) != 0;
  return call == SYS_clone || call == SYS_clone3 || call == SYS_fork || call == SYS_vfork || call == SYS_execve;
}
inline void step(int, siginfo_t*, void* context) {
  auto* const of = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  steps* const it = stepped;
  if (it == nullptr || is_last(of)) {
    of[REG_EFL] &= ~static_cast<greg_t>(trap_flag);
    return;
  }
  const bool is_weir = static_cast<std::uintptr_t>(of[REG_RIP]) - weir_begins < weir_ends - weir_begins;
  bool is_deferred = false;
  if (weir_begins != 0) {
    int type = 0;
    set_type(PTHREAD_CANCEL_DEFERRED, &type);
    is_deferred = type == PTHREAD_CANCEL_DEFERRED;
    if (!is_deferred) set_type(type, nullptr);
  }
  it->anywhere += is_weir && !is_deferred ? 1 : 0;
  if ((!is_weir && (!is_deferred || it->only_weir)) || ++it->seen != it->at) return;
  it->done = true;
  if (!it->goes_on) {
    stepped = nullptr;
    of[REG_EFL] &= ~static_cast<greg_t>(trap_flag);
  }
  it->does();
}
inline void handle_steps() {
  struct {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
  } action{step, SA_SIGINFO | 0x04000000, return_from_handler, 0};
  long result = SYS_rt_sigaction;
  register long bytes asm("r10") = 8;
  asm volatile("syscall" : "+a"(result) : "D"(SIGTRAP), "S"(&action), "d"(0), "r"(bytes) : "rcx", "r11", "memory");
  CHECK(result == 0);
}
inline void begin_steps() {
  asm volatile("leaq -128(%%rsp), %%rsp\npushfq\norq $0x100, (%%rsp)\npopfq\nleaq 128(%%rsp), %%rsp" : : : "memory", "cc");
}
inline void end_steps() {
  asm volatile("leaq -128(%%rsp), %%rsp\npushfq\nandq $-257, (%%rsp)\npopfq\nleaq 128(%%rsp), %%rsp" : : : "memory", "cc");
}
#else
inline void handle_steps() {}
inline void begin_steps() {}
inline void end_steps() {}
#endif

/// Nothing is to be destroyed in these two, since the program's own code is cancelled anywhere, too.
[[gnu::noinline]] inline void step_through(void (*call)(), steps& where) {
  stepped = &where;
  begin_steps();
  call();
  end_steps();
  stepped = nullptr;
}
[[gnu::noinline]] inline void step_through_anywhere(void (*call)(), steps& where) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  step_through(call, where);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
}

/// A thread of the kernel cancels another one by Weir's function. That one waits for it, but not for long: it may hold what the
/// function needs.
inline std::atomic<pthread_t> to_cancel{0};
inline void nap() {
  const timespec duration{0, 20'000};
#if defined(__x86_64__)
  long result = SYS_nanosleep;
  asm volatile("syscall" : "+a"(result) : "D"(&duration), "S"(nullptr) : "rcx", "r11", "memory");
#else
  syscall(SYS_nanosleep, &duration, nullptr);
#endif
}
inline void cancel_by_another() {
  to_cancel = pthread_self();
  for (int i = 0; i < 500 && to_cancel != 0; ++i) nap();
}
inline void* cancel_others(void*) {
  for (;; nap())
    if (const pthread_t one = to_cancel; one != 0) {
      pthread_cancel(one);
      to_cancel = 0;
    }
}

}  // namespace stepping
