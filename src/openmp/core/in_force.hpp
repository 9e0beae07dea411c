// Features that are seldom in force, and if so from the start of the process. One byte has them all, so that a path on which any
// of them needs more work tests only this byte.
#pragma once

#include <cstdint>

namespace weir::openmp {

namespace seldom {
/// May the process use so little address space (RLIMIT_AS) that virtual processors would take much of it?
bool address_space_is_scarce();

/// Written when the library is loaded, and never again.
extern constinit std::uint8_t in_force;

inline constexpr std::uint8_t affinity = 1,  // threads are bound, or their affinity is displayed (team_binding.hpp)
    cancellation = 2,                        // OMP_CANCELLATION is true (cancellation.hpp)
    annotation = 4,                          // the program is built with ThreadSanitizer (support/annotation.hpp)
    virtual_processors = 8;                  // WEIR_THREADS asks for them (seats.hpp)
}  // namespace seldom

}  // namespace weir::openmp
