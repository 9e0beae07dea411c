#include "openmp/reductions/reduction.hpp"

#include <algorithm>
#include <limits>

#include "openmp/teams/waiting.hpp"

namespace weir::openmp {

namespace {
void await(member& me, const std::atomic<std::uint32_t>& word, std::uint32_t wanted) {
  team& t = *me.of;
  noted_wait wait(me, waits::reduction);
  t.learned.await(oversubscribed(t), word, me.reduction_gate, [wanted](std::uint32_t now) { return now == wanted; }, wait);
  happens_after(&word);
}

/// How long combining takes in nanoseconds, without the transfer of the first value.
double time_of(combine with, void* into, void* from) {
  (void)**static_cast<const volatile char* const volatile*>(from);
  const std::uint64_t start = native::ticks_in_order();
  with(into, from);
  return static_cast<double>(native::ticks_in_order() - start) / native::ticks_per_microsecond() * 1000;
}

constexpr std::uintptr_t short_array = 16;

/// Are all arrays short whose sizes are in the list? No address is as low as such a size, so the list needs no types.
bool arrays_are_short(const values_of_member& values) {
  const auto list = static_cast<const std::uintptr_t*>(values.list);
  const std::size_t entries = values.list_bytes / sizeof *list, sizes = entries - static_cast<std::size_t>(values.variables);
  return static_cast<std::size_t>(std::count_if(list, list + entries, [](auto e) { return e <= short_array; })) == sizes;
}

const void* construct_of(const values_of_member& values) { return reinterpret_cast<const void*>(values.with); }
}  // namespace

reduction_by way_of(const member& me, const values_of_member& partial) {
  // Each atomic operation may need the line from another processor once more.
  constexpr int most_atomically = 4;
  const team& t = *me.of;
  const bool has_atomics = partial.has_atomics && partial.variables <= most_atomically;
  // A member may have left a cancelled region; and the initial threads of a league's teams have no team in common.
  if (cancellation_in_force() || (t.size == 1 && me.icv.teams > 1)) [[unlikely]]
    return has_atomics ? reduction_by::atomics : reduction_by::locking;
  const reduction_by one_by_one = has_atomics && t.reduces_in_turn ? reduction_by::atomics
                                  : t.reduces_under_lock           ? reduction_by::locking
                                                                   : reduction_by::tree;
  if (t.size == 1 || one_by_one == reduction_by::tree) return reduction_by::tree;
  if (partial.list_bytes > static_cast<std::size_t>(partial.variables) * sizeof(void*))
    return arrays_are_short(partial) ? one_by_one : reduction_by::tree;
  switch (t.knows->of(construct_of(partial))) {
    case known_reductions::values::few: return one_by_one;
    case known_reductions::values::many: return reduction_by::tree;
    case known_reductions::values::unknown: break;
  }
  return reduction_by::measured_tree;
}

int gather(member& me, const values_of_member& values, bool at_once) {
  return me.of->size == 1 || combine_along_tree(me, values.list, values.with, at_once, await) ? 1 : 0;
}

int gather_measured(member& me, const values_of_member& values, bool at_once) {
  double least = std::numeric_limits<double>::infinity();
  const auto measured = [&](void* into, void* from) { least = std::min(least, time_of(values.with, into, from)); };
  if (!combine_along_tree(me, values.list, measured, false, await)) return 0;
  me.of->knows->learn(construct_of(values), least);
  if (at_once) release_reduction(me);
  return 1;
}

template void release_reduction(member& me);

}  // namespace weir::openmp
