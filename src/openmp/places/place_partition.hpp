// Which places the threads of a team get, by the policies of thread affinity [OpenMP 5.2, 10.1.3].
#pragma once

#include <vector>

namespace weir::openmp {

/// The policies of OMP_PROC_BIND and the proc_bind clause; the values of primary and the following are those of omp_proc_bind_t.
enum class bind { false_, true_, primary, close, spread };

/// The place that a thread is bound to, and its place partition: the places that threads of its regions may be bound to.
struct thread_binding {
  int place = -1;            ///< -1: the thread is not bound
  int first = 0, count = 0;  ///< place-partition-var: `count` places, from `first`
  bool operator==(const thread_binding&) const = default;
};

/// The bindings of a team's members. The primary thread, which encounters the region, has a place already.
std::vector<thread_binding> bindings_of(const thread_binding& primary, bind how, unsigned members);

}  // namespace weir::openmp
