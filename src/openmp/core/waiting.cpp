#include "openmp/core/waiting.hpp"

#include <algorithm>
#include <atomic>

#include <weir/machine/processors.hpp>

#include "openmp/core/team.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/settings/set_by_routines.hpp"

namespace weir::openmp {

double awake_us() {
  constexpr double always = 1e15, a_spin = 0.02;  // a pause instruction takes 10 to 40 ns on today's processors
  const settings& s = initial_settings();
  if (s.spin_count) return *s.spin_count == 0 ? -1 : std::min(always, static_cast<double>(*s.spin_count) * a_spin);
  if (const auto ms = blocktime_ms()) return *ms == block_never ? always : *ms == 0 ? -1 : *ms * 1e3;
  if (s.waiting == wait_policy::active) return always;
  if (s.waiting == wait_policy::passive) return -1;
  // Under a quota each microsecond of waiting awake is taken from the program's own computing.
  return under_quota() ? 0 : waiting::automatic_constants::longest_awake;
}

bool oversubscribed(unsigned size) {
  static constinit std::atomic<std::size_t> known{0};
  // relaxed: a number with which no other data goes; all threads would find the same one.
  std::size_t processors = known.load(std::memory_order_relaxed);
  if (processors == 0) [[unlikely]] known.store(processors = affinity().size(), std::memory_order_relaxed);
  return size > processors;
}

bool oversubscribed(const team& t) { return t.processors != 0 ? t.size > t.processors : oversubscribed(t.size); }

}  // namespace weir::openmp
