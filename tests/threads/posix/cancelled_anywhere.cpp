// A thread that may be cancelled anywhere (PTHREAD_CANCEL_ASYNCHRONOUS) is cancelled in functions that Weir replaces: at each instruction of
// Weir's, while it waits, in a handler, and where it ends. It ends, its cleanup handler runs once, and nothing else happens. Whoever has no
// such function is a plain program, by which the expectations have been checked.
//
// WEIR_TEST_EVERY=1 tries each instruction instead of some.
#include "replaced_functions.hpp"

#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>

namespace {

// The C library's own: Weir's would take part.
int (*cancel)(pthread_t);
int (*set_type)(int, int*);
std::uintptr_t weir_begins = 0, weir_ends = 0;
void look_up() {
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
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0 || reinterpret_cast<std::uintptr_t>(at) - begins >= part.p_memsz) continue;
          weir_begins = begins;
          weir_ends = begins + part.p_memsz;
        }
        return 0;
      },
      replaced);
}

// ---- one instruction after the other: the processor's trap flag, and a handler of which Weir does not hear

[[maybe_unused]] constexpr unsigned long trap_flag = 0x100;
struct steps {
  unsigned long at = 0, seen = 0;  // in Weir's code, and in the C library's where Weir has deferred the cancellation
  bool done = false;
};
thread_local steps* stepped = nullptr;

#if defined(__x86_64__)
extern "C" void return_from_handler();
// As unwinders know it.
asm("return_from_handler: movq $15, %rax\nsyscall");
/// The next instruction begins a process, which nobody steps through, or blocks the signal.
bool is_last(const greg_t* of) {
  const auto* const code = reinterpret_cast<const unsigned char*>(of[REG_RIP]);
  const long call = of[REG_RAX];
  if (code[0] != 0x0f || code[1] != 0x05) return false;
  const auto* const set = reinterpret_cast<const unsigned long*>(of[REG_RSI]);
  if (call == SYS_rt_sigprocmask) return of[REG_RDI] != SIG_UNBLOCK && set != nullptr && (*set >> (SIGTRAP - 1) & 1) != 0;
  return call == SYS_clone || call == SYS_clone3 || call == SYS_fork || call == SYS_vfork || call == SYS_execve;
}
void step(int, siginfo_t*, void* context) {
  auto* const of = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  steps* const it = stepped;
  if (it == nullptr || is_last(of)) {
    of[REG_EFL] &= ~static_cast<greg_t>(trap_flag);
    return;
  }
  bool counts = static_cast<std::uintptr_t>(of[REG_RIP]) - weir_begins < weir_ends - weir_begins;
  if (!counts && weir_begins != 0) {
    int type = 0;
    set_type(PTHREAD_CANCEL_DEFERRED, &type);
    counts = type == PTHREAD_CANCEL_DEFERRED;
    if (!counts) set_type(type, nullptr);
  }
  if (!counts || ++it->seen != it->at) return;
  it->done = true;
  stepped = nullptr;
  of[REG_EFL] &= ~static_cast<greg_t>(trap_flag);
  cancel(pthread_self());
}
void handle_steps() {
  struct {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
  } its{step, SA_SIGINFO | 0x04000000, return_from_handler, 0};
  long result = SYS_rt_sigaction;
  register long bytes asm("r10") = 8;
  asm volatile("syscall" : "+a"(result) : "D"(SIGTRAP), "S"(&its), "d"(0), "r"(bytes) : "rcx", "r11", "memory");
  CHECK(result == 0);
}
inline void begin_steps() {
  asm volatile("leaq -128(%%rsp), %%rsp\npushfq\norq $0x100, (%%rsp)\npopfq\nleaq 128(%%rsp), %%rsp" : : : "memory", "cc");
}
inline void end_steps() {
  asm volatile("leaq -128(%%rsp), %%rsp\npushfq\nandq $-257, (%%rsp)\npopfq\nleaq 128(%%rsp), %%rsp" : : : "memory", "cc");
}
#else
void handle_steps() {}
inline void begin_steps() {}
inline void end_steps() {}
#endif

// ---- threads that are cancelled

struct tried {
  void (*call)() = nullptr;
  steps where{};
  std::atomic<int> cleaned{0};
  std::atomic<bool> begins{false};
};
// Nothing is to be destroyed here, since the program's own code is cancelled anywhere, too.
[[gnu::noinline]] void step_through(tried& it) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  stepped = &it.where;
  begin_steps();
  it.call();
  end_steps();
  stepped = nullptr;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
}
[[gnu::noinline]] void wait_through(tried& it) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  it.begins = true;
  it.call();
}
template <void (*through)(tried&)>
void* try_it(void* at) {
  tried& it = *static_cast<tried*>(at);
  pthread_cleanup_push([](void* to) { ++static_cast<tried*>(to)->cleaned; }, &it);
  through(it);
  pthread_cleanup_pop(0);
  return nullptr;
}
pthread_t begin(void* (*run)(void*), void* with) {
  pthread_t thread{};
  CHECK(pthread_create(&thread, nullptr, run, with) == 0);
  return thread;
}

