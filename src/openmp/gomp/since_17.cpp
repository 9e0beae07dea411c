// Functions that GCC's code calls since version 17, for constructs that earlier versions compiled without the runtime, or with a
// simpler call. The names with _start, _dispatch, _end and _with_end are called by programs built for tools (-fopenmp-ompt); the
// answers are the same.
#include "openmp/forking/barrier.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/teams/team.hpp"
#include "openmp/worksharing/single.hpp"

using namespace weir::openmp;

namespace {

// The compiler's _Complex int: how many take part, and which of them asks.
__extension__ typedef __complex__ int share;
share share_of(int count, int which) {
  share part;
  __real__ part = count;
  __imag__ part = which;
  return part;
}
share in_team() { return share_of(static_cast<int>(self().of->size), static_cast<int>(self().number)); }
share in_league() { return share_of(self().icv.teams, self().icv.team); }

}  // namespace

extern "C" {

// The argument says which barrier it is: 0 at the end of a region's part, 1 of a worksharing construct, 2 a directive.
void GOMP_barrier_ext(int) { barrier(self()); }
bool GOMP_barrier_cancel_ext(int) { return barrier_in_cancellable(self()); }

// Static loops, which the compiler's code divides itself. The calls may have arguments, such as the number of iterations, on
// which nothing here depends.
share GOMP_loop_static_worksharing(void) { return in_team(); }
share GOMP_loop_static_worksharing_start(void) { return in_team(); }
void GOMP_loop_static_worksharing_dispatch(void) {}
void GOMP_loop_static_worksharing_end(void) {}
share GOMP_distribute_static_worksharing(void) { return in_league(); }
share GOMP_distribute_static_worksharing_start(void) { return in_league(); }
void GOMP_distribute_static_worksharing_dispatch(void) {}
void GOMP_distribute_static_worksharing_end(void) {}

bool GOMP_has_masked_thread_num(int filter) { return static_cast<int>(self().number) == filter; }
bool GOMP_has_masked_thread_num_with_end(int filter) { return GOMP_has_masked_thread_num(filter); }
void GOMP_masked_end(void) {}
bool GOMP_single_start_with_end(void) { return takes_single(self()); }
void GOMP_single_end(void) {}

// Around the code that adds a member's values to the result; until version 16 this was GOMP_atomic_start.
void GOMP_reduction_start(void) { atomic_updates.take(&waits::reduction); }
void GOMP_reduction_end(void) { atomic_updates.release(); }

}  // extern "C"
