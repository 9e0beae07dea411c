#include "busy.hpp"

#include <csignal>
#include <cstdlib>
#include <sys/prctl.h>
#include <unistd.h>

#include "binding.hpp"

namespace bench {

void burn(int processor, bool within_session) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!within_session) setsid();
  bind_to(processor);
  for (;;) asm volatile("" ::: "memory");  // the compiler must believe that the loop does something
}

}  // namespace bench
