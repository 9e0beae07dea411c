// Members have time limits after all threads of the process have slept for long, and Weir's monitor with them. Prints "ok".
//
// A child process that was forked first sees from outside that the monitor rests: the process itself does nothing for that.
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../seats.hpp"

namespace {

constexpr int rounds = 2, threads = 8, patience_ms = 20'000;
sem_t goes_on, ends, never;
std::atomic<int> seated{0};
int asks[2], answers[2];

std::string text_of(const std::string& path) {
  char text[128] = {};
  if (FILE* const file = std::fopen(path.c_str(), "r")) {
    (void)!std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
  }
  return text;
}
bool waits_without_limit(const std::string& its_call) {
  long number = 0;
  unsigned long set = 0, info = 0, limit = 0;
  return std::sscanf(its_call.c_str(), "%ld %lx %lx %lx", &number, &set, &info, &limit) == 4 && number == SYS_rt_sigtimedwait &&
         limit == 0;
}
/// Does the monitor wait, without a limit, for the signal by which the kernel says that the process computes, or by which
/// somebody wakes it?
bool monitor_rests(pid_t of) {
  const std::string tasks = "/proc/" + std::to_string(of) + "/task/";
  bool rests = false;
  if (DIR* const folder = opendir(tasks.c_str())) {
    while (const dirent* const each = readdir(folder))
      if (text_of(tasks + each->d_name + "/comm") == "weir-monitor\n")
        rests = waits_without_limit(text_of(tasks + each->d_name + "/syscall"));
    closedir(folder);
  }
  return rests;
}
bool answer_comes() {
  char byte = 0;
  pollfd polled{answers[0], POLLIN, 0};
  return poll(&polled, 1, patience_ms) == 1 && read(answers[0], &byte, 1) == 1;
}
/// 0: all is well; 1: a limit does not end; 2: the monitor does not rest.
int watch(pid_t parent) {
  close(answers[1]);
  if (!answer_comes()) return 2;
  for (int round = 0; round < rounds; ++round) {
    int looks = 0;
    while (!monitor_rests(parent)) {
      if (++looks == 3000) return 2;
      usleep(20'000);
    }
    if (write(asks[1], "", 1) != 1 || !answer_comes()) return 1;
  }
  return 0;
}

void wait_for(sem_t& semaphore) {
  while (sem_wait(&semaphore) != 0) {
  }
}
void take_seat() {
  while (!has_seat()) sched_yield();
  ++seated;
}
void wait_with_limits() {
  take_seat();
  for (int round = 0; round < rounds; ++round) {
    wait_for(goes_on);
    timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 5'000'000;
    if (until.tv_nsec >= 1'000'000'000) ++until.tv_sec, until.tv_nsec -= 1'000'000'000;
    while (sem_clockwait(&never, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
    }
    (void)!write(answers[1], "", 1);
  }
}

}  // namespace

int main() {
  if (pipe(asks) != 0 || pipe(answers) != 0) return 1;
  const pid_t parent = getpid(), child = fork();
  if (child == 0) _exit(watch(parent));
  for (sem_t* const each : {&goes_on, &ends, &never}) sem_init(each, 0, 0);
  std::vector<std::thread> started;
  started.emplace_back(wait_with_limits);
  for (int i = 1; i < threads; ++i)
    started.emplace_back([] {
      take_seat();
      wait_for(ends);
    });
  while (seated < threads) usleep(1000);
  (void)!write(answers[1], "", 1);
  close(asks[1]);
  for (char byte; read(asks[0], &byte, 1) == 1;) sem_post(&goes_on);  // until the child has ended
  int status = -1;
  waitpid(child, &status, 0);
  const int what = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::puts(what == 0 ? "ok" : what == 1 ? "a limit does not end" : "the monitor does not rest");
  std::fflush(stdout);
  _exit(what);
}
