// Barriers that may be destroyed while their members are still leaving.
//
// POSIX lets a thread destroy a barrier, and free its memory, as soon as its own wait has returned;
// other members may not yet have looked at the phase they were released from. Counting them out
// costs an atomic operation for each in each episode. Instead the memory of a core is never given
// back: it is kept for the next barrier, and its phase goes on, so that a late member of the old team
// reads a valid word and finds its phase over.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/barriers/phased.hpp>
#include <weir/machine/native.hpp>

struct weir_barrier_core : weir::barriers::phased<weir::native> {
  weir_barrier_core(unsigned members, bool shared, std::uint32_t its_number) : phased(members, shared), number(its_number) {}
  const std::uint32_t number;               // from 1 on
  std::atomic<std::uint32_t> next_free{0};  // the number of the next one in the list of free cores; 0: none
};

namespace weir::faces {

/// A core for so many members, or nullptr without memory. Both are lock-free: a process may fork while other threads are in them.
weir_barrier_core* take_core(unsigned members) noexcept;
void give_core_back(weir_barrier_core* core) noexcept;

}  // namespace weir::faces
