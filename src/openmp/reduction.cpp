#include "reduction.hpp"

#include <weir/machine/processors.hpp>

#include "annotation.hpp"

namespace weir::openmp {

int gather(member& me, void* values, combine with, bool at_once) {
  team& t = *me.of;
  if (t.size == 1) return 1;
  const std::uint32_t mine = ++me.reductions;
  const bool share = t.size > usable_here();
  const auto reached = [mine](std::uint32_t now) { return now == mine; };
  if (me.number != 0) {
    me.values = values;
    happens_before(&me.offered);
    // release: the values, for the first member.
    me.offered.store(mine, std::memory_order_release);
    t.gathering.open();
    if (!t.learned.poll(share, t.combined, reached)) t.learned.sleep(share, t.combined, t.gathering, reached);
    happens_after(&t.combined);
    return 0;
  }
  for (unsigned n = 1; n < t.size; ++n) {
    member& other = t.members[n];
    if (!t.learned.poll(share, other.offered, reached)) t.learned.sleep(share, other.offered, t.gathering, reached);
    happens_after(&other.offered);
    with(values, other.values);
  }
  if (at_once) let_go(me);
  return 1;
}

void let_go(member& me) {
  team& t = *me.of;
  if (t.size == 1) return;
  happens_before(&t.combined);
  // release: that the values have been read, and after a construct with a barrier what the first member made of them.
  t.combined.store(me.reductions, std::memory_order_release);
  t.gathering.open();
}

}  // namespace weir::openmp
