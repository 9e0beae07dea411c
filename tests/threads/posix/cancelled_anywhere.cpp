// A thread that may be cancelled anywhere (PTHREAD_CANCEL_ASYNCHRONOUS) is cancelled in functions that Weir replaces: at each
// instruction of Weir's, while it waits, in a handler, and where it ends. It ends, its cleanup handler runs once, and nothing
// else happens. A program without such a function is a plain one, by which the expectations have been checked.
//
// WEIR_TEST_EVERY=N tries N instructions of each function, or all, and says how many; otherwise one.
#include "endless_calls.hpp"
#include "replaced_functions.hpp"
#include "steps.hpp"

#include <cstddef>

#include <linux/filter.h>
#include <linux/seccomp.h>

namespace {

using namespace stepping;

// ---- threads that are cancelled

struct tried {
  void (*call)() = nullptr;
  steps where{};
  std::atomic<int> cleaned{0};
  std::atomic<bool> begins{false}, returns{false};
};
void step_anywhere(tried& it) { step_through_anywhere(it.call, it.where); }
[[gnu::noinline]] void wait_through(tried& it) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  it.begins = true;
  it.call();
}
/// The same with the other type. After the call it is cancelled.
[[gnu::noinline]] void step_to_point(tried& it) {
  step_through(it.call, it.where);
  it.returns = true;
  while (it.where.done) pthread_testcancel();
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
bool cancelled_at(const replaced::row& of, unsigned long instruction, unsigned long& seen, bool anywhere = true) {
  replaced::make_things();
  tried it{of.call, {.at = instruction}};
  if (!anywhere) it.where.only_weir = true, it.where.does = cancel_by_another;
  void* const result = result_of(begin(anywhere ? try_it<step_anywhere> : try_it<step_to_point>, &it));
  seen = it.where.seen;
  const bool is_done = it.where.done && (result != nullptr || !of.ends_thread);
  bool right = is_done ? result == PTHREAD_CANCELED && it.cleaned == 1 : result == nullptr && it.cleaned == of.ends_thread;
  if (!anywhere && it.where.done && !of.ends_thread && !of.is_point) right = right && it.returns;
  CHECK(right);
  if (!right)
    std::fprintf(stderr, "%s, instruction %lu: %d, %d\n", of.name, instruction, result == PTHREAD_CANCELED, it.cleaned.load());
  return it.where.done;
}

void at_each_instruction(bool anywhere) {
  if (threads_are == "team") return;  // the calls are no other ones
  look_up();
  if (!anywhere && weir_begins == 0) return;
  handle_steps();
  replaced::make_files();
  const others so_many;
  const kernel_thread own;
  pthread_t cancels;
  if (!anywhere) CHECK(pthread_create(&cancels, own.attributes(), cancel_others, nullptr) == 0);
  const char* const every = std::getenv("WEIR_TEST_EVERY");
  const unsigned long tried_of_each = every != nullptr ? std::strtoul(every, nullptr, 10) : 1;
  unsigned long tries = 0, which = 0;
  for (const replaced::row& entry : replaced::rows) {
    unsigned long executed = 0, seen = 0;
    cancelled_at(entry, ~0ul, executed, anywhere);
    const unsigned long stride = executed / tried_of_each + 1;
    // Later calls may take another way than the first one, but not longer ones for ever, as those of popen(), which leaves its
    // streams. Each time at others, since most functions begin and end alike.
    const unsigned long most = every != nullptr ? 2 * executed : executed;
    for (unsigned long i = 1 + 7 * which++ % stride; i <= most; i += stride, ++tries)
      if (!cancelled_at(entry, i, seen, anywhere)) break;
    all_is_well();
  }
  if (every != nullptr) std::fprintf(stderr, "%lu tries\n", tries);
}
void at_each_instruction() { at_each_instruction(true); }
void at_points() { at_each_instruction(false); }

// ---- where it waits

void where_it_waits() {
  replaced::make_things();
  take_what_they_wait_for();
  const others so_many;
  for (const replaced::row& entry : waits)
    for (int i = 0; i < 4; ++i) {
      replaced::make_things();
      pthread_barrier_init(&of_two, nullptr, 2);  // one that nobody waits at
      tried it{entry.call};
      const pthread_t one = begin(try_it<wait_through>, &it);
      CHECK(soon([&] { return it.begins.load(); }));
      if (i % 2 != 0) sleep_for(0.0005 * i);
      CHECK(pthread_cancel(one) == 0);
      const bool cancelled = result_of(one) == PTHREAD_CANCELED;
      CHECK(cancelled && it.cleaned == 1);
      if (!cancelled || it.cleaned != 1) std::fprintf(stderr, "%s: %d, %d\n", entry.name, cancelled, it.cleaned.load());
    }
  // Another thread may begin the routine now.
  pthread_once(&replaced::objects.once, [] {});
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
  const replaced::row handler{"handler", [] {
                            end_steps();
                            raise(SIGUSR1);
                          }};
  unsigned long seen = 0;
  for (unsigned long i = 1; cancelled_at(handler, i, seen); ++i) {
  }
  CHECK(weir_begins == 0 || seen > 20);
  all_is_well();
}

void* end_in_steps(void* given) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  stepped = static_cast<steps*>(given);
  begin_steps();
  return nullptr;
}
void at_the_end() {
  look_up();
  handle_steps();
  const others so_many;
  steps counted;
  const unsigned long stride = std::getenv("WEIR_TEST_EVERY") != nullptr ? 1 : 17;
  do {
    counted = {.at = counted.at + stride};
    void* const result = result_of(begin(end_in_steps, &counted));
    CHECK(result == nullptr || result == PTHREAD_CANCELED);
  } while (counted.done);
  all_is_well();
}

