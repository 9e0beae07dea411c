#include "run_delay.hpp"

#include <cstdio>
#include <cstdlib>

#include "read_by_kernel.hpp"

namespace weir {

namespace {
std::optional<run_times> said_in(const char* name) {
  char said[96];
  if (text_by_kernel(name, said) == 0) return std::nullopt;
  // The time that it has run, the time that it has waited, and how often it has begun to run.
  char* second = nullptr;
  const std::uint64_t ran = std::strtoull(said, &second, 10);
  return run_times{ran, std::strtoull(second, nullptr, 10)};
}
}  // namespace

std::uint64_t run_delay_ns() {
  const auto said = said_in("/proc/thread-self/schedstat");
  return said ? said->delayed : 0;
}

std::optional<run_times> run_times_of(pid_t thread) {
  char name[64];
  std::snprintf(name, sizeof name, "/proc/self/task/%d/schedstat", static_cast<int>(thread));
  return said_in(name);
}

}  // namespace weir
