// Threads are cancelled in any state. Each has a cleanup handler, which gives back what the thread holds. A round is a thread.
#include "crew.hpp"

#include <csignal>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER, often = PTHREAD_COND_INITIALIZER, of_processes;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
sem_t none, some, shared;
std::uint32_t word = 0;
int silent[2], chatty[2], full[2], sockets[2];
std::atomic<int> in_mutex{0}, cleaned{0};
std::atomic<bool> ends{false};
char fifo[64], locked[64];
pthread_t beside;

void in_condition(pthread_cond_t* c, bool limited) {
  pthread_mutex_lock(&mutex);
  expect(++in_mutex == 1, "not alone under the mutex", in_mutex, 1);
  pthread_cleanup_push([](void*) {
    expect(++in_mutex == 1, "not alone under the mutex after cancellation", in_mutex, 1);
    --in_mutex;
    pthread_mutex_unlock(&mutex);
  }, nullptr);
  for (;;) {
    --in_mutex;
    const timespec limit = soon(CLOCK_REALTIME, 200);
    limited ? pthread_cond_timedwait(c, &mutex, &limit) : pthread_cond_wait(c, &mutex);
    expect(++in_mutex == 1, "not alone under the mutex", in_mutex, 1);
    expect(pthread_mutex_trylock(&mutex) == EBUSY, "the mutex is free after a wait");
  }
  pthread_cleanup_pop(0);
}