/// A handler that comes between two instructions of Weir's, and calls Weir, leaves Weir's code as it has found it: no more than a
/// few instructions of it are executed where the thread may be cancelled.
void after_handlers() {
  look_up();
  handle_steps();
  if (weir_begins == 0) return;
  static sem_t one;
  sem_init(&one, 0, 0);
  using does = void (*)();
  for (const does calls : {does{[] { sem_post(&one); }}, does{[] {
         int before = 0;
         pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before);
         pthread_setcanceltype(before, nullptr);
       }}}) {
    unsigned long usual = 0;
    tried it;
    do {
      const unsigned long at = it.where.at + (it.where.at < 60 ? 1 : 13);
      it.call = [] { sem_post(&one); };
      it.where = {.at = at, .does = calls, .goes_on = true};
      CHECK(result_of(begin(try_it<step_anywhere>, &it)) == nullptr);
      if (at == 1) usual = it.where.anywhere;
      CHECK(it.where.anywhere <= usual + 30);
    } while (it.where.done);
    CHECK(usual > 0 && it.where.at > 60);
  }
}

/// While the thread blocks in the C library, which lets it be cancelled anywhere then, whatever its type is.
void in_handlers_of_calls() {
  look_up();
  handle_steps();
  const others so_many;
  static sem_t one;
  struct sigaction posts {};
  posts.sa_handler = [](int) {
    if (stepped == nullptr) return;
    begin_steps();
    sem_post(&one);
    end_steps();
    stepped = nullptr;
  };
  sigaction(SIGUSR1, &posts, nullptr);
  tried it;
  do {
    it.where = {.at = it.where.at + 5};
    it.cleaned = 0;
    sem_init(&one, 0, 0);
    it.begins = false;
    const pthread_t blocks = begin([](void* at) -> void* {
      tried& what = *static_cast<tried*>(at);
      pthread_cleanup_push([](void* to) { ++static_cast<tried*>(to)->cleaned; }, at);
      stepped = &what.where;
      what.begins = true;
      for (;;) pause();
      pthread_cleanup_pop(0);
      return nullptr;
    }, &it);
    CHECK(soon([&] { return it.begins.load(); }));
    sleep_for(0.001);  // most of them block now
    pthread_kill(blocks, SIGUSR1);
    if (!soon([&] { return it.cleaned != 0 || sem_trywait(&one) == 0; })) CHECK(false);
    pthread_cancel(blocks);
    CHECK(result_of(blocks) == PTHREAD_CANCELED && it.cleaned == 1 && it.where.anywhere <= 25);
  } while (it.where.done);
  all_is_well();
}

