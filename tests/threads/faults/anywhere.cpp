// Threads that may be cancelled anywhere are cancelled in any state, also while a handler of a signal runs in them. They call
// what the C library's functions, too, may be cancelled in without harm for others: each has objects of its own. A round is a
// thread.
#include "crew.hpp"

#include <csignal>

namespace {

sem_t none, posted;
std::uint32_t word = 0;
int silent[2];
std::atomic<int> cleaned{0};

struct own_objects {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  pthread_rwlock_t lock;
  pthread_barrier_t barrier;
  pthread_spinlock_t spin;
};

struct state {
  const char* name;
  void (*enter)(own_objects&);
};
const state states[] = {
    {"computing",
     [](own_objects&) {
       for (volatile unsigned i = 0;;) i = i + 1;
     }},
    {"yields",
     [](own_objects&) {
       for (;;) sched_yield();
     }},
    {"semaphore",
     [](own_objects&) {
       for (;;) sem_wait(&none);
     }},
    {"posts",
     [](own_objects&) {
       for (;;) sem_post(&posted);
     }},
    {"takes",
     [](own_objects&) {
       for (;;) sem_trywait(&posted);
     }},
    {"semaphore, limit",
     [](own_objects&) {
       for (;;) {
         const timespec limit = soon(CLOCK_REALTIME, 100);
         sem_timedwait(&none, &limit);
       }
     }},
    {"futex",
     [](own_objects&) {
       for (;;) futex(&word, FUTEX_WAIT_PRIVATE, 0);
     }},
    {"futex, limit",
     [](own_objects&) {
       const timespec limit{0, 100'000};
       for (;;) futex(&word, FUTEX_WAIT_PRIVATE, 0, &limit);
     }},
    {"wakes",
     [](own_objects&) {
       for (;;) futex(&word, FUTEX_WAKE_PRIVATE, 1);
     }},
    {"read",
     [](own_objects&) {
       for (char byte;;) (void)!read(silent[0], &byte, 1);
     }},
    {"poll",
     [](own_objects&) {
       pollfd polled{silent[0], POLLIN, 0};
       for (;;) poll(&polled, 1, -1);
     }},
    {"poll, limit",
     [](own_objects&) {
       for (;;) poll(nullptr, 0, 1);
     }},
    {"pause",
     [](own_objects&) {
       for (;;) pause();
     }},
    {"sleeps",
     [](own_objects&) {
       for (;;) usleep(30);
     }},
    {"sleep",
     [](own_objects&) {
       for (;;) sleep(1000);
     }},
    {"mutex",
     [](own_objects& objects) {
       for (;;) pthread_mutex_lock(&objects.mutex), pthread_mutex_unlock(&objects.mutex);
     }},
    {"mutex that is taken",
     [](own_objects& objects) {
       pthread_mutex_lock(&objects.mutex);
       for (;;) pthread_mutex_lock(&objects.mutex);
     }},
    {"rwlock",
     [](own_objects& objects) {
       for (;;) {
         pthread_rwlock_wrlock(&objects.lock), pthread_rwlock_unlock(&objects.lock);
         pthread_rwlock_rdlock(&objects.lock), pthread_rwlock_unlock(&objects.lock);
       }
     }},
    {"spin lock",
     [](own_objects& objects) {
       for (;;) pthread_spin_lock(&objects.spin), pthread_spin_unlock(&objects.spin);
     }},
    {"condition",
     [](own_objects& objects) {
       pthread_mutex_lock(&objects.mutex);
       for (;;) pthread_cond_wait(&objects.changed, &objects.mutex);
     }},
    {"signals",
     [](own_objects& objects) {
       for (;;) pthread_cond_signal(&objects.changed), pthread_cond_broadcast(&objects.changed);
     }},
    {"barrier",
     [](own_objects& objects) {
       for (;;) pthread_barrier_wait(&objects.barrier);
     }},
    {"masks",
     [](own_objects&) {
       sigset_t one;
       sigemptyset(&one);
       sigaddset(&one, SIGUSR2);
       for (;;) pthread_sigmask(SIG_BLOCK, &one, nullptr), pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
     }},
    {"raises",
     [](own_objects&) {
       for (;;) raise(SIGUSR1);
     }},
    {"clocks",
     [](own_objects&) {
       timespec now;
       for (;;) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
     }},
    {"changes the type",
     [](own_objects&) {
       for (;;) {
         pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
         sem_post(&posted);
         sched_yield();
         pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
         sem_post(&posted);
       }
     }},
    // Not the state: the C library ends a thread there without PTHREAD_CANCELED as its result (version 2.36).
};

// What is async-signal-safe, and what programs set and restore.
void handle(int) {
  const int before = errno;
  sem_post(&posted);
  int type = 0;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  sem_post(&posted);
  pthread_setcanceltype(type, nullptr);
  errno = before;
}

struct life {
  unsigned as = 0;
  std::uint64_t seed = 0;
  const state* in = nullptr;
  own_objects objects;
  std::atomic<bool> begins{false};
};
// Nothing is to be destroyed here, since the program's own code is cancelled anywhere, too.
[[gnu::noinline]] void enter(life& me) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  me.begins = true;
  for (;;) me.in->enter(me.objects);
}
void* live(void* given) {
  life& me = *static_cast<life*>(given);
  notes_as = 20 + me.as;
  dice chance(me.seed);
  note(me.in->name);
  me.objects = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER, {}, {}};
  pthread_barrier_init(&me.objects.barrier, nullptr, 1);
  pthread_spin_init(&me.objects.spin, PTHREAD_PROCESS_PRIVATE);
  for (unsigned i = chance.below(4); i > 0; --i) sched_yield();
  pthread_cleanup_push([](void*) { ++cleaned; }, nullptr);
  enter(me);
  pthread_cleanup_pop(0);
  return nullptr;
}

}  // namespace

