// omp_lock_t: a lock that the program initializes and destroys. A forbidden operation ends the program with a message.
#pragma once

#include "openmp/support/lock.hpp"

namespace weir::openmp {

/// The state of a free lock. This value and the next are unlikely in memory that nobody has initialized.
inline constexpr std::uint32_t free_in_program = 0x6f6d7068;

/// Zeros are a free lock, too, for set and test: programs that do not initialize their static locks run on GCC's runtime.
class program_lock : private basic_lock<free_in_program> {
 public:
  void destroy();
  void set() {
    if (!try_take()) [[unlikely]] set_slowly();
  }
  bool test() { return try_take() || test_slowly(); }
  void unset() {
    if (const std::uint32_t was = make_free(); was != taken_) [[unlikely]] unset_slowly(was);
  }

 private:
  static constexpr std::uint32_t destroyed_ = free_ + 3;
  bool adopt_zeros();
  void check(const char* routine, std::uint32_t state) const;
  void set_slowly();
  bool test_slowly();
  void unset_slowly(std::uint32_t was);
};

}  // namespace weir::openmp