/// Threads wait for each other, are created and cancelled as ever.
void all_is_well() {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  static sem_t one;
  sem_init(&one, 0, 0);
  const pthread_t other = start([]() -> void* {
    pthread_mutex_lock(&mutex);
    sem_post(&one);
    pthread_cleanup_push([](void*) { pthread_mutex_unlock(&mutex); }, nullptr);
    for (;;) pthread_cond_wait(&changed, &mutex);
    pthread_cleanup_pop(0);
    return nullptr;
  });
  while (sem_wait(&one) != 0) {
  }
  pthread_mutex_lock(&mutex);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  CHECK(pthread_cancel(other) == 0 && result_of(other) == PTHREAD_CANCELED);
}

/// False: the call has ended before.
bool cancelled_at(const replaced::row& of, unsigned long instruction, unsigned long& seen) {
  replaced::make_things();
  tried it{of.call, {instruction}};
  void* const result = result_of(begin(try_it<step_through>, &it));
  seen = it.where.seen;
  const bool right = it.where.done ? result == PTHREAD_CANCELED && it.cleaned == 1 : result == nullptr && it.cleaned == 0;
  CHECK(right);
  if (!right) std::fprintf(stderr, "%s, instruction %lu: %d, %d\n", of.name, instruction, result == PTHREAD_CANCELED, it.cleaned.load());
  return it.where.done;
}

void at_each_instruction() {
  if (threads_are == "team") return;  // the calls are no other ones
  look_up();
  handle_steps();
  replaced::make_files();
  const others so_many;
  const char* const every = std::getenv("WEIR_TEST_EVERY");
  const unsigned long points = every != nullptr ? ~0ul : 2;
  unsigned long tries = 0, which = 0;
  for (const replaced::row& its : replaced::rows) {
    unsigned long all = 0, seen = 0;
    cancelled_at(its, ~0ul, all);
    const unsigned long stride = all / points + 1;
    // Later calls may take another way than the first one.
    // Each time at others, since most functions begin and end alike.
    for (unsigned long i = 1 + 7 * which++ % stride; cancelled_at(its, i, seen); i += stride) ++tries;
    all_is_well();
  }
  if (every != nullptr) std::fprintf(stderr, "%lu tries\n", tries);
}

// ---- where it waits

pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t taken_lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t taken_spin;
pthread_barrier_t of_two;
sem_t none;
mtx_t taken_of_c11;
int silent[2];
std::uint32_t zero = 0;
const timespec late{2'000'000'000, 0}, long_time{1000, 0};
void wait_for_ever() {
  for (;;) syscall(SYS_futex, &zero, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
}

/// Also the team ends before its primary thread.
[[gnu::noinline]] void open_region() {
#pragma omp parallel num_threads(3)
  sched_yield();
}

#define ROW(name, ...) {#name, [] { __VA_ARGS__; }}
const replaced::row waits[] = {
    ROW(pthread_mutex_lock, pthread_mutex_lock(&taken)), ROW(pthread_mutex_timedlock, pthread_mutex_timedlock(&taken, &late)),
    ROW(pthread_rwlock_rdlock, pthread_rwlock_rdlock(&taken_lock)), ROW(pthread_rwlock_wrlock, pthread_rwlock_wrlock(&taken_lock)),
    ROW(pthread_spin_lock, pthread_spin_lock(&taken_spin)), ROW(mtx_lock, mtx_lock(&taken_of_c11)),
    ROW(pthread_cond_wait, pthread_mutex_lock(&replaced::its.mutex); for (;;) pthread_cond_wait(&replaced::its.changed, &replaced::its.mutex)),
    ROW(cnd_wait, mtx_lock(&replaced::its.mutex_of_c11); for (;;) cnd_wait(&replaced::its.changed_of_c11, &replaced::its.mutex_of_c11)),
    ROW(sem_wait, sem_wait(&none)), ROW(sem_timedwait, sem_timedwait(&none, &late)), ROW(pthread_barrier_wait, pthread_barrier_wait(&of_two)),
    ROW(pthread_once, pthread_once(&replaced::its.once, wait_for_ever)), ROW(call_once, call_once(&replaced::its.once_of_c11, wait_for_ever)),
    ROW(futex, wait_for_ever()), ROW(read, char c; (void)!read(silent[0], &c, 1)), ROW(nanosleep, nanosleep(&long_time, nullptr)),
    ROW(sleep, sleep(1000)), ROW(pause, pause()), ROW(poll, poll(nullptr, 0, -1)),
    ROW(select, select(0, nullptr, nullptr, nullptr, nullptr)), ROW(sigsuspend, sigset_t s; sigemptyset(&s); sigsuspend(&s)),
    ROW(sigwait, sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR2); int which; sigwait(&s, &which)),
    ROW(computing, for (volatile unsigned i = 0;;) i = i + 1),
    ROW(yielding, for (;;) sched_yield()), ROW(posting, for (;;) sem_post(&replaced::its.some)),
    ROW(regions, for (;;) open_region()), ROW(forking, for (;;) if (const pid_t one = fork(); one == 0) _exit(0); else waitpid(one, nullptr, 0)),
};
#undef ROW

void where_it_waits() {
  replaced::make_things();
  pthread_mutex_lock(&taken);
  pthread_rwlock_wrlock(&taken_lock);
  pthread_spin_init(&taken_spin, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&taken_spin);
  mtx_init(&taken_of_c11, mtx_plain);
  mtx_lock(&taken_of_c11);
  sem_init(&none, 0, 0);
  CHECK(pipe(silent) == 0);
  const others so_many;
  for (const replaced::row& its : waits)
    for (int i = 0; i < 4; ++i) {
      replaced::make_things();
      pthread_barrier_init(&of_two, nullptr, 2);  // one that nobody waits at
      tried it{its.call};
      const pthread_t one = begin(try_it<wait_through>, &it);
      CHECK(soon([&] { return it.begins.load(); }));
      if (i % 2 != 0) sleep_for(0.0005 * i);
      CHECK(pthread_cancel(one) == 0);
      const bool cancelled = result_of(one) == PTHREAD_CANCELED;
      CHECK(cancelled && it.cleaned == 1);
      if (!cancelled || it.cleaned != 1) std::fprintf(stderr, "%s: %d, %d\n", its.name, cancelled, it.cleaned.load());
    }
  // Another thread may begin the routine now.
  pthread_once(&replaced::its.once, [] {});
  all_is_well();
}

// ---- in a handler of the program, which Weir's stub calls, and at the end of the thread's function

void begin_steps_in_handler(int) { begin_steps(); }  // they end where the interrupted code goes on

void in_handlers() {
  look_up();
  handle_steps();
  const others so_many;
  struct sigaction steps_on {};
  steps_on.sa_handler = begin_steps_in_handler;
  sigaction(SIGUSR1, &steps_on, nullptr);
  const replaced::row its{"handler", [] {
                            end_steps();
                            raise(SIGUSR1);
                          }};
  unsigned long seen = 0;
  for (unsigned long i = 1; cancelled_at(its, i, seen); ++i) {
  }
  CHECK(weir_begins == 0 || seen > 20);
  all_is_well();
}

void* end_in_steps(void* its) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  stepped = static_cast<steps*>(its);
  begin_steps();
  return nullptr;
}
void at_the_end() {
  look_up();
  handle_steps();
  const others so_many;
  steps its;
  const unsigned long stride = std::getenv("WEIR_TEST_EVERY") != nullptr ? 1 : 17;
  do {
    its = {its.at + stride};
    void* const result = result_of(begin(end_in_steps, &its));
    CHECK(result == nullptr || result == PTHREAD_CANCELED);
  } while (its.done);
  all_is_well();
}

