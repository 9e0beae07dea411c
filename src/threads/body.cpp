#include "threads/body.hpp"

#include <csignal>
#include <memory>

#include <dlfcn.h>
#include <linux/futex.h>
#include <linux/rseq.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/detached_thread.hpp"
#include "machine/scheduling.hpp"
#include "threads/processor.hpp"

namespace weir::threads {

constinit thread_local body* this_body = nullptr;

namespace {

/// The stack on which a lent body's kernel thread sleeps: the end of its own. Room for one signal's frame: those of the C
/// library's own (setuid and the like, in all threads) cannot be blocked.
constexpr std::size_t parking_bytes = 16384;

// Looked up, since the C library has them from version 2.35 on [its manual, "Restartable Sequences"].
constinit const std::ptrdiff_t* rseq_offset = nullptr;
constinit const unsigned* rseq_size = nullptr;
[[gnu::constructor]] void when_loaded() {
  rseq_offset = static_cast<const std::ptrdiff_t*>(dlsym(RTLD_DEFAULT, "__rseq_offset"));
  rseq_size = static_cast<const unsigned*>(dlsym(RTLD_DEFAULT, "__rseq_size"));
}

/// A virtual processor's number of its kernel processor is in that kernel thread's memory, not in the body's: without this,
/// sched_getcpu() would answer where the body was lent. Unregistered, the C library asks the kernel's vDSO.
void unregister_rseq() {
  if (rseq_offset == nullptr || rseq_size == nullptr || *rseq_size == 0) return;
#if defined(__aarch64__)
  constexpr unsigned signature = 0xd428bc00;
#else
  constexpr unsigned signature = 0x53053053;
#endif
  constexpr unsigned registered = 32;  // by the C library, whatever it uses of them
  syscall(SYS_rseq, static_cast<char*>(thread_pointer()) + *rseq_offset, registered, RSEQ_FLAG_UNREGISTER, signature);
}

/// On the parking stack, where this_body is null still: for the processor the body comes from another thread. The kernel thread
/// shall handle no signal in the body's name.
context park(void* its) {
  body& b = *static_cast<body*>(its);
  make_ready(b);
  // acquire: what the body did elsewhere, and where it has stopped.
  while (b.home.load(std::memory_order_acquire) == 0)
    syscall(SYS_futex, &b.home, FUTEX_WAIT_PRIVATE, 0u, nullptr, nullptr, 0);
  scheduled_by = nullptr;
  this_body = nullptr;
  b.on = nullptr;
  pthread_sigmask(SIG_SETMASK, &b.signals, nullptr);
  return b.at;
}

[[gnu::noinline]] void* lend_body(void* its) {
  const std::unique_ptr<body> b(static_cast<body*>(its));
  b->thread_pointer = thread_pointer();
  unregister_rseq();
  alignas(16) std::byte parking[parking_bytes];
  weir_lend(&b->at, parking + parking_bytes, park, b.get());
  if (b->on != nullptr) {
    this_body = b.get();
    scheduled_by = &by_processors;
    b->on->arrive();
  }
  b->run(b->what);
  if (b->on != nullptr) leave_for_home(*b);
  return nullptr;
}

/// Stacks begin at the same place of a page, and so what members use of them would compete for the same few lines of the first
/// cache: each begins at another place.
constexpr unsigned places = 16, place_bytes = 256;

void* begin(void* its) {
  static constinit std::atomic<unsigned> begun{0};
  // relaxed: a number of its own for each.
  const unsigned place = begun.fetch_add(1, std::memory_order_relaxed) % places;
  auto* const unused = static_cast<char*>(__builtin_alloca(place * place_bytes + 1));
  asm volatile("" : : "r"(unused) : "memory");
  return lend_body(its);
}
}  // namespace

void body::go_home() {
  // release: what the body did, for its kernel thread.
  home.store(1, std::memory_order_release);
  syscall(SYS_futex, &home, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

int start(void (*run)(void*), void* what, processor& on, std::size_t stack_bytes) {
  auto b = std::make_unique<body>();
  b->run = run;
  b->what = what;
  b->on = &on;
  // Signals that the process gets are for threads that run.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, nullptr, &b->signals);
  const int error = start_detached(begin, b.get(), stack_bytes, &all);
  if (error == 0) b.release();
  return error;
}

}  // namespace weir::threads
