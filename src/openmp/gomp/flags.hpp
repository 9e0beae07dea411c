// The contents of the flags of a parallel construct.
#pragma once

namespace weir::openmp {

/// The proc_bind clause: a value of omp_proc_bind_t.
constexpr unsigned proc_bind_in(unsigned flags) { return flags & 7; }

}  // namespace weir::openmp
