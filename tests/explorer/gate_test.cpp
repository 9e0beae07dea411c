// A gate at which threads sleep for different reasons, in every interleaving: openings for some of them lose nobody. (Openings
// for all: the barriers' tests, and the gate's mutants in mutants_test.cpp.)
#include <functional>
#include <string_view>

#include <gtest/gtest.h>

#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;
using order = std::memory_order;

/// As where a task wakes members at a barrier: member 0 adds some, then opens the barrier; the others wait for either.
template <class Kernel>
struct barrier_with_tasks {
  weir::basic_gate<Kernel> gate;
  explored::word<std::uint32_t> tasks{0}, opened{0};
  void pass(unsigned member) {
    if (member == 0) {
      tasks.store(1, order::release);
      gate.open_to(1);
      if (opens) {
        opened.store(1, order::release);
        gate.open();
      }
    } else if (member == 1) {
      while (tasks.load(order::acquire) == 0) gate.sleep_unless([this] { return tasks.load(order::relaxed) != 0; });
    } else {
      while (opened.load(order::acquire) == 0) gate.sleep_unless([this] { return opened.load(order::relaxed) != 0; });
    }
  }
  bool opens;
};

template <class Kernel>
bool holds(unsigned members, memory_model memory, std::function<order(const std::source_location&, order)> at = {}) {
  subject s;
  s.members = members;
  s.order_at = std::move(at);
  s.build = [members]() -> subject::body {
    auto* const barrier = new barrier_with_tasks<Kernel>;
    barrier->opens = members > 2;
    return [barrier](unsigned member) { barrier->pass(member); };
  };
  return explore(s, {.memory = memory}).holds;
}

/// The others sleep on.
struct wakes_one : explored_kernel {
  static void wake_marked(const word<std::uint32_t>& w, std::uint32_t) { wake_one(w); }
};
struct wakes_none : explored_kernel {
  static void wake_marked(const word<std::uint32_t>&, std::uint32_t) {}
};

class Gate : public testing::TestWithParam<memory_model> {};

TEST_P(Gate, WhoIsMeantFindsWhatIsNew) { EXPECT_TRUE(holds<explored_kernel>(2, GetParam())); }
TEST_P(Gate, OthersAreWokenByTheNextOpening) {
  EXPECT_TRUE(holds<explored_kernel>(3, GetParam()));
  EXPECT_TRUE(holds<wakes_one>(3, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(In, Gate, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

/// As if all were woken.
struct forgets_the_announcement : wakes_one {
  template <class T>
  struct word : wakes_one::word<T> {
    using wakes_one::word<T>::word;
    T fetch_add(T by, order as, std::source_location at = std::source_location::current()) {
      const T was = wakes_one::word<T>::fetch_add(by, as, at);
      if (by > 255) this->fetch_and(static_cast<T>(~1u), order::relaxed, at);
      return was;
    }
  };
};

TEST(GateMutants, WhoIsMeantMustBeWoken) {
  EXPECT_TRUE(holds<wakes_one>(2, memory_model::sc));
  EXPECT_FALSE(holds<wakes_none>(2, memory_model::sc));
}

TEST(GateMutants, WhatIsNewMustBeReleased) {
  unsigned weakened = 0;
  EXPECT_FALSE(holds<explored_kernel>(2, memory_model::weak, [&](const std::source_location& at, order as) {
    if (std::string_view(at.function_name()).find("open_to") == std::string_view::npos) return as;
    ++weakened;
    return order::relaxed;
  }));
  EXPECT_GT(weakened, 0u);
}

TEST(GateMutants, WhoSleepsOnMustBeKnown) { EXPECT_FALSE(holds<forgets_the_announcement>(3, memory_model::sc)); }

}  // namespace
