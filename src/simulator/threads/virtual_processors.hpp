// Executes an operation of virtual processors again and again, on a processor of the machine each, and says what it took.
#pragma once

#include <cstdint>

#include "simulator/model.hpp"

namespace weir::simulator::threads {

enum class operation {
  yield,           ///< to another member of the same processor
  push,            ///< a member goes to another processor, which has others or looks for some
  push_to_sleeper, ///< the same, to one whose thread sleeps
  sleep_and_wake,  ///< a member wakes one of another processor, and sleeps on a word of its own
  look,            ///< a processor without members looks for some of others, in vain
  steal,           ///< and takes them from one that does not come to them
};

/// Of one operation, in the mean.
struct counts {
  double lines = 0;        // transfers
  double one_line = 0;     // of the line that moves most often
  double updates = 0;      // atomic
  double calls = 0;        // system calls, fences among them
  double woken = 0;        // threads
  double fences = 0;       // membarriers
  double interrupted = 0;  // processors, by these
  std::uint64_t done = 0;  // operations counted
};

/// `members`: in all, divided among the processors; a multiple of their number.
counts measure(const machine_model& m, operation what, unsigned processors, unsigned members);

}  // namespace weir::simulator::threads
