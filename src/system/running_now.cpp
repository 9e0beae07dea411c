#include "running_now.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <dirent.h>
#include <unistd.h>

#include "read_by_kernel.hpp"
#include "stat_field.hpp"

namespace weir {

namespace {

constexpr const char* own_threads = "/proc/self/task";

bool runs(const char* of, const char* which) {
  char name[64], said[256];
  std::snprintf(name, sizeof name, "%s/%.24s/stat", of, which);
  return text_by_kernel(name, said) != 0 && runs_in(said);
}

/// Where there are many, all count, since each is a file to read.
unsigned own_running() {
  constexpr unsigned most_read = 64;
  unsigned seen = 0, running = 0;
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(opendir(own_threads), closedir);
  for (const dirent* d; threads != nullptr && (d = readdir(threads.get())) != nullptr;) {
    if (d->d_name[0] == '.') continue;
    if (++seen <= most_read) running += runs(own_threads, d->d_name) ? 1 : 0;
  }
  return seen <= most_read ? running : seen;
}

bool parent_runs() {
  char which[16];
  std::snprintf(which, sizeof which, "%d", static_cast<int>(getppid()));
  return runs("/proc", which);
}

}  // namespace

// Three averages, then "running/all", then a process: "0.20 0.18 0.12 1/80 11206".
std::optional<unsigned> running_in(const char* loadavg) {
  for (int averages = 3; averages != 0 && loadavg != nullptr; --averages) {
    loadavg = std::strchr(loadavg, ' ');
    if (loadavg != nullptr) ++loadavg;
  }
  if (loadavg == nullptr || std::strspn(loadavg, "0123456789") == 0) return std::nullopt;
  char* end = nullptr;
  const unsigned long running = std::strtoul(loadavg, &end, 10);
  return *end == '/' ? std::optional(static_cast<unsigned>(running)) : std::nullopt;
}

bool runs_in(const char* stat) {
  constexpr unsigned state = 3;
  const char* const is = stat_field(stat, state);
  return is != nullptr && *is == 'R';
}

std::optional<unsigned> running_now() {
  char said[96];
  return text_by_kernel("/proc/loadavg", said) != 0 ? running_in(said) : std::nullopt;
}

std::optional<unsigned> others_running() {
  const auto running = running_now();
  if (!running || *running <= 1) return running ? std::optional(0u) : std::nullopt;
  const unsigned own = own_running() + (parent_runs() ? 1 : 0);
  return *running > own ? *running - own : 0;
}

}  // namespace weir
