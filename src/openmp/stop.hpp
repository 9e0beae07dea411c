// How a program ends that cannot be served: with a line that says why.
#pragma once

namespace weir::openmp {

/// As printf, after the runtime's name; the program aborts.
[[noreturn, gnu::format(printf, 1, 2)]] void stop(const char* why, ...);

}  // namespace weir::openmp
