#include "openmp/settings/in_force.hpp"

#include <cstdlib>

#include <malloc.h>
#include <sys/resource.h>

#include "openmp/settings/initial.hpp"
#include "openmp/support/annotation.hpp"
#include "threads/threads.hpp"

namespace weir::openmp::seldom {

constinit std::uint8_t in_force = 0;

// Virtual processors, and those that serve them, take 130 MiB, most of it for the C library's heap of the thread that creates
// them (docs/process.md). Where that is more than an eighth, the program may lack it for stacks of its own.
bool address_space_is_scarce() {
  constexpr rlim_t enough = 8 * (rlim_t{130} << 20);
  rlimit most;
  return getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY && most.rlim_cur < enough;
}

namespace {
[[gnu::constructor]] void when_loaded() {
  const settings& s = initial_settings();
  if (!s.places.empty() || s.display_affinity) in_force |= affinity;
  if (s.cancellation) in_force |= cancellation;
  if (annotated()) in_force |= annotation;
  // For each thread that allocates memory the C library reserves 64 MiB, up to eight times for each processor, and the workers of
  // a team do.
  const bool is_scarce = address_space_is_scarce();
  if (is_scarce && std::getenv("MALLOC_ARENA_MAX") == nullptr) mallopt(M_ARENA_MAX, 1);
  // Three settings and a small address space need kernel threads: only kernel threads can be bound; ThreadSanitizer knows no
  // others; and the search for deadlocks asks the kernel which threads sleep.
  if (s.threads != threads_of::kernel && (in_force & (affinity | annotation)) == 0 && s.deadlocks == deadlocks::ignore &&
      !is_scarce && threads::why_not_here() == nullptr)
    in_force |= virtual_processors;
  if ((s.threads == threads_of::every || s.threads == threads_of::automatic) && (in_force & virtual_processors) != 0)
    threads::make_all_members(
        static_cast<unsigned>(s.processors), s.adapt && s.share != share_with::node,
        s.threads == threads_of::every ? threads::seats_for::all_that_wait : threads::seats_for::some_that_poll);
}
}  // namespace

}  // namespace weir::openmp::seldom
