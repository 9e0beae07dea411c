// The flush directive where compilers call the runtime for it.
#pragma once

namespace weir::openmp {

/// `place`: of the directive in the program. seq_cst: the directive without a clause is that fence.
void flush(const void* place);

}  // namespace weir::openmp
