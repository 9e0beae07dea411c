// How many processors a program hears of, and which, where it asks the C library (WEIR_PROCESSORS).
//
// A program makes as many threads as it hears of processors. In a container with a CPU quota it hears of the host's. With
// WEIR_PROCESSORS=auto, which `weir run` sets, it hears of as many as it can use: those of the affinity mask that it began with,
// at most the quota, rounded up.
//
// A mask with fewer processors than the true one has to name some. It names the one on which the process loaded the library, and
// those that follow: two containers with a quota that bind their threads by what they hear are not both bound to the first
// processors of the host. A program that sets the mask that it hears means no restriction, as one does that restores a mask: it
// gets the true one. Programs whose work is masks hear the truth (hears_the_truth).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <sched.h>
#include <sys/types.h>

namespace weir::visible {

/// How many of the mask's processors a program hears of; none: it hears the truth. `said`: the variable's text; `machine`, and
/// what is no such text, is the truth.
std::optional<unsigned> how_many(std::string_view said, unsigned in_mask, std::optional<double> quota);
/// Programs that set masks for others, or show the machine, by the name of their file.
bool hears_the_truth(std::string_view program);

/// Of the mask, `count` processors: `first` or the next one after it, and those that follow; after the last comes the first.
void keep(std::size_t bytes, cpu_set_t* mask, unsigned count, int first);

// This process. Thread-safe; while one thread finds out at the first call, it hears the truth if it calls again, as an allocator
// does that asks for the number of processors at its first allocation.

/// How many processors it hears of; none: the truth.
std::optional<unsigned> processors();
/// One more than the highest number that a processor of this process has. A program may have an array of
/// sysconf(_SC_NPROCESSORS_CONF) elements, and index it by sched_getcpu().
std::optional<unsigned> highest();
/// Other processes' masks are told as they are.
bool is_of_this_process(pid_t thread);
/// What the program hears of a thread's mask.
void reduce(std::size_t bytes, cpu_set_t* mask);

struct affinity_mask {
  std::size_t bytes;
  const cpu_set_t* set;
};
/// What a program means that sets this mask.
affinity_mask meant(affinity_mask);

}  // namespace weir::visible
