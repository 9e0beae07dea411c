#include "threads/body.hpp"

#include <csignal>
#include <memory>

#include <dlfcn.h>
#include <linux/futex.h>
#include <linux/rseq.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/detached_thread.hpp"
#include "machine/scheduling.hpp"
#include "threads/processor.hpp"

namespace weir::threads {

constinit thread_local body* this_body = nullptr;

extern "C" {
/// For debuggers (gdb.py): where this_body is, from the thread pointer, and what is where in a body.
[[gnu::used]] constinit std::ptrdiff_t weir_for_debuggers[] = {0, offsetof(body, at), offsetof(body, on), offsetof(body, awaits),
                                                               offsetof(body, run)};
}

namespace {

constinit thread_local body* own_body = nullptr;  // of a thread that start() has made

/// The stack on which a lent body's kernel thread sleeps: a part of its own. Room for one signal's frame: those of the C
/// library's own (setuid and the like, in all threads) cannot be blocked.
constexpr std::size_t parking_bytes = 16384;

// Looked up, since the C library has them from version 2.35 on [its manual, "Restartable Sequences"].
constinit const std::ptrdiff_t* rseq_offset = nullptr;
constinit const unsigned* rseq_size = nullptr;
[[gnu::constructor]] void when_loaded() {
  weir_for_debuggers[0] = reinterpret_cast<char*>(&this_body) - static_cast<char*>(thread_pointer());
  rseq_offset = static_cast<const std::ptrdiff_t*>(dlsym(RTLD_DEFAULT, "__rseq_offset"));
  rseq_size = static_cast<const unsigned*>(dlsym(RTLD_DEFAULT, "__rseq_size"));
}

/// A virtual processor's number of its kernel processor is in that kernel thread's memory, not in the body's: without this,
/// sched_getcpu() would answer where the body was lent. Unregistered, the C library asks the kernel's vDSO.
void unregister_rseq(void* of_thread) {
  if (rseq_offset == nullptr || rseq_size == nullptr || *rseq_size == 0) return;
#if defined(__aarch64__)
  constexpr unsigned signature = 0xd428bc00;
#else
  constexpr unsigned signature = 0x53053053;
#endif
  constexpr unsigned registered = 32;  // by the C library, whatever it uses of them
  syscall(SYS_rseq, static_cast<char*>(of_thread) + *rseq_offset, registered, RSEQ_FLAG_UNREGISTER, signature);
}

/// In the child of a fork, whose only thread is registered with the area of the virtual processor's thread that has called fork.
/// The C library takes that thread's stack for unused: when it is unmapped, the kernel ends the process that it cannot tell the
/// processor.
[[gnu::constructor(102)]] void before_processors() {  // whose handler forgets who has called
  pthread_atfork(nullptr, nullptr, [] {
    const body* const caller = this_body;
    if (caller != nullptr && caller->parking != nullptr) unregister_rseq(caller->on->own().thread_pointer);
    // It ends as a thread of its own.
    if (own_body != nullptr) own_body->on = own_body->seat = nullptr;
  });
}

/// FUTEX_WAIT, by the system call alone: the C library's function would set an errno that is the body's, which runs elsewhere.
void sleep_while_zero(const std::atomic<std::uint32_t>* word) {
#if defined(__x86_64__)
  long result = SYS_futex;
  register long timeout asm("r10") = 0;
  asm volatile("syscall" : "+a"(result) : "D"(word), "S"(FUTEX_WAIT_PRIVATE), "d"(0), "r"(timeout) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long result asm("x0") = reinterpret_cast<long>(word);
  register long how asm("x1") = FUTEX_WAIT_PRIVATE;
  register long value asm("x2") = 0;
  register long timeout asm("x3") = 0;
  register long call asm("x8") = SYS_futex;
  asm volatile("svc 0" : "+r"(result) : "r"(how), "r"(value), "r"(timeout), "r"(call) : "memory");
#else
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0u, nullptr, nullptr, 0);
#endif
}

// What a body does that has gone home before it would have: it returns to its seat where it waits.
void return_to_seat() noexcept {
  go_to(own_body->seat);
  if (own_body->on == nullptr) yield_to_kernel();  // nobody drives that processor now
}
void sleep_in_seat(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  return_to_seat();
  if (scheduled_by == &by_processors)
    by_processors.sleep_while(word, value);
  else
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
constexpr scheduling by_return{return_to_seat, return_to_seat, sleep_in_seat};

/// On the parking stack, where this_body is null still: for the processor the body comes from another thread.
context park(void* its) {
  body& b = *static_cast<body*>(its);
  make_ready(b);
  // acquire: what the body did elsewhere, and where it has stopped.
  while (b.home.load(std::memory_order_acquire) == 0) sleep_while_zero(&b.home);
  b.on = nullptr;
  scheduled_by = b.seat != nullptr ? &by_return : nullptr;
  this_body = nullptr;
  return b.at;
}

/// The kernel thread shall handle no signal in the body's name.
[[gnu::noinline]] void lend(body& b, processor& to) {
  close_own_processor();
  if (b.thread_pointer == nullptr) {
    b.thread_pointer = thread_pointer();
    unregister_rseq(b.thread_pointer);
    // A cancellation is a signal for the kernel thread that sleeps in park(), which would end the thread while its body runs.
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  }
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &b.signals);
  b.on = &to;
  b.home.store(0, std::memory_order_relaxed);  // relaxed: this thread alone reads it before the body is ready
  b.held.store(1, std::memory_order_relaxed);
  this_body = nullptr;
  weir_lend(&b.at, b.parking, park, &b);
  if (b.on == nullptr) return b.arrive_home();  // the processor drives nothing any more
  this_body = &b;
  scheduled_by = &by_processors;
  b.on->settle();
  b.held.store(0, std::memory_order_release);  // release: as in without_preemption
}

/// Also where pthread_exit() unwinds the body: the rest of a thread's end is for its own kernel thread.
struct way_home {
  ~way_home() {
    go_to(nullptr);
    own_body = nullptr;
    wait_for_robbers();  // one may have found the body on its last processor
  }
};

[[gnu::noinline]] void host(void* its) {
  const std::unique_ptr<body> b(static_cast<body*>(its));
  alignas(16) std::byte parking[parking_bytes];
  asm volatile("" : : "r"(parking) : "memory");
  b->parking = parking + parking_bytes;
  own_body = b.get();
  go_to(b->seat);
  const way_home at_the_end;
  b->run(b->what);
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
  host(its);
  return nullptr;
}
}  // namespace

// Not on the parking stack: pending signals are handled now.
void body::arrive_home() { pthread_sigmask(SIG_SETMASK, &signals, nullptr); }

bool is_body() { return own_body != nullptr; }

void change_seat(processor* seat) {
  body& b = *own_body;
  {
    const without_preemption to_the_end;
    b.seat = seat;
    if (b.on == seat) {
      if (seat == nullptr) scheduled_by = nullptr;
      return;
    }
    if (b.on != nullptr) return b.on->leave(b, seat);
  }
  lend(b, *seat);
}

void body::go_home() {
  // release: what the body did, for its kernel thread.
  home.store(1, std::memory_order_release);
  syscall(SYS_futex, &home, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

int start(void (*run)(void*), void* what, processor* on, std::size_t stack_bytes) {
  auto b = std::make_unique<body>();
  b->run = run;
  b->what = what;
  b->seat = on;
  const int error = start_detached(begin, b.get(), stack_bytes != 0 ? stack_bytes + parking_bytes : 0);
  if (error == 0) b.release();
  return error;
}

}  // namespace weir::threads
