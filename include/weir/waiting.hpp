// SPDX-License-Identifier: Apache-2.0
// How to wait. A policy is not a barrier: any algorithm takes any policy.
//
// An algorithm calls await(member, word, gate, ready, others) to wait until ready(word), and calls wake(gate) after each store
// that a member may wait for. A policy implements poll(), which reads the word until the word is ready (true) or until the waiter
// should sleep (false). Policies are templates over a machine, so that simulated members wait by the same source.
//
// Memory order: the last read of a word is an acquire. When await() returns, the waiter therefore sees everything that the writer
// did before the release store.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include <weir/machine/gate.hpp>
#include <weir/team.hpp>

namespace weir {

/// The other members on the waiter's processor, as far as the algorithm knows.
enum class co_located {
  unknown,  ///< some may not have arrived yet, and need the processor to do so
  waiting,  ///< all have arrived and wait: giving the processor to them helps nobody
};

/// Other work for members that wait at a barrier, such as the tasks of a runtime. `auto` asks for work between polls, once a wait
/// has lasted longer than a few microseconds; other policies do not ask. A member calls these functions with its own number, and
/// several members may call them at the same time. waiting::experience says what each function must do. The work must outlive the
/// barrier.
class work_of_members {
 public:
  /// From now on there may be work. Before that, a wait only tests one more word.
  void begin() { begun_.store(true, std::memory_order_relaxed); }  // relaxed: the member that takes work acquires it

  virtual bool take(unsigned member) = 0;
  virtual bool execute(unsigned member) = 0;
  virtual void fall_asleep(unsigned member, gate& at) = 0;
  virtual void awake(unsigned member) = 0;

  struct of_one {
    work_of_members& work;
    unsigned member;
    bool take() { return work.begun_.load(std::memory_order_relaxed) && work.take(member); }
    bool execute() { return work.execute(member); }
    void fall_asleep(gate& at) { work.fall_asleep(member, at); }
    void awake() { work.awake(member); }
  };

 protected:
  ~work_of_members() = default;

 private:
  std::atomic<bool> begun_{false};
};

namespace waiting {

namespace detail {

/// The part that all policies have in common: sleeping if poll() has returned false, and waking sleepers.
template <class Machine, class Policy>
class policy {
 public:
  static constexpr bool placed = false;  // does the policy ask which processor each member is bound to?

  template <class Word, class Ready>
  void await(unsigned member, const Word& word, typename Machine::gate& gate, Ready ready,
             co_located others = co_located::unknown) {
    auto& self = static_cast<Policy&>(*this);
    while (!self.poll(member, word, ready, others)) {
      if constexpr (Policy::sleeps)
        // relaxed: the gate orders the look, and poll() acquires what it finds.
        gate.sleep_unless([&] { return ready(word.load(std::memory_order_relaxed)); });
    }
  }

  void wake(typename Machine::gate& gate) {
    if constexpr (Policy::sleeps) gate.open();
  }
};

}  // namespace detail

/// Polls until ready, and never gives the processor away.
template <class Machine>
class spin : public detail::policy<Machine, spin<Machine>> {
 public:
  static constexpr const char* name = "spin";
  static constexpr const char* about = "poll, and never give the processor away";
  static constexpr bool sleeps = false;
  explicit spin(const team&) {}

  template <class Word, class Ready>
  bool poll(unsigned, const Word& word, Ready ready, co_located) {
    Machine::spin(word, ready);
    return true;
  }
};

/// Polls a while, then gives the processor away between polls.
template <class Machine>
class yield : public detail::policy<Machine, yield<Machine>> {
 public:
  static constexpr const char* name = "yield";
  static constexpr const char* about = "poll a while, then give the processor away between polls";
  static constexpr bool sleeps = false;
  explicit yield(const team&) {}

  template <class Word, class Ready>
  bool poll(unsigned, const Word& word, Ready ready, co_located) {
    if (!Machine::spin(word, ready, polls)) Machine::yield_until(word, ready);
    return true;
  }

 private:
  static constexpr unsigned polls = 100;  // a few microseconds: the cost of two context switches
};

/// Polls a while, then sleeps until woken.
template <class Machine>
class block : public detail::policy<Machine, block<Machine>> {
 public:
  static constexpr const char* name = "block";
  static constexpr const char* about = "poll a while, then sleep until woken";
  static constexpr bool sleeps = true;
  explicit block(const team&) {}

  template <class Word, class Ready>
  bool poll(unsigned, const Word& word, Ready ready, co_located) {
    return Machine::spin(word, ready, polls);
  }

 private:
  static constexpr unsigned polls = 100;
};

/// [Paper 000, section 3.4] Gives the processor away only if another member shares it, and otherwise spins: a barrier then spins
/// while there are enough processors, and blocks while there are not.
template <class Machine>
class share : public detail::policy<Machine, share<Machine>> {
 public:
  static constexpr const char* name = "share";
  static constexpr const char* about = "yield only where another thread shares the processor, otherwise spin";
  static constexpr bool sleeps = false;
  static constexpr bool placed = true;
  explicit share(const team& t) {
    for (unsigned m = 0; m < t.members; ++m) oversubscribed_.push_back(t.oversubscribed(m));
  }

  template <class Word, class Ready>
  bool poll(unsigned member, const Word& word, Ready ready, co_located others) {
    if (oversubscribed_[member] && others == co_located::unknown)
      Machine::yield_until(word, ready);
    else
      Machine::spin(word, ready);
    return true;
  }

 private:
  std::vector<char> oversubscribed_;
};

template <class Machine>
class automatic;  // waiting_automatic.hpp

template <template <class> class... Policy>
struct policies {};
/// All policies, the default first. Every list of policies by name, with their descriptions, comes from here.
using table = policies<automatic, spin, yield, block, share>;

}  // namespace waiting
}  // namespace weir

#include <weir/waiting_automatic.hpp>
