#include "openmp/support/error_output.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/fork_page.hpp"
#include "system/raw_call.hpp"

namespace weir::openmp {

namespace {
constinit int kept = -1;
constinit dev_t device = 0;
constinit ino_t number = 0;

bool is_error_output(int file) {
  struct stat now {};
  return fstat(file, &now) == 0 && now.st_dev == device && now.st_ino == number;
}
WEIR_RUN_BY_FORKS void begin_in_child() {
  if (kept < 0) return;
  if (is_error_output(kept)) close(kept);
  kept = -1;
}
}  // namespace

void keep_error_output() {
  struct stat now {};
  if (fstat(STDERR_FILENO, &now) != 0) return;
  device = now.st_dev;
  number = now.st_ino;
  // The child of a fork may outlive the program, and whoever reads from a pipe waits until nobody has its end.
  pthread_atfork(nullptr, nullptr, begin_in_child);
  // Far up, since programs expect the lowest numbers for files of their own; low enough for a small limit.
  for (const int least : {512, 32, 3})
    if ((kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, least)) >= 0) return;
}

void write_to_kept_error_output(std::string_view text) {
  // The program may have closed the copy, and have another file by that number.
  const int to = kept >= 0 && is_error_output(kept) ? kept : is_error_output(STDERR_FILENO) ? STDERR_FILENO : -1;
  if (to < 0) return;
  while (!text.empty()) {
    const long written = raw_call(SYS_write, to, as_argument(text.data()), static_cast<long>(text.size()));
    if (written == -EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace weir::openmp
