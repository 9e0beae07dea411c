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

/// Are threads bound, or is their affinity displayed? If not, nothing of team_binding.hpp needs to be called.
inline bool affinity_matters() { return (seldom::in_force & seldom::affinity) != 0; }
inline bool cancellation_in_force() { return (seldom::in_force & seldom::cancellation) != 0; }
/// May teams of this process run on virtual processors? Otherwise its threads cannot become bodies.
inline bool may_have_seats() { return (seldom::in_force & seldom::virtual_processors) != 0; }

}  // namespace weir::openmp
