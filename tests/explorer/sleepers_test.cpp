// Members that sleep until there are tasks, in every interleaving: no wake-up is lost, and a task wakes one member.
#include "openmp/teams/sleepers.hpp"

#include <gtest/gtest.h>

#include "openmp/tasks/deque.hpp"
#include "orders.hpp"
#include "pointer.hpp"
#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;

struct item;
item* some_item() { return reinterpret_cast<item*>(std::uintptr_t{1}); }

/// What may be left out: a fence, the look whether the member has been taken off, and the owner's wake-up.
enum class without { nothing, fence_of_owner, fence_of_sleeper, look, wake };
struct shape {
  unsigned members, tasks;
  bool one_gate = false;  // as at a barrier
};
constexpr shape two{2, 2}, three{3, 1}, at_barrier{3, 1, true};

/// Member 0 adds tasks, the others execute them and sleep meanwhile.
template <without left_out>
struct team {
  static constexpr unsigned most = 3;
  struct member {
    team* of;
    explored_words::pointer<explored::gate> asleep_at;
    explicit member(team& owner) : of(&owner), asleep_at(owner.gates) {}
  };
  const shape form;
  explored::gate gates[most];
  member members[most]{member(*this), member(*this), member(*this)};
  explored::word<unsigned> asleep{0}, opened{0}, executed{0}, never{0}, over{0};
  weir::openmp::deque<explored, item, 3> tasks;

  explicit team(const shape& s) : form(s) {}

  template <without What>
  static void fence() {
    if constexpr (left_out != What) explored::fence(std::memory_order_seq_cst);
  }
  void own() {
    for (unsigned i = 0; i < form.tasks; ++i) {
      tasks.push(some_item());
      // As task_scheduler::add() and wake_one_of_all().
      fence<without::fence_of_owner>();
      if (left_out == without::wake || !weir::openmp::somebody_sleeps(*this)) continue;
      for (unsigned m = 1; m < form.members; ++m)
        if (weir::openmp::wake_sleeper(members[m], [this](explored::gate& at) {
              opened.fetch_add(1, std::memory_order_relaxed);
              at.open_to(1);
            }))
          break;
    }
    // The search reports a member that waits for ever.
    explored::spin(executed, [this](unsigned n) { return n == form.tasks; });
    if (opened.load(std::memory_order_relaxed) > form.tasks) explored::spin(never, [](unsigned) { return false; });
    over.store(1, std::memory_order_release);
    for (auto& each : gates) each.open();
  }
  bool execute_one() {
    if (tasks.steal([](const item*) { return true; }) == nullptr) return false;
    executed.fetch_add(1, std::memory_order_release);
    return true;
  }
  void work(unsigned number) {
    member& me = members[number];
    explored::gate& at = gates[form.one_gate ? 0 : number];
    const auto is_over = [this] { return over.load(std::memory_order_acquire) != 0; };
    while (!is_over()) {
      if (execute_one()) continue;
      weir::openmp::falls_asleep(me, at, [] { fence<without::fence_of_sleeper>(); });
      bool found = false;
      at.sleep_unless([&] {
        return is_over() || (found = execute_one()) || (left_out != without::look && !weir::openmp::is_among_sleepers(me));
      });
      weir::openmp::is_awake(me);
    }
  }
  void pass(unsigned number) { number == 0 ? own() : work(number); }
};

template <without left_out = without::nothing>
subject of(const shape& form) {
  subject s;
  s.members = form.members;
  s.build = [form]() -> subject::body { return [t = new team<left_out>(form)](unsigned member) { t->pass(member); }; };
  return s;
}
template <without left_out = without::nothing>
verdict searched(const shape& form, memory_model memory) {
  return explore(of<left_out>(form), {.memory = memory});
}

class Sleepers : public testing::TestWithParam<memory_model> {};

TEST_P(Sleepers, NoWakeUpIsLost) {
  for (const shape& form : {two, three, at_barrier}) {
    if (GetParam() == memory_model::weak && form.members > 2) continue;  // too many states for a test
    const verdict v = searched(form, GetParam());
    EXPECT_TRUE(v.holds && v.complete) << form.members << " members" << '\n' << v.timeline;
  }
}

INSTANTIATE_TEST_SUITE_P(In, Sleepers, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

// The first sleep at a gate has a fence everywhere, the second has not.
TEST(SleeperMutants, WithoutTheOwnersFenceBothMissEachOther) {
  EXPECT_TRUE(searched<without::fence_of_owner>(two, memory_model::sc).holds);
  EXPECT_FALSE(searched<without::fence_of_owner>(two, memory_model::tso).holds);
}

// On x86 the update of the count is a fence.
TEST(SleeperMutants, WithoutTheSleepersFenceBothMissEachOther) {
  EXPECT_FALSE(searched<without::fence_of_sleeper>(two, memory_model::weak).holds);
}

TEST(SleeperMutants, AMemberThatHasBeenTakenOffMustNotSleep) {
  EXPECT_FALSE(searched<without::look>(two, memory_model::sc).holds);
}

TEST(SleeperMutants, ATaskWakesAMember) { EXPECT_FALSE(searched<without::wake>(two, memory_model::sc).holds); }

}  // namespace
