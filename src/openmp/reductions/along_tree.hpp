// A reduction along the tree of an arrival: each member combines the values of its children with its own, and offers them to its
// parent. Templates over a member, so that the simulator executes the same source.
#pragma once

#include <atomic>
#include <cstdint>

#include "openmp/support/annotation.hpp"

namespace weir::openmp {

template <class Member, class Word>
void notify(Member& other, Word& word, std::uint32_t value) {
  happens_before(&word);
  // release: the values; or that they have been read, and the result.
  word.store(value, std::memory_order_release);
  other.reduction_gate.open();
}

/// The parent, whose children have offered their values, lets them go on.
template <class Member>
void release_reduction(Member& me) {
  for (const unsigned child : me.of->reduction.of(me.number)) {
    auto& other = me.of->members[child];
    notify(other, other.taken, me.reductions);
  }
}

/// Member 0 returns true when its values are the result; the others return when their values have been taken (`at_once`), or
/// released. `await(me, word, wanted)` waits for a word of a member.
template <class Member, class Values, class Combine, class Await>
bool combine_along_tree(Member& me, Values values, Combine with, bool at_once, Await await) {
  auto& t = *me.of;
  const std::uint32_t episode = ++me.reductions;
  const auto branch = t.reduction.of(me.number);
  for (const unsigned child : branch) {
    auto& other = t.members[child];
    await(me, other.offered, episode);
    with(values, other.values);
    if (at_once) notify(other, other.taken, episode);
  }
  if (me.number == 0) return true;
  me.values = values;
  notify(t.members[branch.parent], me.offered, episode);
  await(me, me.taken, episode);
  if (!at_once) release_reduction(me);
  return false;
}

}  // namespace weir::openmp
