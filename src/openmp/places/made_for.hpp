// Which runtime the program was made for: what is shown of affinity has the form of that runtime, and goes where it writes. Its
// environment is read when that runtime reads it.
#pragma once

namespace weir::openmp {

/// Of the program's objects, the first that names a runtime names LLVM's (DT_NEEDED), in the order in which they were loaded.
/// Thread-safe.
bool is_made_for_llvm();
bool is_made_for_gcc();
/// The initial value of affinity-format-var, which the specification leaves to the runtime [OpenMP 5.2, 21.2.6].
const char* usual_affinity_format();

}  // namespace weir::openmp