struct state {
  const char* name;
  void (*enter)(dice&);
};
char byte;
const state states[] = {
    {"condition", [](dice&) { in_condition(&never, false); }},
    {"condition, signalled", [](dice&) { in_condition(&often, false); }},
    {"condition, limit", [](dice&) { in_condition(&never, true); }},
    {"condition of processes", [](dice&) { in_condition(&of_processes, false); }},
    {"semaphore", [](dice&) { sem_wait(&none); }},
    {"semaphore, posted", [](dice&) { for (;;) sem_wait(&some); }},
    {"semaphore of processes", [](dice&) { sem_wait(&shared); }},
    {"semaphore, limit", [](dice&) {
       for (;;) {
         const timespec limit = soon(CLOCK_REALTIME, 200);
         sem_timedwait(&none, &limit);
       }
     }},
    {"read", [](dice&) { (void)!read(silent[0], &byte, 1); }},
    {"read with others", [](dice&) { for (;;) (void)!read(chatty[0], &byte, 1); }},
    {"write to a full pipe", [](dice&) { (void)!write(full[1], &byte, 1); }},
    {"long write", [](dice&) {
       static char many[1 << 20];
       int own[2];
       if (pipe(own) != 0) return;
       struct closed {
         int* of;
         ~closed() { close(of[0]), close(of[1]); }
       } const both{own};
       (void)!write(own[1], many, sizeof many);
     }},
    {"recv of all", [](dice&) {
       char two[2];
       recv(sockets[0], two, 2, MSG_WAITALL);
     }},
    {"read of a stream", [](dice&) {
       struct stream {
         FILE* const opened = fdopen(dup(silent[0]), "r");
         ~stream() { fclose(opened); }
       } const own;
       std::fgetc(own.opened);
     }},
    {"read, disabled", [](dice&) {
       char got;
       for (;; pthread_testcancel()) {
         pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
         expect(read(chatty[0], &got, 1) == 1, "a read that must not be cancelled", errno);
         pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
       }
     }},
    // No cancellation point.
    {"flock", [](dice&) {
       struct file {
         const int opened = open(locked, O_RDONLY | O_CLOEXEC);
         ~file() { close(opened); }
       } const own;
       for (;; pthread_testcancel()) {
         expect(flock(own.opened, LOCK_EX) == 0, "flock", errno);
         flock(own.opened, LOCK_UN);
       }
     }},
    {"poll", [](dice&) {
       pollfd polled{silent[0], POLLIN, 0};
       poll(&polled, 1, -1);
     }},
    {"splice", [](dice&) { (void)splice(silent[0], nullptr, chatty[1], nullptr, 1, 0); }},
    {"open of a fifo", [](dice&) { open(fifo, O_RDONLY | O_CLOEXEC); }},
    {"sleep", [](dice&) { sleep(1000); }},
    {"short sleeps", [](dice&) { for (;;) usleep(30); }},
    {"pause", [](dice&) { pause(); }},
    {"sigwait", [](dice&) {
       sigset_t one;
       sigemptyset(&one);
       sigaddset(&one, SIGRTMIN + 3);
       int which;
       sigwait(&one, &which);
     }},
    {"join", [](dice&) { pthread_join(beside, nullptr); }},
    {"computing", [](dice&) { for (;; pthread_testcancel()) compute(0.0001); }},
    {"asynchronously", [](dice&) {
       pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
       for (volatile unsigned i = 0;;) i = i + 1;
     }},
    {"mutexes", [](dice& chance) {
       for (;; pthread_testcancel()) {
         pthread_mutex_lock(&other);
         if (chance.once_in(4)) sched_yield();
         pthread_mutex_unlock(&other);
       }
     }},
    {"rwlocks", [](dice& chance) {
       for (;; pthread_testcancel()) {
         chance.once_in(3) ? pthread_rwlock_wrlock(&rwlock) : pthread_rwlock_rdlock(&rwlock);
         if (chance.once_in(4)) sched_yield();
         pthread_rwlock_unlock(&rwlock);
       }
     }},
    {"barriers", [](dice&) {
       pthread_barrier_t one;
       pthread_barrier_init(&one, nullptr, 1);
       for (;; pthread_testcancel()) pthread_barrier_wait(&one);
     }},
    {"yields", [](dice&) { for (;; pthread_testcancel()) sched_yield(); }},
    {"futex", [](dice&) {
       const timespec limit{0, 100'000};
       for (;; pthread_testcancel()) futex(&word, FUTEX_WAIT_PRIVATE, 0, &limit);
     }},
    {"disabled", [](dice& chance) {
       for (;; pthread_testcancel()) {
         pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
         const timespec limit = soon(CLOCK_REALTIME, 100);
         sem_timedwait(&none, &limit);
         if (chance.once_in(4)) usleep(10);
         if (chance.once_in(4)) sched_yield();
         pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
       }
     }},
    {"threads", [](dice&) {
       for (;; pthread_testcancel()) {
         pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
         pthread_t thread;
         if (pthread_create(&thread, nullptr, [](void*) -> void* { return nullptr; }, nullptr) == 0)
           pthread_join(thread, nullptr);
         pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
       }
     }},
};

struct life {
  unsigned as = 0;
  std::uint64_t seed = 0;
  const state* in = nullptr;
};

void* live(void* given) {
  const life me = *static_cast<life*>(given);
  notes_as = 1 + me.as;
  dice chance(me.seed);
  pthread_cleanup_push([](void*) { ++cleaned; }, nullptr);
  note(me.in->name);
  if (chance.once_in(2)) sched_yield();
  me.in->enter(chance);
  for (;; sched_yield()) pthread_testcancel();
  pthread_cleanup_pop(0);
  return nullptr;
}

void prepare() {
  sem_init(&none, 0, 0), sem_init(&some, 0, 0), sem_init(&shared, 1, 0);
  pthread_condattr_t of_all;
  pthread_condattr_init(&of_all);
  pthread_condattr_setpshared(&of_all, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&of_processes, &of_all);
  if (pipe(silent) != 0 || pipe(chatty) != 0 || pipe(full) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
    std::exit(2);
  fcntl(full[1], F_SETFL, O_NONBLOCK);
  while (write(full[1], &byte, 1) == 1) {
  }
  fcntl(full[1], F_SETFL, 0);
  fcntl(chatty[1], F_SETFL, O_NONBLOCK);
  // Files without a name, so that none is left when the process is killed.
  char name[64];
  std::snprintf(name, sizeof name, "/tmp/weir-fault-%d", static_cast<int>(getpid()));
  if (mkfifo(name, 0600) != 0) std::exit(2);
  std::snprintf(fifo, sizeof fifo, "/proc/self/fd/%d", open(name, O_PATH | O_CLOEXEC));
  unlink(name);
  std::snprintf(locked, sizeof locked, "/proc/self/fd/%d", memfd_create("locked", MFD_CLOEXEC));
}

}  // namespace

int main(int n, char** words) {
  const asked arguments(n, words);
  prepare();
  const char* const only = n > 4 ? words[4] : nullptr;
  dice chance(arguments.seed);
  std::thread beside_them([] {
    notes_as = 40;
    const int own = open(locked, O_RDONLY | O_CLOEXEC);
    while (!ends) {
      flock(own, LOCK_EX);
      usleep(100);
      flock(own, LOCK_UN);
      sem_post(&some), pthread_cond_signal(&often), (void)!write(chatty[1], &byte, 1);
      usleep(50);
    }
  });
  beside = beside_them.native_handle();
  constexpr unsigned at_once = 8;
  for (long round = 0; round < arguments.rounds; round += at_once) {
    note_round(round);
    pthread_t threads[at_once];
    life lives[at_once];
    bool there[at_once];
    cleaned = 0;
    for (unsigned i = 0; i < at_once; ++i) {
      lives[i] = {i, chance.next(), &states[chance.below(std::size(states))]};
      if (only != nullptr)
        while (std::strcmp(lives[i].in->name, only) != 0) lives[i].in = &states[chance.below(std::size(states))];
      there[i] = pthread_create(&threads[i], nullptr, live, &lives[i]) == 0;
      expect(there[i], "pthread_create");
      if (chance.once_in(3)) pause_below(chance, 200);
    }
    if (chance.once_in(2)) pause_below(chance, 3000);
    for (unsigned left = at_once; left > 0;) {
      const unsigned which = chance.below(at_once);
      if (!there[which]) continue;
      note("cancels");
      expect(pthread_cancel(threads[which]) == 0, "pthread_cancel");
      if (chance.once_in(2)) {
        there[which] = false;
        --left;
        char text[note_bytes];
        std::snprintf(text, sizeof text, "joins %u", which);
        note(text);
        void* result = nullptr;
        const int error = pthread_join(threads[which], &result);
        expect(error == 0 && result == PTHREAD_CANCELED, "the result of a cancelled thread");
      }
    }
    expect(cleaned == static_cast<int>(at_once), "cleanup handlers", cleaned, at_once);
    expect(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_trylock(&other) == 0, "a mutex is still locked");
    pthread_mutex_unlock(&mutex), pthread_mutex_unlock(&other);
    expect(pthread_rwlock_trywrlock(&rwlock) == 0, "a read-write lock is still locked");
    pthread_rwlock_unlock(&rwlock);
  }
  note_round(arguments.rounds);
  ends = true;
  beside_them.join();
  std::puts("ok");
}
