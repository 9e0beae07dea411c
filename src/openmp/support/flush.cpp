#include "openmp/support/flush.hpp"

#include <atomic>
#include <cstdint>

#include <weir/machine/native.hpp>

namespace weir::openmp {
namespace {

/// Programs wait for each other's variables by loops that flush, as NPB's LU does. A member that flushes at one place again and
/// again does so, and those it waits for may want its processor. Between two pieces of work there is more time than between two
/// polls.
class polling_by_flushes {
 public:
  void flushed(const void* place) {
    const std::uint64_t now = native::ticks();
    const bool is_poll = place == place_ && static_cast<double>(now - at_) < apart_us * native::ticks_per_microsecond();
    place_ = place;
    at_ = now;
    polls_ = is_poll ? polls_ + 1 : 0;
    if (polls_ < enough) return;
    native::yield();
    at_ = native::ticks();
  }

 private:
  static constexpr double apart_us = 0.2;  // a flush takes some 10 ns
  static constexpr unsigned enough = 4;

  const void* place_ = nullptr;
  std::uint64_t at_ = 0;
  unsigned polls_ = 0;
};
constinit thread_local polling_by_flushes its_polls;

}  // namespace

void flush(const void* place) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (native::switches_in_user_space()) its_polls.flushed(place);
}

}  // namespace weir::openmp
