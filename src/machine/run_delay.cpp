#include "run_delay.hpp"

#include <cstdlib>

#include <fcntl.h>

#include "raw_call.hpp"

namespace weir {

std::uint64_t run_delay_ns() {
  const long file = raw_call(SYS_openat, AT_FDCWD, as_argument("/proc/thread-self/schedstat"), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char said[96];
  const long bytes = raw_call(SYS_read, file, as_argument(said), sizeof said - 1);
  raw_call(SYS_close, file);
  if (bytes <= 0) return 0;
  said[bytes] = 0;
  // The time that it has run, the time that it has waited, and how often it has begun to run.
  char* second = nullptr;
  std::strtoull(said, &second, 10);
  return std::strtoull(second, nullptr, 10);
}

}  // namespace weir
