#include "threads/quantum.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>

#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "threads/processor.hpp"

namespace weir::threads {

namespace {

constexpr int signal_number = SIGURG;
// Times between looks, in nanoseconds. Where an interrupt of the timer and its signal take 25 us (measured on 2 virtual
// processors, nested virtualization), a body that computes all the time loses 0.9 % by them, and one that spins is found in 0.1
// ms.
constexpr long looks[] = {50'000, 50'000, 200'000, 800'000, 3'200'000, 12'800'000};
constexpr unsigned last_look = std::size(looks) - 1;
// So many looks follow each other soon where a body spins: a fifth of the time goes to the timer then.
constexpr unsigned hurried = 8;

/// Where the interrupted body is, by its registers. One that computes has others each time, if only in one of them, such as the
/// counter of a loop or a sum in floating point; one that polls a word has the same.
std::uint64_t place_of(const ucontext_t& in) {
  std::uint64_t place = 0;
  const auto add = [&](std::uint64_t word) { place = (place ^ word) * 0x9e3779b97f4a7c15u; };
#if defined(__x86_64__)
  const auto& all = in.uc_mcontext.gregs;
  for (const int which : {REG_RAX, REG_RBX, REG_RBP, REG_RSP, REG_RSI, REG_RDI, REG_RCX, REG_RDX,  //
                          REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15})
    add(static_cast<std::uint64_t>(all[which]));
  if (const auto* const vectors = in.uc_mcontext.fpregs)
    for (const auto& each : vectors->_xmm)
      for (const auto word : each.element) add(word);
#elif defined(__aarch64__)
  for (const auto word : in.uc_mcontext.regs) add(word);
  add(in.uc_mcontext.sp);
  // The first record that the kernel writes.
  const auto& vectors = *reinterpret_cast<const fpsimd_context*>(in.uc_mcontext.__reserved);
  if (vectors.head.magic == FPSIMD_MAGIC)
    for (const auto each : vectors.vregs) {
      add(static_cast<std::uint64_t>(each));
      add(static_cast<std::uint64_t>(each >> 64));
    }
#endif
  return place;
}

#if defined(__x86_64__)
/// Calls that wait, and end by EINTR whatever the program asks for.
bool waits_for_more(std::uint32_t call) {
  switch (call) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_pause:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigsuspend:
      return true;
    default:
      return false;
  }
}
#endif

/// What the signal has interrupted.
struct interrupted {
  bool in_system = false;       // in a call that is executed again, by the kernel or
  std::uint32_t ended_call = 0;  // by execute_again(); 0: by the kernel
};

#if defined(__x86_64__)
constexpr unsigned char syscall_instruction[] = {0x0f, 0x05};
#endif

interrupted what_is_interrupted(const ucontext_t& in) {
#if defined(__x86_64__)
  const auto& all = in.uc_mcontext.gregs;
  constexpr std::size_t length = sizeof syscall_instruction, number_length = 5;
  constexpr std::uintptr_t page = 4096;  // what lies before may not be mapped
  const auto at = static_cast<std::uintptr_t>(all[REG_RIP]);
  const auto* const code = reinterpret_cast<const unsigned char*>(at);
  // The kernel has set it back for a call that it executes again. So does a thread look that is about to execute one.
  if (at % page <= page - length && std::memcmp(code, syscall_instruction, length) == 0) return {.in_system = true};
  // The last instruction before such a call loads its number: mov $number, %eax.
  if (all[REG_RAX] != -EINTR || at % page < length + number_length) return {};
  const unsigned char* const load = code - length - number_length;
  if (std::memcmp(code - length, syscall_instruction, length) != 0 || *load != 0xb8) return {};
  std::uint32_t call;
  std::memcpy(&call, load + 1, sizeof call);
  if (waits_for_more(call)) return {.in_system = true, .ended_call = call};
#else
  (void)in;
#endif
  return {};
}

void execute_again([[maybe_unused]] ucontext_t& in, [[maybe_unused]] std::uint32_t call) {
#if defined(__x86_64__)
  in.uc_mcontext.gregs[REG_RIP] -= sizeof syscall_instruction;
  in.uc_mcontext.gregs[REG_RAX] = call;
#endif
}

void handle(int, siginfo_t* why, void* context) {
  if (why->si_code != SI_TIMER) return;  // data out of band, of a socket of the program's
  const int before = errno;
  auto& in = *static_cast<ucontext_t*>(context);
  const interrupted what = what_is_interrupted(in);
  const bool undisturbed = static_cast<processor*>(why->si_value.sival_ptr)->end_quantum(place_of(in), what.in_system);
  if (undisturbed && what.ended_call != 0) execute_again(in, what.ended_call);
  // The body may have moved. The return from a handler sets the kernel thread's signal mask and alternate stack: to its own.
  pthread_sigmask(SIG_SETMASK, nullptr, &in.uc_sigmask);
  sigaltstack(nullptr, &in.uc_stack);
  errno = before;
}

/// In its handler the signal is not blocked: another body may run on this kernel thread before the handler returns. Threads that
/// install it at the same time install the same.
bool install() {
  struct sigaction now {}, ours {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  if (sigaction(signal_number, nullptr, &now) != 0) return false;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle) return true;
  return (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) && sigaction(signal_number, &ours, nullptr) == 0;
}

}  // namespace

const char* why_no_quanta() {
  enum answer : char { unknown, none, handled };
  static constinit std::atomic<answer> known{unknown};
  // relaxed: all threads would find the same.
  answer its = known.load(std::memory_order_relaxed);
  if (its == unknown) [[unlikely]] known.store(its = install() ? none : handled, std::memory_order_relaxed);
  return its == none ? nullptr : "the program handles SIGURG, which is to end a member's quantum";
}

void quantum::make(processor& its) {
  if (made_.load(std::memory_order_relaxed)) return;  // relaxed: by this thread
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal_number;
  event.sigev_value.sival_ptr = &its;
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
  event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) return;
  stop();  // whatever the last one did
  made_.store(true, std::memory_order_release);  // release: which timer it is
}

void quantum::end() {
  // A thread that starts it in this moment gets an error from the system, which it ignores. relaxed: by the thread that has
  // made it.
  if (made_.exchange(false, std::memory_order_relaxed)) timer_delete(timer_);
}

// Only one of those that find it stopped; relaxed: nothing goes with it.
void quantum::set_going() {
  if (made_.load(std::memory_order_acquire) && stopped_.exchange(false, std::memory_order_relaxed)) set_timer(last_look);
}

void quantum::set_timer(unsigned which) {
  look_.store(which, std::memory_order_relaxed);
  const itimerspec once{{0, 0}, {0, looks[which]}};
  timer_settime(timer_, 0, &once, nullptr);
}

void quantum::look_at_next() { set_timer(0); }
void quantum::look_again() {
  if (hurried_looks_ == 0) return set_timer(std::min(look_.load(std::memory_order_relaxed) + 1, last_look));
  --hurried_looks_;
  set_timer(0);
}
void quantum::hurry() { hurried_looks_ = hurried; }
void quantum::look_late() { set_timer(last_look); }
bool quantum::is_over() const { return look_.load(std::memory_order_relaxed) == last_look; }

void quantum::stop() {
  lapsed_ = false;
  stopped_.store(true, std::memory_order_relaxed);
  // seq_cst: either the sender of a body sees that the timer has stopped, or the caller sees the body.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace weir::threads
