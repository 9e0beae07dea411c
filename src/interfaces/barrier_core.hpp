// Barriers that may be destroyed while their members are still leaving.
//
// POSIX lets a thread destroy a barrier, and free its memory, as soon as the thread's own wait has returned. Other members may
// not have read the phase that released them yet. Counting the members that leave would cost each of them an atomic operation in
// each episode. Instead, the memory of a core is never freed. It is kept for the next barrier, with the phase number, so that a
// late member of the old team reads a valid word and finds its phase over.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/barriers/phased.hpp>
#include <weir/machine/native.hpp>

struct weir_barrier_core : weir::barriers::phased<weir::native> {
  weir_barrier_core(unsigned members, bool oversubscribed, std::uint32_t its_number)
      : phased(members, oversubscribed), number(its_number) {}
  const std::uint32_t number;               // from 1 on
  std::atomic<std::uint32_t> next_free{0};  // the number of the next one in the list of free cores; 0: none
};

namespace weir::interfaces {

/// A core for this many members, or nullptr if there is no memory. Both functions are lock-free, because a process may fork while
/// other threads are in them.
weir_barrier_core* take_core(unsigned members) noexcept;
void give_core_back(weir_barrier_core* core) noexcept;

}  // namespace weir::interfaces
