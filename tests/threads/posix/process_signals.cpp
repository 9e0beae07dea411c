// Signals for the process, while all its threads wait for each other: members sleep in user space, where no kernel thread handles
// a signal.
#include "../../retries.hpp"
#include "threads.hpp"

#include <semaphore.h>

namespace {

thread_local int its_number = -1;
std::atomic<long> handled{0}, by_number{-1}, came_from{0}, its_code{0}, its_value{0};

void note(int, siginfo_t* why, void*) {
  by_number = its_number;
  came_from = why->si_pid;
  its_code = why->si_code;
  its_value = why->si_code == SI_QUEUE ? why->si_value.sival_int : why->si_signo == SIGCHLD ? why->si_status : 0;
  ++handled;
}
void note(int number, int flags = 0) {
  struct sigaction action {};
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO | flags;
  CHECK(sigaction(number, &action, nullptr) == 0);
}
void change(int how, std::initializer_list<int> numbers) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : numbers) sigaddset(&signals, number);
  CHECK(pthread_sigmask(how, &signals, nullptr) == 0);
}

/// The thread that computes beside the others blocks nothing.
bool is_by(long number) { return by_number == number || (beside_spinning && by_number == -1); }

/// The process to be looked at: a program executed anew, since the child of a fork has no members. `run` never returns.
int as_program(const char* name, const std::function<void(pid_t)>& look) {
  int ready[2];
  CHECK(pipe(ready) == 0);
  setenv("WEIR_TEST_PROGRAM", name, 1);
  setenv("WEIR_TEST_READY", std::to_string(ready[1]).c_str(), 1);
  pid_t child = 0;
  char program[] = "/proc/self/exe";
  char* const arguments[] = {program, nullptr};
  // In a group of its own: the kernel ignores SIGTSTP in a group whose parent belongs to another session.
  posix_spawnattr_t apart;
  posix_spawnattr_init(&apart);
  posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETPGROUP);
  CHECK(posix_spawn(&child, program, nullptr, &apart, arguments, environ) == 0);
  posix_spawnattr_destroy(&apart);
  unsetenv("WEIR_TEST_PROGRAM");
  close(ready[1]);
  char byte = 0;
  CHECK(read(ready[0], &byte, 1) == 1);
  close(ready[0]);
  sleep_for(0.05);  // the last thread goes to sleep
  look(child);
  int status = 0;
  if (!soon([&] { return waitpid(child, &status, WNOHANG) == child; })) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
  }
  return status;
}
/// For that program: all its threads wait, for ever.
void all_wait() {
  static sem_t never;
  sem_init(&never, 0, 0);
  const int ready = std::atoi(std::getenv("WEIR_TEST_READY"));
  static std::atomic<int> waiting{0};
  for (int i = 0; i < 6; ++i)
    start([i] {
      its_number = i + 1;
      ++waiting;
      while (sem_wait(&never) != 0 || handled == 0) {
      }
      return nullptr;
    });
  CHECK(soon([] { return waiting == 6; }));
  its_number = 0;
  CHECK(write(ready, "r", 1) == 1);
  while (handled == 0) sem_wait(&never);
}

