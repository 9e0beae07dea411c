// The run queues of virtual processors in every interleaving: no body is lost, none is taken twice, and no processor sleeps
// through the arrival of one.
#include "threads/run_queue.hpp"

#include <gtest/gtest.h>

#include "simulator/explorer/arena.hpp"
#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;
using order = std::memory_order;
using place = std::source_location;

/// Where the scenario is for the member that runs: each has a copy of its own.
struct copies {
  static constexpr unsigned most = 64;
  const arena* of[most] = {};
  std::uintptr_t at[most] = {};
  unsigned next = 0;
  void add(const void* scenario) {
    of[next % most] = arena::current();
    at[next++ % most] = reinterpret_cast<std::uintptr_t>(scenario);
  }
  std::uintptr_t here() const {
    for (unsigned i = next; i-- > 0 && i + most >= next;)
      if (of[i % most] == arena::current()) return at[i % most];
    return 0;
  }
};
constinit copies scenarios;

/// A word of addresses within a scenario, which are the same numbers for all members.
template <class T>
class explored_pointer {
 public:
  explored_pointer(T* to) : word_(of(to)) {}
  T* load(order how, place at = place::current()) const { return as(word_.load(how, at)); }
  void store(T* to, order how, place at = place::current()) { word_.store(of(to), how, at); }
  T* exchange(T* to, order how, place at = place::current()) { return as(word_.exchange(of(to), how, at)); }
  bool compare_exchange_strong(T*& expected, T* to, order how, place at = place::current()) {
    std::uintptr_t was = of(expected);
    const bool same = word_.compare_exchange_strong(was, of(to), how, at);
    expected = as(was);
    return same;
  }

  /// No object's.
  static T* mark() {
    alignas(T) static char at[sizeof(T)];
    return reinterpret_cast<T*>(at);
  }

 private:
  static constexpr std::uintptr_t marked = ~std::uintptr_t{0};
  static std::uintptr_t of(T* p) {
    if (p == nullptr) return 0;
    return p == mark() ? marked : reinterpret_cast<std::uintptr_t>(p) - scenarios.here();
  }
  static T* as(std::uintptr_t w) {
    if (w == 0) return nullptr;
    return w == marked ? mark() : reinterpret_cast<T*>(scenarios.here() + w);
  }
  explored_word<std::uintptr_t> word_;
};

/// A fence of one member: an update of a word that all fences have in common. So each sees what was before the fences that came
/// earlier, which is what two sequentially consistent fences promise, and no more is asked of them here.
constinit explored_word<std::uint32_t>* common = nullptr;

struct explored_threads {
  template <class T>
  using word = explored_kernel::word<T>;
  template <class T>
  using pointer = explored_pointer<T>;
  template <class T>
  static T* mark() { return explored_pointer<T>::mark(); }
  static void light_fence() {}
  static void full_fence() { common->fetch_add(0, order::acq_rel); }
  static bool fence_everywhere() {
    explored_kernel::heavy_fence();
    return true;
  }
  static void sleep_while(const word<std::uint32_t>& w, std::uint32_t value) { explored_kernel::sleep_while(w, value); }
  static void wake(const word<std::uint32_t>& w) { explored_kernel::wake_sleepers(w); }
  template <class Word, class Ready>
  static void yield_until(const Word& word, Ready ready) {
    word.spin(ready, order::acquire);
  }
  template <class Runnable>
  static void go_on_in_own_thread(Runnable&) {}
  static void has_made_ready() {}
};

/// Machines that leave out what the protocol needs.
struct without_full_fence : explored_threads {
  static void full_fence() {}
};
struct without_fence_everywhere : explored_threads {
  static bool fence_everywhere() { return true; }
};

template <class Machine>
struct judged {
  using queue = weir::threads::basic_run_queue<Machine>;
  using runnable = typename queue::runnable;

  explored_word<std::uint32_t> fences{0}, never{0}, ended{0}, begun{0};
  judged() {
    common = &fences;
    scenarios.add(this);
  }
  /// The search reports a member that waits for ever.
  void check(bool holds) {
    if (!holds) explored::spin(never, [](std::uint32_t) { return false; });
  }
  /// Words change in members alone: the first one makes what all others begin with.
  template <class Make>
  void begin(unsigned member, Make make) {
    if (member == 0) {
      make();
      begun.store(1, order::release);
    } else {
      explored::spin(begun, [](std::uint32_t now) { return now == 1; });
    }
  }
  bool is_last(unsigned members) { return ended.fetch_add(1, order::acq_rel) + 1 == members; }
  static void belongs(runnable& b, queue& to) {
    b.on.store(&to, order::relaxed);
    b.seat.store(&to, order::relaxed);
  }
  static unsigned count(queue& in, const runnable& b) {
    unsigned times = 0;
    while (const runnable* const each = in.take()) times += each == &b;
    return times;
  }
};

