// Parallel regions: fork-join. The thread that encounters a region is the primary thread of its team; the others are workers of
// its crew.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "openmp/teams/team.hpp"

namespace weir::openmp {

class granted_threads;

using region = void (*)(void* what);

/// What an initial thread's task begins with.
control initial_control();

/// nthreads-var of the member's task [OpenMP 5.2, 2.1]: how many threads its next region asks for if its code does not say.
int nthreads_var(const member& me);

/// What a num_threads clause says besides a number [OpenMP 6.0, 12.1.2].
struct thread_demand {
  std::vector<int> within;   // the threads of nested regions, by level; the last number holds for all deeper levels
  bool strict = false;       // a team of another size is an error
  bool fatal = false;        // this error ends the program; otherwise it is only reported
  std::string message = {};  // the program's own
};

/// Executes a region: each member of a team of `asked` threads (0: as the control variables say) calls `run(what)`. `demand`:
/// further clauses of the region, if it has any. `place`: the program's function that has the region's code; a region is known by
/// it (region_sites.hpp). Null: nothing is chosen for it.
void fork(region run, void* what, unsigned asked, const void* place, const thread_demand* demand = nullptr);
/// The same by the calling thread alone.
void fork_alone(region run, void* what);

/// The two ends of a region that the caller alone executes between them.
void begin_alone();
void end_alone();
/// The two ends of a region as fork() executes it, for a caller that executes its own part between them. The caller keeps what
/// begin_region() returns until end_region() has returned.
std::unique_ptr<granted_threads> begin_region(region run, void* what, unsigned asked, const void* place);
void end_region();

/// During the lifetime of this object the calling thread executes a target region, or a team of a league: it is an initial
/// thread, to which nothing of the surrounding regions is visible [OpenMP 5.2, 13.8].
class as_initial_thread {
 public:
  as_initial_thread();
  /// Bound as `binding` says.
  explicit as_initial_thread(const thread_binding& binding);
  as_initial_thread(const as_initial_thread&) = delete;
  ~as_initial_thread();

 private:
  member& outer_;
};

}  // namespace weir::openmp