void ends() {
  for (const int number : {SIGTERM, SIGINT, SIGUSR2, SIGRTMIN}) {
    const int status = as_program("waits", [&](pid_t process) { kill(process, number); });
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == number);
  }
}
/// What has no effect leaves it waiting; it stops, goes on, and ends.
void stops() {
  const int status = as_program("waits", [](pid_t process) {
    for (const int number : {SIGCHLD, SIGURG, SIGWINCH}) kill(process, number);
    int now = 0;
    for (const int number : {SIGTSTP, SIGSTOP}) {
      kill(process, number);
      CHECK(soon([&] { return waitpid(process, &now, WUNTRACED | WNOHANG) == process; }));
      CHECK(WIFSTOPPED(now) && WSTOPSIG(now) == number);
      kill(process, SIGCONT);
      CHECK(soon([&] { return waitpid(process, &now, WCONTINUED | WNOHANG) == process; }));
      CHECK(WIFCONTINUED(now));
    }
    kill(process, SIGTERM);
  });
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

/// The first thread handles it, while it waits, and its wait ends by that, or goes on.
void in_the_first_thread() {
  its_number = 0;
  change(SIG_BLOCK, {SIGUSR1, SIGRTMIN});
  const others so_many;
  const pid_t me = getpid();
  for (const int flags : {0, SA_RESTART}) {
    for (const int number : {SIGUSR1, SIGRTMIN}) {
      note(number, flags);
      for (int i = 0; i < 20; ++i) {
        sem_t none;
        sem_init(&none, 0, 0);
        const long before = handled;
        const pid_t sender = fork();
        if (sender == 0) {
          sleep_for(i % 2 == 0 ? 0.005 : 0);
          sigval value{};
          value.sival_int = 7 + i;
          _exit(number == SIGUSR1 ? kill(me, number) : sigqueue(me, number, value));
        }
        const pthread_t one = start([&]() -> void* {
          CHECK(soon([&] { return handled == before + 1; }));
          sleep_for(0.002);
          sem_post(&none);
          return nullptr;
        });
        change(SIG_UNBLOCK, {number});
        const int error = error_of(sem_wait(&none));
        // It may have come before the wait began.
        CHECK(error == 0 || (error == EINTR && flags == 0));
        result_of(one);
        change(SIG_BLOCK, {number});
        CHECK(handled == before + 1 && is_by(0));
        if (number == SIGRTMIN) CHECK(came_from == sender && its_code == SI_QUEUE && its_value == 7 + i);
        waitpid(sender, nullptr, 0);
      }
    }
  }
}

/// It says what the kernel says to a thread that waits there, and ends the wait.
void tells_of_a_child() {
  its_number = 0;
  change(SIG_BLOCK, {SIGCHLD});
  const others so_many;
  change(SIG_UNBLOCK, {SIGCHLD});
  note(SIGCHLD);
  sem_t none;
  sem_init(&none, 0, 0);
  int children = 0;
  CHECK(retries::holds("child: ended first", 20, [&] {
    bool has_ended_wait = beside_spinning;
    const pid_t child = fork();
    if (child == 0) {
      sleep_for(0.05);
      _exit(42);
    }
    const timespec limit = in(2);
    if (!beside_spinning) has_ended_wait = sem_timedwait(&none, &limit) == -1 && errno == EINTR;
    ++children;
    CHECK(soon([&] { return handled == children; }));
    CHECK(is_by(0));
    if (!beside_spinning) CHECK(came_from == child && its_code == CLD_EXITED && its_value == 42);
    waitpid(child, nullptr, 0);
    return has_ended_wait;
  }));
}

/// The first thread blocks it, all the others but one, too.
void in_the_one_that_does_not_block() {
  note(SIGUSR1, SA_RESTART);
  change(SIG_BLOCK, {SIGUSR1});
  const others so_many;
  std::atomic<bool> waits{false};
  sem_t none;
  sem_init(&none, 0, 0);
  its_number = 0;
  const pthread_t one = start([&]() -> void* {
    its_number = 5;
    waits = true;
    while (sem_wait(&none) != 0) {
    }
    change(SIG_UNBLOCK, {SIGUSR1});
    while (sem_wait(&none) != 0) {
    }
    return nullptr;
  });
  CHECK(soon([&] { return waits.load(); }));
  const pid_t me = getpid(), sender = fork();
  if (sender == 0) _exit(kill(me, SIGUSR1));
  waitpid(sender, nullptr, 0);
  sleep_for(0.02);
  CHECK(handled == 0 || beside_spinning);  // all block it: it is pending
  sem_post(&none);
  CHECK(soon([&] { return handled == 1; }));
  CHECK(is_by(5) && (came_from == sender || beside_spinning));  // to one that runs it comes as the process's own
  for (long i = 1; i <= 50; ++i) {
    kill(me, SIGUSR1);
    CHECK(soon([&] { return handled == i + 1; }));
    CHECK(is_by(5));
  }
  sem_post(&none);
  result_of(one);
}

/// All have blocked it since: who reads it there gets it.
void for_one_that_reads_it() {
  note(SIGUSR1);
  const others so_many;
  sem_t turn;
  sem_init(&turn, 0, 0);
  // The first thread has a seat, and does not block the signal.
  const pthread_t first = start([&] { return sem_post(&turn), nullptr; });
  while (sem_wait(&turn) != 0) {
  }
  result_of(first);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  change(SIG_BLOCK, {SIGUSR1});
  std::atomic<int> got{0};
  std::atomic<bool> ends{false};
  const pthread_t reads = start([&]() -> void* {
    while (!ends) {
      int number = 0;
      sigwait(&signals, &number);
      got += number == SIGUSR1;
      sem_post(&turn);
    }
    return nullptr;
  });
  // Threads that were created before do not block it, and may handle it instead.
  for (int i = 0; i < 20; ++i) {
    const long before = handled + got;
    kill(getpid(), SIGUSR1);
    CHECK(soon([&] { return handled + got == before + 1; }));
  }
  CHECK(handled == 0 || by_number != 0);
  ends = true;
  pthread_kill(reads, SIGUSR1);
  result_of(reads);
}

const subject subjects[] = {{"ends", ends},
                            {"stops", stops},
                            {"in the first thread", in_the_first_thread},
                            {"tells of a child", tells_of_a_child},
                            {"in the one that does not block", in_the_one_that_does_not_block},
                            {"for one that reads it", for_one_that_reads_it}};

}  // namespace

int main() {
  if (std::getenv("WEIR_TEST_PROGRAM") != nullptr) return all_wait(), verdict();
  return run_all(subjects);
}