int main(int n, char** words) {
  const asked arguments(n, words);
  sem_init(&none, 0, 0), sem_init(&posted, 0, 0);
  if (pipe(silent) != 0) return 2;
  struct sigaction handles {};
  handles.sa_handler = handle;
  sigaction(SIGUSR1, &handles, nullptr);
  const char* const only = n > 4 ? words[4] : nullptr;
  dice chance(arguments.seed);
  crew beside(2, arguments.seed, [](unsigned, dice&) {});
  constexpr unsigned at_once = 8;
  static life lives[at_once];
  for (long round = 0; round < arguments.rounds; round += at_once) {
    note_round(round);
    while (sem_trywait(&posted) == 0) {
    }
    pthread_t threads[at_once];
    cleaned = 0;
    for (unsigned i = 0; i < at_once; ++i) {
      life& one = lives[i];
      one.as = i, one.seed = chance.next(), one.begins = false;
      do one.in = &states[chance.below(std::size(states))];
      while (only != nullptr && std::strcmp(one.in->name, only) != 0);
      expect(pthread_create(&threads[i], nullptr, live, &one) == 0, "pthread_create");
    }
    for (const life& each : lives)
      while (!each.begins) sched_yield();
    if (chance.once_in(2)) pause_below(chance, 2000);
    for (unsigned i = 0; i < at_once; ++i) {
      for (unsigned signals = chance.below(3); signals > 0; --signals) {
        note("sends");
        expect(pthread_kill(threads[i], SIGUSR1) == 0, "pthread_kill");
        if (chance.once_in(3)) pause_below(chance, 50);
      }
      note("cancels");
      expect(pthread_cancel(threads[i]) == 0, "pthread_cancel");
    }
    for (unsigned i = 0; i < at_once; ++i) {
      note("joins");
      void* result = nullptr;
      const int error = pthread_join(threads[i], &result);
      expect(error == 0 && result == PTHREAD_CANCELED, lives[i].in->name, error);
    }
    expect(cleaned == static_cast<int>(at_once), "cleanup handlers", cleaned, at_once);
  }
  note_round(arguments.rounds);
  beside.end();
  std::puts("ok");
}
