#include "liveness.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

#include "system/read_by_kernel.hpp"
#include "system/stat_field.hpp"

namespace weir::node {

namespace {

constexpr std::int64_t ended = -1, unknown = -2;

// The start time of a process, in the kernel's ticks; unknown if it cannot be read: no file can be opened, or there is no /proc.
// A zombie has ended. But a process of which only the first thread has ended is shown as a zombie too, with other threads.
// Without memory of the heap: a process that has none left may wait for one that has ended.
std::int64_t began(std::int64_t process) {
  if (kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) return ended;
  char name[40], text[1024];
  std::snprintf(name, sizeof name, "/proc/%lld/stat", static_cast<long long>(process));
  text_by_kernel(name, text);
  constexpr unsigned state = 3, threads = 20, started = 22;
  const char* const start = stat_field(text, started);
  if (start == nullptr) return unknown;
  const char is = *stat_field(text, state);
  if (is == 'X' || (is == 'Z' && std::strtol(stat_field(text, threads), nullptr, 10) < 2)) return ended;
  return std::strtoll(start, nullptr, 10);
}

// Unknown if /proc shows another PID name space, where the same number belongs to another process.
std::int64_t began_myself() {
  char said[32] = {};
  const bool is_own = readlink("/proc/self", said, sizeof said - 1) > 0 && std::strtol(said, nullptr, 10) == getpid();
  return is_own ? began(getpid()) : unknown;
}

std::uint64_t name_space() {
  struct stat found;
  return stat("/proc/self/ns/pid", &found) == 0 ? static_cast<std::uint64_t>(found.st_ino) : 0;
}

}  // namespace

void liveness::enter() {
  entry& me = entries_[index_];
  me.process = getpid();
  me.started = began_myself();
  // release: all of it, for find_ended().
  me.numbered_in.store(name_space(), std::memory_order_release);
}

int liveness::abandoned_because_of() const {
  for (unsigned i = 0; i < count_; ++i)
    // relaxed: it is read now and then, and orders nothing.
    if (const int because_of = entries_[i].gave_up.load(std::memory_order_relaxed); because_of != 0) return because_of - 1;
  return -1;
}

int liveness::find_ended() {
  const std::uint64_t here = entries_[index_].numbered_in.load(std::memory_order_relaxed);
  // A few in each call, beginning with the neighbour: if many processes wait, each process is soon checked by one of them.
  for (unsigned checked = 0; checked < 8; ++checked, next_checked_ = (next_checked_ + 1) % count_) {
    const entry& it = entries_[next_checked_];
    // A process that has not entered yet has no name space; a number of another name space means nothing here.
    // acquire: pairs with the release in enter(); the process's number and start time are visible.
    if (next_checked_ == index_ || it.numbered_in.load(std::memory_order_acquire) != here || it.started < 0) continue;
    if (const std::int64_t now = began(it.process); now == it.started || now == unknown) continue;
    return static_cast<int>(next_checked_);
  }
  return -1;
}

void liveness::give_up(int because_of) noexcept { entries_[index_].gave_up.store(1 + because_of, std::memory_order_relaxed); }

}  // namespace weir::node
