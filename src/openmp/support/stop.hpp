// How a program ends that cannot be served, or that ends itself: with a line that says why.
#pragma once

namespace weir::openmp {

/// As printf, after the runtime's name; the program aborts.
[[noreturn, gnu::format(printf, 1, 2)]] void stop(const char* why, ...);

/// The same, and the program exits with status 1: what it has written is kept.
[[noreturn, gnu::format(printf, 1, 2)]] void end_program(const char* why, ...);

}  // namespace weir::openmp