/// The type is what the program has set, also in handlers.
void types() {
  result_of(start([]() -> void* {
    int before = -1;
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before) == 0 && before == PTHREAD_CANCEL_DEFERRED);
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before) == 0 && before == PTHREAD_CANCEL_DEFERRED);
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before) == 0 && before == PTHREAD_CANCEL_ASYNCHRONOUS);
    CHECK(pthread_setcanceltype(77, nullptr) == EINVAL);
    struct sigaction sets {};
    sets.sa_handler = [](int) {
      int type = -1;
      CHECK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type) == 0 && type == PTHREAD_CANCEL_ASYNCHRONOUS);
    };
    sigaction(SIGUSR1, &sets, nullptr);
    raise(SIGUSR1);
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before) == 0 && before == PTHREAD_CANCEL_DEFERRED);
    pthread_kill(pthread_self(), SIGUSR1);
    sched_yield();
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before) == 0 && before == PTHREAD_CANCEL_DEFERRED);
    return nullptr;
  }));
}

void in_a_team() {
  replaced::make_things();
  team([](int) {
    for (int i = 0; i < 20; ++i) {
      tried it{i % 2 == 0 ? +[] { for (;;) sem_post(&replaced::its.some); } : wait_for_ever};
      const pthread_t one = begin(try_it<wait_through>, &it);
      while (!it.begins) sched_yield();
      while (i % 2 == 0 && sem_wait(&replaced::its.some) != 0) {
      }
      CHECK(pthread_cancel(one) == 0 && result_of(one) == PTHREAD_CANCELED && it.cleaned == 1);
    }
  });
  all_is_well();
}

/// A region is no cancellation point.
void regions() {
  for (const bool is_first : {true, false}) {
    static std::atomic<int> counted;
    const pthread_t one = start([is_first]() -> void* {
      const auto count = [] {
#pragma omp parallel num_threads(3)
        ++counted;
      };
      if (!is_first) count();
      counted = 0;
      pthread_cancel(pthread_self());
      count();
      pthread_testcancel();
      return nullptr;
    });
    CHECK(result_of(one) == PTHREAD_CANCELED && counted == 3);
  }
}

const subject all[] = {{"regions", regions}, {"at each instruction", at_each_instruction}, {"where it waits", where_it_waits}, {"in handlers", in_handlers},
                       {"at the end", at_the_end}, {"in a team", in_a_team}, {"types", types}};

}  // namespace

int main() { return run_all(all); }
