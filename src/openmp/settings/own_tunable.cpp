// What `weir run` asks of the C library for this process alone (python/weir/run/starting.py): the C library reads it from the
// environment before any other code runs, and the programs that this process starts shall not inherit it.
#include <cstring>
#include <string_view>

#include <unistd.h>

namespace weir::openmp {

namespace {

constexpr std::string_view variable = "GLIBC_TUNABLES=";
// One byte more than 1 GiB: a number that nobody else asks for, so what the user asks for stays.
constexpr std::string_view asked = "glibc.pthread.stack_cache_size=1073741825";

// Not by unsetenv(): a program may have its own, as shells do, and is not ready to run yet.
[[gnu::constructor(101)]] void when_loaded() {
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    if (!std::string_view(*each).starts_with(variable)) continue;
    char* const value = *each + variable.size();
    if (!std::string_view(value).starts_with(asked)) return;
    char* const behind = value + asked.size();
    if (*behind == ':') {
      std::memmove(value, behind + 1, std::strlen(behind + 1) + 1);
    } else if (*behind == 0) {
      do each[0] = each[1];
      while (*each++ != nullptr);
    }
    return;
  }
}

}  // namespace

}  // namespace weir::openmp
