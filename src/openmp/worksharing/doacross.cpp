#include "openmp/worksharing/doacross.hpp"

#include <cstdlib>
#include <utility>

#include "openmp/support/annotation.hpp"
#include "openmp/support/errors.hpp"
#include "openmp/support/stop.hpp"
#include "openmp/teams/waiting.hpp"
#include "openmp/worksharing/loop.hpp"

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
  std::size_t total = 1;
  for (const dimension& it : d.dimensions) {
    if (it.step > 0 ? it.first > it.last : it.first < it.last) return 1;
    if (it.trips == 0 || __builtin_mul_overflow(total, it.trips, &total))
      stop("a doacross nest has more iterations than 64 bits can count");
  }
  return total;
}

/// Will nobody post this iteration, because it belongs to a member that has left the region? If the compiler's code divides the
/// iterations itself, the runtime does not know which member has the iteration, and the caller goes on once any member has left.
bool nobody_posts(const member& me, const doacross& d, std::uint64_t number) {
  if (!cancellation_in_force() || !is_cancelled(*me.of)) return false;
  if (me.in_loop == nullptr) return participants(*me.of, &member::doacrosses, me.doacrosses - 1) < me.of->size;
  return me.plan.trips != 0 && is_left_out(me, number / (iterations_of(d) / me.plan.trips));
}

struct kind_of_slot : waits_for_slot {
  static bool abandoned(const member& me, std::uint32_t construct, unsigned left) {
    return is_abandoned(*me.of, &member::doacrosses, construct, left);
  }
  static void clear_away(slot<native>& cleared) {
    doacross& d = static_cast<doacross&>(cleared);
    happens_after(&d);
    std::free(std::exchange(d.iterations.posted, nullptr));
  }
};

doacross& doacross_of(const member& me) {
  if (me.in_doacross == nullptr) [[unlikely]] end_for(errors::doacross_outside);
  return *me.in_doacross;
}

}  // namespace

void begin_doacross(member& me, const dimension* dimensions, unsigned count) {
  doacross& d = me.of->doacrosses[me.doacrosses++ % slots_in_turn];
  d.enter<kind_of_slot>(me, me.doacrosses - 1, [&] {
    happens_after(&d);
    d.dimensions.assign(dimensions, dimensions + count);
    const std::size_t total = iterations_of(d);
    d.iterations.begin(me.of->size, !cancellation_in_force());
    // Zeros that cost no memory before they are written.
    void* const zeros = d.iterations.apart ? std::calloc(d.iterations.pages(total), d.iterations.in_page) : std::calloc(total, 1);
    d.iterations.posted = static_cast<std::atomic<std::uint8_t>*>(zeros);
    if (zeros == nullptr)
      stop("a doacross nest of %zu iterations needs a byte for each, and the system has not enough memory", total);
  });
  me.in_doacross = &d;
}

void post(member& me, const std::int64_t* values) {
  doacross& d = doacross_of(me);
  std::uint64_t number;
  if (!number_of(d, values, number)) return;
  d.iterations.post(number);
}

void wait_for(member& me, const std::int64_t* values) {
  doacross& d = doacross_of(me);
  std::uint64_t number;
  if (!number_of(d, values, number)) return;
  noted_wait wait(me, waits::doacross);
  d.iterations.wait_for(
      number, [&] { return nobody_posts(me, d, number); },
      [&](const auto& posted, gate& at, auto is_posted) {
        me.of->learned.await(oversubscribed(*me.of), posted, at, is_posted, wait);
      });
}

void end_doacross(member& me) {
  doacross* const d = me.in_doacross;
  if (d == nullptr) return;
  me.in_doacross = nullptr;
  happens_before(d);
  d->leave<kind_of_slot>(me.doacrosses - 1, me.of->size);
}

}  // namespace weir::openmp
