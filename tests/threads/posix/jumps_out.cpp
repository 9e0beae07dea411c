// A handler of the program leaves a wait by a jump. Afterwards the thread waits, sees signals and ends as any other.
#include "threads.hpp"

#include <csetjmp>

#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>

namespace {

thread_local sigjmp_buf before_wait;
thread_local volatile sig_atomic_t waits = 0;
std::atomic<int> heard{0};

void handle(int number, void (*by)(int)) {
  struct sigaction action {};
  action.sa_handler = by;
  CHECK(sigaction(number, &action, nullptr) == 0);
}

/// Threads leave wait(), which does not end, by a jump, a few times, and then block in a read.
template <class Wait>
void leave(Wait wait) {
  handle(SIGUSR1, [](int) {
    if (waits == 0) return;
    waits = 0;
    siglongjmp(before_wait, 1);
  });
  handle(SIGUSR2, [](int) { ++heard; });
  heard = 0;
  constexpr int jumps = 5;
  struct leaver {
    std::atomic<bool> is_there{false};
    std::atomic<int> left{0};
    pthread_t thread{};
    int pipe[2] = {};
  };
  std::vector<leaver> leavers(static_cast<std::size_t>(members));
  for (leaver& each : leavers) CHECK(pipe(each.pipe) == 0);
  const pthread_t sender = start([&]() -> void* {
    for (leaver& each : leavers)
      CHECK(soon([&] {
        if (each.is_there && each.left < jumps) pthread_kill(each.thread, SIGUSR1);
        return each.left == jumps;
      }));
    sleep_for(0.005);  // most block in the read by now
    for (const leaver& each : leavers) CHECK(pthread_kill(each.thread, SIGUSR2) == 0);
    CHECK(soon([] { return heard == members; }));
    for (const leaver& each : leavers) CHECK(write(each.pipe[1], "", 1) == 1);
    return nullptr;
  });
  team([&](int number) {
    leaver& me = leavers[static_cast<std::size_t>(number)];
    me.thread = pthread_self();
    me.is_there = true;
    while (me.left < jumps) {
      if (sigsetjmp(before_wait, 1) == 0) {
        waits = 1;
        for (;;) wait();
      }
      ++me.left;
    }
    char got = 0;
    ssize_t bytes = -1;
    while ((bytes = read(me.pipe[0], &got, 1)) < 0 && errno == EINTR) {
    }
    CHECK(bytes == 1);
  });
  result_of(sender);
  for (const leaver& each : leavers) close(each.pipe[0]), close(each.pipe[1]);
}

sem_t never;
void yields() { leave([] { sched_yield(); }); }
void semaphores() {
  sem_init(&never, 0, 0);
  leave([] { sem_wait(&never); });
}
void semaphores_with_limits() {
  sem_init(&never, 0, 0);
  leave([] {
    const timespec limit = in(0.002);
    sem_timedwait(&never, &limit);
  });
}
void mutexes() {
  static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&taken);
  leave([] { pthread_mutex_lock(&taken); });
}
void futexes() {
  static std::uint32_t word = 0;
  leave([] { syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0); });
}
void changes_of_masks() {
  leave([] {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    sched_yield();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  });
}

const subject subjects[] = {{"yields", yields},
                            {"semaphores", semaphores},
                            {"semaphores with limits", semaphores_with_limits},
                            {"mutexes", mutexes},
                            {"futexes", futexes},
                            {"changes of masks", changes_of_masks}};

}  // namespace

int main() { return run_all(subjects); }
