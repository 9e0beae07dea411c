// The kernel threads of this process, and how they keep to the processors that it is granted: by their affinity masks.
//
// It is for threads that Weir does not switch: teams of kernel threads, other libraries' pools. A mask that the program has set
// itself stays. The first thread of the process has no such mask either, since it is the one that starts other programs, which
// would inherit it: where it is found on another processor, it is moved once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

#include "machine/processor_set.hpp"

namespace weir::node {

class confinement {
 public:
  /// What a thread is here: one like others; one whose mask is always set, since the program does not know of it; one that finds
  /// its processors otherwise.
  enum class kind { usual, always, never };
  using kind_of = kind (*)(pid_t);

  /// What the threads have done since the last look.
  struct activity {
    unsigned computing = 0;     // threads that have, at least for half a millisecond
    // For how long those that compute have waited for processors, if it was asked, and at the look before, too; in nanoseconds.
    std::uint64_t delayed = 0;
  };

  /// Empty: threads can be listed. Otherwise why not: they then keep to nothing.
  static std::string why_not();
  /// Lists the threads, except the calling one. To ask how long they have waited takes some 4 us for each thread that computes.
  activity look(kind_of, bool asks_delays);
  /// The listed threads keep to `granted` from now on. `usable`: what the process may use, the masks of its threads otherwise.
  void keep_to(const processor_set& granted, const processor_set& usable);
  /// The threads may use `usable` again.
  void end();
  /// In the child of a fork, whose thread has inherited a mask. Takes no memory.
  void free_child() const;
  /// The calling thread starts a program, which inherits its mask: from here to end_start() it has the whole one. Neither takes
  /// memory.
  void begin_start();
  void end_start();
  /// Is the first thread of the process still there? Known from the last look.
  bool first_is_there() const { return first_is_there_; }

 private:
  struct thread {
    pid_t id;
    kind what;
    std::uint64_t used = 0;  // of processor time
    bool is_new = true, is_there = true, confined = false;
    std::optional<std::uint64_t> delayed{};  // as the system said at the last look, if it was asked
  };

  void confine(thread& t, const processor_set& granted, const processor_set& usable) const;
  bool is_ours(const thread& t, const processor_set& mask, const processor_set& usable) const;
  bool starts(pid_t id) const;

  std::vector<thread> threads_;  // by id
  std::array<pid_t, 64> starting_{};  // threads that start a program now; 0: nobody
  pid_t process_ = getpid();
  processor_set usable_, last_, before_;  // what was granted last, and before
  bool in_force_ = false, first_is_there_ = true;
};

}  // namespace weir::node
