// The traps of one processor (pause_traps.hpp). For the monitor's thread alone.
#pragma once

#include <cstdint>

#include <sys/types.h>

namespace weir::threads {

struct pause_traps {
  static constexpr unsigned most = 2;  // of the four breakpoints of a thread; debuggers have the others
  struct trap {
    int file = -1;
    std::uintptr_t at = 0;
  };
  trap all[most];
  unsigned next = 0;           // to be replaced
  pid_t of = 0;                // the kernel thread
  unsigned generation = 0;     // of the monitor's thread
  unsigned looks_in_vain = 0;  // in a row
  bool are_on = false;
};

}  // namespace weir::threads
