// Another process sets a thread's affinity mask (taskset) while the thread migrates to its home processor.
#include <gtest/gtest.h>
#include <sched.h>
#include <weir/machine/native.hpp>

#include "machine/scheduling.hpp"
#include "system/processor_mask.hpp"
#include "system/raw_call.hpp"

namespace {
// The simulated masks, used while `on`: the thread's mask, and the one that another process sets after the thread has set its
// own.
bool on = false;
cpu_set_t now, from_outside;
bool interferes = false;
unsigned changes = 0;

cpu_set_t set_of(std::initializer_list<int> processors) {
  cpu_set_t s;
  CPU_ZERO(&s);
  for (const int p : processors) CPU_SET(p, &s);
  return s;
}
}  // namespace

extern "C" int sched_getcpu() noexcept { return 0; }

namespace weir {
long get_affinity(std::size_t bytes, cpu_set_t* processors) {
  if (!on) return raw_call(SYS_sched_getaffinity, 0, static_cast<long>(bytes), as_argument(processors));
  CPU_ZERO_S(bytes, processors);
  for (int p = 0; p < 8; ++p)
    if (CPU_ISSET(p, &now)) CPU_SET_S(p, bytes, processors);
  return static_cast<long>(bytes);
}
long set_affinity(std::size_t bytes, const cpu_set_t* processors) {
  if (!on) return raw_call(SYS_sched_setaffinity, 0, static_cast<long>(bytes), as_argument(processors));
  ++changes;
  now = set_of({});
  for (int p = 0; p < 8; ++p)
    if (CPU_ISSET_S(p, bytes, processors)) CPU_SET(p, &now);
  if (interferes && CPU_COUNT(&now) == 1) now = from_outside;
  return 0;
}
}  // namespace weir

namespace {

TEST(LivingOn, LeavesWhatSomebodyElseHasSetMeanwhile) {
  on = true;
  for (interferes = false;; interferes = true) {
    now = set_of({0, 1, 2});
    from_outside = set_of({2});
    weir::native::live_on(1);
    weir::native::migrate_home(weir::native::ticks());  // where other programs run it moves here alone
    weir::native::live_on(-1);
    const cpu_set_t expected = interferes ? from_outside : set_of({0, 1, 2});
    EXPECT_TRUE(CPU_EQUAL(&now, &expected)) << interferes;
    if (interferes) break;
  }
  on = false;
}

TEST(LivingOn, MovesNoVirtualProcessor) {
  on = true;
  now = set_of({0, 1, 2});
  const weir::scheduling by_another{};
  for (const bool has_seat : {true, false}) {
    changes = 0;
    weir::scheduled_by = has_seat ? &by_another : nullptr;
    weir::native::live_on(1);
    weir::native::migrate_home(weir::native::ticks());
    EXPECT_EQ(changes == 0, has_seat);
    weir::native::live_on(-1);
  }
  on = false;
}

}  // namespace
