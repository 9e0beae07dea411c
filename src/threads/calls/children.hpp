// Children that are made by system calls by number.
#pragma once

namespace weir::threads {

/// The call makes a child with a copy of the memory, without the C library's handlers of forks. Returns its result, in both.
long make_copy(long number, const long (&arguments)[6]);

}  // namespace weir::threads
