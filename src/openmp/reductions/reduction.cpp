#include "openmp/reductions/reduction.hpp"

#include "openmp/core/waiting.hpp"
#include "openmp/support/annotation.hpp"

namespace weir::openmp {

namespace {
void await(member& me, const std::atomic<std::uint32_t>& word, std::uint32_t wanted) {
  team& t = *me.of;
  noted_wait wait(me, waits::reduction);
  t.learned.await(oversubscribed(t), word, me.reduction_gate, [wanted](std::uint32_t now) { return now == wanted; }, wait);
  happens_after(&word);
}

void notify(member& other, std::atomic<std::uint32_t>& word, std::uint32_t value) {
  happens_before(&word);
  // release: the values; or that they have been read, and the result.
  word.store(value, std::memory_order_release);
  other.reduction_gate.open();
}
}  // namespace

int gather(member& me, void* values, combine with, bool at_once) {
  team& t = *me.of;
  if (t.size == 1) return 1;
  const std::uint32_t mine = ++me.reductions;
  const auto branch = t.reduction.of(me.number);
  for (const unsigned child : branch) {
    member& other = t.members[child];
    await(me, other.offered, mine);
    with(values, other.values);
    if (at_once) notify(other, other.taken, mine);
  }
  if (me.number == 0) return 1;
  me.values = values;
  notify(t.members[branch.parent], me.offered, mine);
  await(me, me.taken, mine);
  if (!at_once) release_reduction(me);
  return 0;
}

void release_reduction(member& me) {
  for (const unsigned child : me.of->reduction.of(me.number)) {
    member& other = me.of->members[child];
    notify(other, other.taken, me.reductions);
  }
}

}  // namespace weir::openmp
