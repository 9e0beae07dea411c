#include "openmp/support/program_lock.hpp"

#include "openmp/support/errors.hpp"

namespace weir::openmp {

bool program_lock::adopt_zeros() {
  std::uint32_t zeros = 0;
  // relaxed, both: nothing was done under it before. Read first: an update takes the line from the thread that has the lock.
  return word_.load(std::memory_order_relaxed) == zeros && word_.compare_exchange_strong(zeros, free_, std::memory_order_relaxed);
}

void program_lock::check(const char* routine, std::uint32_t state) const {
  if (state < free_ || state > waited_for_) end_for(errors::lock_not_initialized, routine);
}

void program_lock::set_slowly() {
  if (!adopt_zeros()) check("omp_set_lock", word_.load(std::memory_order_relaxed));
  take_slowly(&waits::lock);
}

bool program_lock::test_slowly() {
  if (adopt_zeros()) return try_take();
  check("omp_test_lock", word_.load(std::memory_order_relaxed));
  return false;
}

void program_lock::unset_slowly(std::uint32_t was) {
  check("omp_unset_lock", was);
  if (was == free_) end_for(errors::unset_of_free_lock);
  release_slowly(was);
}

// relaxed, everywhere: the program orders its locks' beginnings and ends.
void program_lock::destroy() {
  const std::uint32_t state = word_.load(std::memory_order_relaxed);
  check("omp_destroy_lock", state);
  if (state != free_) end_for(errors::destroyed_while_set);
  word_.store(destroyed_, std::memory_order_relaxed);
}

}  // namespace weir::openmp