/// A thread that has been cancelled is not waited for any more: waking nobody needs no call of the kernel.
void futexes() {
  const others so_many;
  static std::uint32_t word = 0;
  static std::atomic<bool> begins;
  const pthread_t sleeps = start([]() -> void* {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    begins = true;
    for (;;) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  });
  CHECK(soon([] { return begins.load(); }));
  sleep_for(0.01);
  CHECK(pthread_cancel(sleeps) == 0 && result_of(sleeps) == PTHREAD_CANCELED);
  // In this thread alone, and Weir does not see it.
  const auto at = reinterpret_cast<std::uintptr_t>(&word);
  sock_filter refuses[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 3),
                           BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(at), 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXDEV), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{std::size(refuses), refuses};
  auto* const bare = reinterpret_cast<decltype(&prctl)>(dlsym(dlopen("libc.so.6", RTLD_NOW), "prctl"));
  CHECK(bare(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && bare(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0);
  CHECK(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0) ==
        (std::getenv("WEIR_THREADS") == nullptr ? -1 : 0));
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
      tried it{i % 2 == 0 ? +[] { for (;;) sem_post(&replaced::objects.some); } : wait_for_ever};
      const pthread_t one = begin(try_it<wait_through>, &it);
      while (!it.begins) sched_yield();
      while (i % 2 == 0 && sem_wait(&replaced::objects.some) != 0) {
      }
      CHECK(pthread_cancel(one) == 0 && result_of(one) == PTHREAD_CANCELED && it.cleaned == 1);
    }
  });
  all_is_well();
}

/// The C library's signal may come when the thread that drives a processor has come to Weir's code, and finds a member of the
/// team there. The signal is for the one that drives, also after the first cancellation of the process.
void while_others_run() {
  const auto bare = reinterpret_cast<long (*)(long, ...)>(dlsym(dlopen("libc.so.6", RTLD_NOW), "syscall"));
  // Of a thread of which Weir need not know.
  const kernel_thread own;
  pthread_t first{};
  CHECK(pthread_create(&first, own.attributes(), [](void*) -> void* { for (;;) pause(); }, nullptr) == 0);
  static std::atomic<int> sent, counted;
  struct primary {
    decltype(bare) call;
    pthread_t first, self{};
    long number = 0;
  } with{bare, first};
  const pthread_t one = start([&with]() -> void* {
    with.self = pthread_self();
    with.number = gettid();
#pragma omp parallel num_threads(8)
    {
      for (int i = 0; i < 10'000 && sent == 0; ++i, sched_yield()) {
        if (pthread_equal(pthread_self(), with.self) != 0 || with.call(SYS_gettid) != with.number || sent.fetch_add(1) != 0)
          continue;
        pthread_cancel(with.first);
        with.call(SYS_tgkill, getpid(), with.number, 32);
      }
      ++counted;
    }
    if (sent != 0)
      for (const double until = now_s() + patience; now_s() < until;) pthread_testcancel();
    return nullptr;
  });
  void* const result = result_of(one);
  CHECK(counted == 8 && (result == PTHREAD_CANCELED) == (sent != 0));
  CHECK(std::getenv("LD_PRELOAD") == nullptr || threads_are != "team" || sent != 0);  // elsewhere the thread drives none
  if (sent == 0) pthread_cancel(first);
  CHECK(result_of(first) == PTHREAD_CANCELED);
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

const subject subjects[] = {{"regions", regions},
                            {"at each instruction", at_each_instruction},
                            {"at points", at_points},
                            {"where it waits", where_it_waits},
                            {"in handlers", in_handlers},
                            {"at the end", at_the_end},
                            {"in a team", in_a_team},
                            {"while others run", while_others_run},
                            {"types", types},
                            {"after handlers", after_handlers},
                            {"in handlers of calls", in_handlers_of_calls},
                            {"futexes", futexes}};

}  // namespace

int main() { return run_all(subjects); }
