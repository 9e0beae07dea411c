// Weir's mutex, condition and semaphore in every interleaving: who is inside is alone, sees what was done before, and nobody
// sleeps through its wake-up.
#include <weir/locks.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string_view>

#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;
using order = std::memory_order;
using place = std::source_location;
using order_at = std::function<order(const place&, order)>;

/// What is no atomic word natively: without an order, a reader finds an older value.
class number {
 public:
  unsigned get() const { return value_.load(order::relaxed); }
  void set(unsigned to) { value_.store(to, order::relaxed); }

 private:
  explored::word<std::uint32_t> value_{0};
};

struct judged {
  explored::word<std::uint32_t> never{0};
  /// The search reports a member that waits for ever.
  void check(bool holds) {
    if (!holds) explored::spin(never, [](std::uint32_t) { return false; });
  }
};

/// Each member counts under the mutex; the last one finds all.
template <class Kernel>
struct counting : judged {
  weir::basic_mutex<explored, Kernel> mutex;
  number inside, count;
  explored::word<std::uint32_t> ended{0};
  void pass(unsigned, unsigned members) {
    mutex.lock();
    check(inside.get() == 0);
    inside.set(1);
    count.set(count.get() + 1);
    inside.set(0);
    mutex.unlock();
    // acq_rel: orders the last look alone; each member is outside by then.
    if (ended.fetch_add(1, order::acq_rel) + 1 == members) check(count.get() == members);
  }
};

/// Member 0 waits for what the others do, by a condition.
template <class Kernel>
struct waiting : judged {
  weir::basic_mutex<explored, Kernel> mutex;
  weir::basic_condition<explored, Kernel> changed;
  number done;
  void pass(unsigned member, unsigned members) {
    mutex.lock();
    if (member == 0)
      changed.wait(mutex, [&] { return done.get() == members - 1; });
    else
      done.set(done.get() + 1);
    mutex.unlock();
    if (member != 0) changed.notify_one();
  }
};

/// Member 0 releases what the others take, in one or in several calls.
template <class Kernel>
struct handing : judged {
  weir::basic_semaphore<explored, Kernel> units{0};
  number before;
  bool at_once;
  explicit handing(bool all_at_once) : at_once(all_at_once) {}
  void pass(unsigned member, unsigned members) {
    if (member == 0) {
      before.set(1);
      if (at_once) return units.release(members - 1);
      for (unsigned m = 1; m < members; ++m) units.release();
    } else {
      units.acquire();
      check(before.get() == 1);
      check(members > 2 || !units.try_acquire());
    }
  }
};

/// As a mutex: what one does before its release, the next one sees.
template <class Kernel>
struct passing : judged {
  weir::basic_semaphore<explored, Kernel> unit{1};
  number inside;
  void pass(unsigned, unsigned) {
    unit.acquire();
    check(inside.get() == 0);
    inside.set(1);
    inside.set(0);
    unit.release();
  }
};

template <class Make>
verdict searched(unsigned members, memory_model memory, Make make, order_at at = {}) {
  subject s;
  s.members = members;
  s.order_at = std::move(at);
  s.build = [members, make]() -> subject::body {
    return [program = make(), members](unsigned member) { program->pass(member, members); };
  };
  return explore(s, {.memory = memory});
}

template <class Kernel>
std::vector<std::function<verdict(unsigned, memory_model, order_at)>> searches_of() {
  return {[](unsigned n, memory_model m, order_at at) { return searched(n, m, [] { return new counting<Kernel>; }, at); },
          [](unsigned n, memory_model m, order_at at) { return searched(n, m, [] { return new waiting<Kernel>; }, at); },
          [](unsigned n, memory_model m, order_at at) { return searched(n, m, [] { return new handing<Kernel>(true); }, at); },
          [](unsigned n, memory_model m, order_at at) { return searched(n, m, [] { return new handing<Kernel>(false); }, at); },
          [](unsigned n, memory_model m, order_at at) { return searched(n, m, [] { return new passing<Kernel>; }, at); }};
}

class Locks : public testing::TestWithParam<memory_model> {};

TEST_P(Locks, HoldInEverySchedule) {
  for (const auto& search : searches_of<explored_kernel>()) {
    for (const unsigned members : {2u, 3u}) {
      const verdict found = search(members, GetParam(), {});
      EXPECT_TRUE(found.holds) << members;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(In, Locks, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

struct never_wakes : explored_kernel {
  static void wake_sleepers(const word<std::uint32_t>&) {}
  static void wake_one(const word<std::uint32_t>&) {}
};

TEST(LocksMutants, WhoSleepsMustBeWoken) {
  for (const auto& search : searches_of<never_wakes>()) EXPECT_FALSE(search(2, memory_model::sc, {}).holds);
}

/// A member that takes the mutex after a sleep forgets that others may sleep still.
struct forgets_sleepers : explored_kernel {
  template <class T>
  struct word : explored_kernel::word<T> {
    using explored_kernel::word<T>::word;
    T exchange(T value, order as, place at = place::current()) {
      T free = 0;
      if (value == 2 && this->compare_exchange_strong(free, T{1}, as, at)) return 0;
      return explored_kernel::word<T>::exchange(value, as, at);
    }
  };
};

TEST(LocksMutants, OneWakeUpMustLeadToTheNext) {
  const auto search = searches_of<forgets_sleepers>().front();
  EXPECT_TRUE(search(2, memory_model::sc, {}).holds);
  EXPECT_FALSE(search(3, memory_model::sc, {}).holds);
}

/// Of two that wait for a unit each.
struct wakes_only_one : explored_kernel {
  static void wake_sleepers(const word<std::uint32_t>& w) { wake_one(w); }
};

TEST(LocksMutants, AReleaseOfSeveralUnitsMustWakeAll) {
  const auto search = searches_of<wakes_only_one>()[2];
  EXPECT_TRUE(search(2, memory_model::sc, {}).holds);
  EXPECT_FALSE(search(3, memory_model::sc, {}).holds);
}

TEST(LocksMutants, EachOrderIsNeeded) {
  const auto is_here = [](const place& at) { return std::string_view(at.file_name()).ends_with("weir/locks.hpp"); };
  const auto searches = searches_of<explored_kernel>();
  std::map<unsigned, order> written;  // by line
  for (const auto& search : searches)
    (void)search(2, memory_model::weak, [&](const place& at, order as) {
      if (is_here(at) && as != order::relaxed) written[at.line()] = as;
      return as;
    });
  EXPECT_EQ(written.size(), 5u);
  for (const auto& [line, as] : written) {
    bool found = false;
    for (const auto& search : searches)
      found = found || !search(2, memory_model::weak, [&, line = line](const place& at, order given) {
                          return is_here(at) && at.line() == line ? order::relaxed : given;
                        }).holds;
    EXPECT_TRUE(found) << "line " << line;
  }
}

}  // namespace
