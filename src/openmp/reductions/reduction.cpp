#include "openmp/reductions/reduction.hpp"

#include "openmp/support/annotation.hpp"

namespace weir::openmp {

namespace {
void wait(member& me, const std::atomic<std::uint32_t>& word, std::uint32_t wanted) {
  team& t = *me.of;
  t.learned.await(crowded(t), word, me.reducing, [wanted](std::uint32_t now) { return now == wanted; });
  happens_after(&word);
}

void tell(member& whom, std::atomic<std::uint32_t>& word, std::uint32_t value) {
  happens_before(&word);
  // release: the values; or that they have been read, and what was made of them.
  word.store(value, std::memory_order_release);
  whom.reducing.open();
}
}  // namespace

int gather(member& me, void* values, combine with, bool at_once) {
  team& t = *me.of;
  if (t.size == 1) return 1;
  const std::uint32_t mine = ++me.reductions;
  const auto branch = t.reducing.of(me.number);
  for (const unsigned child : branch) {
    member& other = t.members[child];
    wait(me, other.offered, mine);
    with(values, other.values);
    if (at_once) tell(other, other.taken, mine);
  }
  if (me.number == 0) return 1;
  me.values = values;
  tell(t.members[branch.parent], me.offered, mine);
  wait(me, me.taken, mine);
  if (!at_once) let_go(me);
  return 0;
}

void let_go(member& me) {
  for (const unsigned child : me.of->reducing.of(me.number)) {
    member& other = me.of->members[child];
    tell(other, other.taken, me.reductions);
  }
}

}  // namespace weir::openmp
