// What is in force in this process from its start, and seldom. All of it is in one byte, so that a path on which any of it needs
// more tests that byte alone.
#pragma once

#include <cstdint>

namespace weir::openmp {

namespace seldom {
/// Written when the library is loaded, and never again.
extern constinit std::uint8_t in_force;

inline constexpr std::uint8_t affinity = 1,  // threads are bound, or their affinity is displayed (team_binding.hpp)
    cancellation = 2,                        // OMP_CANCELLATION is true (cancellation.hpp)
    annotation = 4,                          // the program is built with ThreadSanitizer (support/annotation.hpp)
    virtual_processors = 8;                  // WEIR_THREADS asks for them (seats.hpp)
}  // namespace seldom

}  // namespace weir::openmp
