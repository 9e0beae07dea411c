#include "busy.hpp"

#include <csignal>
#include <thread>

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "binding.hpp"

namespace bench {

namespace {
void end_with_input() {
  struct stat status;
  if (fstat(STDIN_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  std::thread([] {
    for (char byte; read(STDIN_FILENO, &byte, 1) > 0;) {
    }
    _exit(0);
  }).detach();
}
}  // namespace

void burn(int processor, bool within_session) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  end_with_input();
  if (!within_session) setsid();
  bind_to(processor);
  for (;;) asm volatile("" ::: "memory");  // the compiler must believe that the loop does something
}

}  // namespace bench
