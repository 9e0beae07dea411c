#include "openmp/worksharing/doacross.hpp"

#include <cstdlib>
#include <utility>

#include "openmp/core/waiting.hpp"
#include "openmp/support/annotation.hpp"
#include "openmp/support/errors.hpp"
#include "openmp/support/stop.hpp"

namespace weir::openmp {

namespace {

/// The iteration's number over all dimensions; false if it is outside of the loops.
bool number_of(const doacross& d, const std::int64_t* values, std::uint64_t& number) {
  number = 0;
  for (std::size_t i = 0; i < d.dimensions.size(); ++i) {
    const dimension& it = d.dimensions[i];
    if (it.step > 0 ? values[i] < it.first || values[i] > it.last : values[i] > it.first || values[i] < it.last) return false;
    // Unsigned, so that a loop over the whole of a type does not overflow.
    const auto from = static_cast<std::uint64_t>(it.first), to = static_cast<std::uint64_t>(values[i]);
    const std::uint64_t at = it.step > 0 ? (to - from) / static_cast<std::uint64_t>(it.step)
                                         : (from - to) / (0 - static_cast<std::uint64_t>(it.step));
    number = number * it.trips + at;
  }
  return true;
}

/// Over all dimensions, and at least one.
std::size_t iterations_of(const doacross& d) {
  std::size_t all = 1;
  for (const dimension& it : d.dimensions) {
    if (it.step > 0 ? it.first > it.last : it.first < it.last) return 1;
    if (it.trips == 0 || __builtin_mul_overflow(all, it.trips, &all))
      stop("a doacross nest has more iterations than 64 bits can count");
  }
  return all;
}

doacross& doacross_of(const member& me) {
  if (me.in_doacross == nullptr) [[unlikely]] end_for(errors::doacross_outside);
  return *me.in_doacross;
}

}  // namespace

void begin_doacross(member& me, const dimension* dimensions, unsigned count) {
  doacross& d = me.of->doacrosses[me.doacrosses++ % slots_in_turn];
  d.enter(me.doacrosses - 1, [&] {
    happens_after(&d);
    d.dimensions.assign(dimensions, dimensions + count);
    const std::size_t all = iterations_of(d);
    // Zeros that cost no memory before they are written.
    d.posted = static_cast<std::atomic<std::uint8_t>*>(std::calloc(all, sizeof *d.posted));
    if (d.posted == nullptr)
      stop("a doacross nest of %zu iterations needs a byte for each, and the system has not enough memory", all);
  });
  me.in_doacross = &d;
}

void post(member& me, const std::int64_t* values) {
  doacross& d = doacross_of(me);
  std::uint64_t number;
  if (!number_of(d, values, number)) return;
  happens_before(&d.posted[number]);
  // release: what the iteration has done so far, for those that depend on it.
  d.posted[number].store(1, std::memory_order_release);
  d.new_post.open();
}

void wait_for(member& me, const std::int64_t* values) {
  doacross& d = doacross_of(me);
  std::uint64_t number;
  if (!number_of(d, values, number)) return;
  const auto is_posted = [](std::uint8_t p) { return p != 0; };
  noted_wait wait(me, waits::doacross);
  me.of->learned.await(oversubscribed(*me.of), d.posted[number], d.new_post, is_posted, wait);
  happens_after(&d.posted[number]);
}

void end_doacross(member& me) {
  doacross* const d = me.in_doacross;
  if (d == nullptr) return;
  me.in_doacross = nullptr;
  happens_before(d);
  d->leave(me.doacrosses - 1, me.of->size, [d] {
    happens_after(d);
    std::free(std::exchange(d->posted, nullptr));
  });
}

}  // namespace weir::openmp
