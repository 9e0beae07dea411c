// How many processors a program sees, and which, where it asks the C library (WEIR_PROCESSORS).
//
// A program makes as many threads as it sees processors. In a container with a CPU quota it sees those of the whole machine. With
// WEIR_PROCESSORS=auto, which `weir run` sets, it sees as many as it can use: those of the affinity mask that it began with,
// at most the quota, rounded up.
//
// A mask with fewer processors than the true one has to name some. It names the one on which the process loaded the library, and
// those that follow. So two containers with a quota that bind their threads by the mask they see are not both bound to the first
// processors of the machine. A program that sets the mask that it sees, for example to restore it, wants no restriction: it gets
// the true mask. Programs whose work is masks see the true one (hears_the_truth).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <sched.h>
#include <sys/types.h>

namespace weir::visible {

/// How many of the mask's processors a program sees; none: all of them. `said`: the variable's text; `machine`, and a text that
/// is no valid value, mean all.
std::optional<unsigned> how_many(std::string_view said, unsigned in_mask, std::optional<double> quota);
/// Programs that set masks for others, or show the machine, by the name of their file.
bool hears_the_truth(std::string_view program);

/// Of the mask, `count` processors: `first` or the next one after it, and those that follow; after the last comes the first.
void keep(std::size_t bytes, cpu_set_t* mask, unsigned count, int first);

// This process. Thread-safe. The first call finds out; if it allocates, and the allocator asks for the number of processors, that
// nested call sees the true number.

/// How many processors it sees; none: the true number.
std::optional<unsigned> processors();
/// One more than the highest number that a processor of this process has. A program may have an array of
/// sysconf(_SC_NPROCESSORS_CONF) elements, and index it by sched_getcpu().
std::optional<unsigned> highest();
/// False: another process's mask, which the program sees as it is.
bool is_of_this_process(pid_t thread);
/// Reduces a thread's mask to the processors that the program sees.
void reduce(std::size_t bytes, cpu_set_t* mask);

struct affinity_mask {
  std::size_t bytes;
  const cpu_set_t* set;
};
/// The mask to set in the kernel where a program sets this one.
affinity_mask meant(affinity_mask);

}  // namespace weir::visible