/// Member 0 drives the processor, and sleeps until it has a body from each of the others.
template <class Machine>
struct arriving : judged<Machine> {
  typename judged<Machine>::queue processor;
  typename judged<Machine>::runnable body[2];
  void pass(unsigned member, unsigned members) {
    this->begin(member, [&] {
      for (unsigned b = 0; b + 1 < members; ++b) this->belongs(body[b], processor);
    });
    if (member != 0) return processor.make_ready(body[member - 1], nullptr);
    for (unsigned had = 0; had + 1 < members;)
      if (processor.take() != nullptr)
        ++had;
      else
        processor.await_arrival();
  }
};

/// Member 0 drives the processor, and takes one of two ready bodies in the name of its own; member 1 steals.
template <class Machine>
struct stealing : judged<Machine> {
  typename judged<Machine>::queue processor, thief;
  typename judged<Machine>::runnable own, body[2];
  explored_word<std::uint32_t> taken[2]{};
  void take(typename judged<Machine>::runnable* b) {
    if (b != nullptr) this->check(taken[b == &body[1]].fetch_add(1, order::relaxed) == 0);
  }
  void pass(unsigned member, unsigned members) {
    this->begin(member, [&] {
      this->belongs(own, processor);
      own.held.store(0, order::relaxed);
      processor.runs(own);
      for (auto& b : body) {
        this->belongs(b, processor);
        processor.append(b);
      }
    });
    if (member == 0) {
      own.hold();
      take(processor.take());
      own.release();
    } else if (processor.claim(1)) {
      thief.steal_from(processor);
      processor.unclaim();
      take(thief.take());
    }
    if (!this->is_last(members)) return;
    take(processor.take());
    take(processor.take());
    for (auto& each : taken) this->check(each.load(order::relaxed) == 1);
  }
};

/// Member 0's body comes back from a call, takes the processor again and gives it away; member 1 hands it off; member 2 makes a
/// body ready. Where nobody reclaims the processor, that body must be at the stand-in.
template <class Machine>
struct handing_off : judged<Machine> {
  typename judged<Machine>::queue processor, stand_in;
  typename judged<Machine>::runnable own, body;
  const bool comes_back;
  explicit handing_off(bool back) : comes_back(back) {}
  void pass(unsigned member, unsigned members) {
    this->begin(member, [&] {
      this->belongs(own, processor);
      this->belongs(body, processor);
      own.held.store(0, order::relaxed);
      processor.runs(own);
    });
    if (member == 0 && comes_back) {
      own.hold();
      if (processor.is_stood_in_for()) processor.reclaim();
      own.release();
    } else if (member == 1) {
      if (processor.claim(1)) processor.hand_off(stand_in);
    } else if (member == 2) {
      processor.make_ready(body, nullptr);
    }
    if (!this->is_last(members)) return;
    const unsigned here = this->count(processor, body), there = this->count(stand_in, body);
    this->check(here + there == 1 && (comes_back || there == 1));
  }
};

template <class Make>
bool holds(unsigned members, memory_model memory, Make make) {
  subject s;
  s.members = members;
  s.build = [=]() -> subject::body {
    return [it = make(), members](unsigned member) { it->pass(member, members); };
  };
  const verdict its = explore(s, {.memory = memory});
  return its.holds && its.complete;
}

class RunQueue : public testing::TestWithParam<memory_model> {};

TEST_P(RunQueue, AProcessorDoesNotSleepThroughAnArrival) {
  EXPECT_TRUE(holds(2, GetParam(), [] { return new arriving<explored_threads>; }));
  EXPECT_TRUE(holds(3, GetParam(), [] { return new arriving<explored_threads>; }));
}
TEST_P(RunQueue, AThiefTakesNoBodyThatItsOwnerTakes) {
  EXPECT_TRUE(holds(2, GetParam(), [] { return new stealing<explored_threads>; }));
}
TEST_P(RunQueue, AHandOffLosesNoBody) {
  EXPECT_TRUE(holds(3, GetParam(), [] { return new handing_off<explored_threads>(false); }));
  EXPECT_TRUE(holds(3, GetParam(), [] { return new handing_off<explored_threads>(true); }));
}
INSTANTIATE_TEST_SUITE_P(In, RunQueue, testing::Values(memory_model::sc, memory_model::tso, memory_model::weak));

TEST(RunQueueMutants, WithoutFencesASleeperMissesItsArrival) {
  EXPECT_FALSE(holds(2, memory_model::tso, [] { return new arriving<without_full_fence>; }));
}
TEST(RunQueueMutants, WithoutFencesAHandOffLeavesABodyBehind) {
  EXPECT_FALSE(holds(3, memory_model::weak, [] { return new handing_off<without_full_fence>(false); }));
}
TEST(RunQueueMutants, WithoutAFenceEverywhereABodyIsTakenTwice) {
  EXPECT_TRUE(holds(2, memory_model::sc, [] { return new stealing<without_fence_everywhere>; }));
  EXPECT_FALSE(holds(2, memory_model::tso, [] { return new stealing<without_fence_everywhere>; }));
}

}  // namespace
