// The kernel knows which thread has made a child: that thread alone traces it, and awaits it by __WNOTHREAD, and a child that
// asks for it gets a signal when that thread ends. Threads of the program do so as members, too.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

constexpr int threads = 8, rounds = 5;
std::atomic<int> wrong{0};
#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) ++wrong, std::fprintf(stderr, "%d: %s\n", __LINE__, #condition); \
  } while (false)

void yield_often() {
  for (int i = 0; i < 50; ++i) sched_yield();
}

/// As a debugger does.
void traces() {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGUSR2);
    _exit(5);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR2);
  yield_often();
  const bool continued = ptrace(PTRACE_CONT, child, 0, 0) == 0;
  CHECK(continued);
  if (!continued) kill(child, SIGKILL);
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

void awaits(bool by_spawn) {
  static char path[] = "/bin/true";
  char* const words[] = {path, nullptr};
  pid_t child = 0;
  if (by_spawn)
    CHECK(posix_spawn(&child, path, nullptr, nullptr, words, environ) == 0);
  else if ((child = fork()) == 0)
    _exit(0);
  yield_often();
  int status = 1;
  CHECK(waitpid(child, &status, __WNOTHREAD) == child && status == 0);
}

/// The child ends with this thread, and not before.
std::atomic<pid_t> left_behind[threads];
void leaves_child(int which) {
  int told[2];
  CHECK(pipe(told) == 0);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)!write(told[1], "r", 1);
    for (;;) pause();
  }
  char ready;
  CHECK(read(told[0], &ready, 1) == 1);
  close(told[0]), close(told[1]);
  yield_often();
  CHECK(waitpid(child, nullptr, WNOHANG) == 0);
  left_behind[which] = child;
}

void* run(void* given) {
  const int which = static_cast<int>(reinterpret_cast<long>(given));
  for (int i = 0; i < rounds; ++i) {
    yield_often();
    traces();
    awaits(false);
    awaits(true);
  }
  leaves_child(which);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t created[threads];
  for (long i = 0; i < threads; ++i) CHECK(pthread_create(&created[i], nullptr, run, reinterpret_cast<void*>(i)) == 0);
  for (const pthread_t each : created) pthread_join(each, nullptr);
  for (const pid_t child : left_behind) {
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
  if (wrong == 0) std::puts("ok");
  return wrong != 0;
}
