// When MPI_Barrier becomes Weir's: what making a barrier costs.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <mutex>

#include <weir/machine/native.hpp>

namespace weir::mpi {

/// The time to make a barrier, as far as it is known, and a factor: MPI's own barriers must have taken this many times as long
/// before a barrier is made. The factor grows while barriers are freed soon after they were made.
class price {
 public:
  /// Sets the time, in microseconds; false if that is no such number.
  bool give(const char* us) {
    double number = 0;
    const char* const end = us + std::strlen(us);
    const auto [read, error] = std::from_chars(us, end, number);  // whatever the program's locale
    if (error != std::errc() || read != end || !(number >= 0)) return false;
    // More seconds than any program runs, but few enough for a count of ticks.
    ticks_ = in_ticks(std::min(number, 1e12)), given_ = true;
    return true;
  }
  std::uint64_t ns() {
    const std::lock_guard lock(mutex_);
    return in_ns(ticks_ * patience_);
  }
  void made_in(std::uint64_t ticks) {
    const std::lock_guard lock(mutex_);
    if (!given_) ticks_ = (ticks_ + ticks) / 2;
  }
  /// A barrier was freed this long after it was made.
  void freed_after(std::uint64_t ticks) {
    const std::lock_guard lock(mutex_);
    patience_ = ticks < ticks_ ? std::min(2 * patience_, most_patience) : std::max(patience_ / 2, std::uint64_t{1});
  }
  static std::uint64_t in_ns(std::uint64_t ticks) {
    return static_cast<std::uint64_t>(1e3 * static_cast<double>(ticks) / native::ticks_per_microsecond());
  }

 private:
  static std::uint64_t in_ticks(double us) { return static_cast<std::uint64_t>(us * native::ticks_per_microsecond()); }

  static constexpr double first_guess_us = 1000;
  static constexpr std::uint64_t most_patience = 1024;
  std::mutex mutex_;
  bool given_ = false;
  std::uint64_t ticks_ = in_ticks(first_guess_us), patience_ = 1;
};

}  // namespace weir::mpi
