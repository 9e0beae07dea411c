// In the child of a fork, the first write to a page copies it: a microsecond or two, and the child may be about to execute a
// program. So what already is as the child wants it is not written.
#pragma once

#include <atomic>
#include <cstddef>

#include <sys/auxv.h>

#include "system/raw_call.hpp"

namespace weir {

/// So tables of this alignment, that are zero at first, need not be looked through: the child finds them zero again, whatever the
/// parent has written there. False: the kernel refuses (before Linux 4.14, or its pages are larger). Together, where the linker
/// sorts by alignment (src/openmp/CMakeLists.txt): each mapping apart costs a fork half a microsecond.
inline constexpr std::size_t alignment_to_be_wiped = 4096;
#define WEIR_WIPED_IN_CHILDREN alignas(weir::alignment_to_be_wiped) [[gnu::section(".bss.weir_wiped")]]
template <class T, std::size_t number>
bool is_wiped_in_child(T (&table)[number]) {
  static_assert(sizeof table % alignment_to_be_wiped == 0);
  constexpr long wipe_on_fork = 18;  // MADV_WIPEONFORK
  // The kernel rounds the length up.
  return getauxval(AT_PAGESZ) == alignment_to_be_wiped &&
         raw_call(SYS_madvise, as_argument(&table), sizeof table, wipe_on_fork) == 0;
}

/// relaxed, both: the child has one thread.
template <class T>
void make_so_in_child(std::atomic<T>& word, T value) {
  if (word.load(std::memory_order_relaxed) != value) word.store(value, std::memory_order_relaxed);
}

}  // namespace weir
