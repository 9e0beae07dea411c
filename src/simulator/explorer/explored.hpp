// The explored machine: the concept `machine`, implemented by the explorer.
#pragma once

#include <cstdint>
#include <mutex>
#include <source_location>
#include <type_traits>

#include <weir/machine/gate.hpp>
#include <weir/machine/machine.hpp>

#include "player.hpp"

namespace weir::explorer {

template <class T>
class explored_word {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 8);
  using change = operation::change;
  using kind = operation::kind;
  using place = std::source_location;

 public:
  explored_word() : explored_word(T{}) {}
  explored_word(T value) : explored_word(value, object_kind::word) {}
  explored_word(const explored_word&) = delete;
  explored_word& operator=(const explored_word&) = delete;

  // An operation includes its place in the source, so that a search can try a weaker order there.
  T load(std::memory_order order = std::memory_order_seq_cst, place at = place::current()) const {
    return perform(kind::load, order, at);
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst, place at = place::current()) {
    perform(kind::store, order, at, change::exchange, value);
  }
  T fetch_add(T by, std::memory_order order = std::memory_order_seq_cst, place at = place::current()) {
    return perform(kind::update, order, at, change::add, by);
  }
  T fetch_sub(T by, std::memory_order order = std::memory_order_seq_cst, place at = place::current()) {
    return perform(kind::update, order, at, change::subtract, by);
  }
  T fetch_or(T by, std::memory_order order = std::memory_order_seq_cst, place at = place::current()) {
    return perform(kind::update, order, at, change::set_bits, by);
  }
  T fetch_and(T by, std::memory_order order = std::memory_order_seq_cst, place at = place::current()) {
    return perform(kind::update, order, at, change::keep_bits, by);
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst, place at = place::current()) {
    return perform(kind::update, order, at, change::exchange, value);
  }
  bool compare_exchange_strong(T& expected, T wanted, std::memory_order order = std::memory_order_seq_cst,
                               place at = place::current()) {
    const T was = perform(kind::update, order, at, change::compare_exchange, wanted, expected);
    const bool same = was == expected;
    expected = was;
    return same;
  }

  /// Returns the value that was ready.
  template <class Ready>
  T spin(Ready& ready, std::memory_order order, place at = place::current()) const {
    operation o = make(kind::spin, order, at);
    return static_cast<T>(player::here().perform(o, &ready, [](const void* predicate, std::uint64_t value) {
      return (*static_cast<const Ready*>(predicate))(static_cast<T>(value));
    }));
  }

  std::uint32_t number() const { return number_; }

 protected:
  explored_word(T value, object_kind what) : number_(player::here().add(what, sizeof(T), value, this)) {}

 private:
  operation make(kind what, std::memory_order order, place at) const {
    operation o;
    o.what = what;
    o.order = player::here().order(at, order);
    o.bytes = sizeof(T);
    o.object = number_;
    return o;
  }
  T perform(kind what, std::memory_order order, place at, change how = {}, T operand = {}, T expected = {}) const {
    operation o = make(what, order, at);
    o.how = how;
    o.operand = operand;
    o.expected = expected;
    return static_cast<T>(player::here().perform(o));
  }

  const std::uint32_t number_;
};

struct explored_kernel {
  template <class T>
  struct word : explored_word<T> {
    word(T value) : explored_word<T>(value, object_kind::gate) {}
  };

  /// As few as possible: each is a state of its own.
  static constexpr std::uint32_t guarded_for = 1;
  /// Time is not explored.
  struct stamp {
    static void set() {}
    static std::uint64_t ticks() { return 0; }
  };
  /// For the compiler only: the stores stay in the buffer.
  static void light_fence() {}
  static void heavy_fence() { player::here().perform({.what = operation::kind::heavy_fence}); }
  static constexpr bool may_be_unguarded() { return true; }
  static void sleep_while(const word<std::uint32_t>& w, std::uint32_t value) {
    player::here().perform({.what = operation::kind::sleep, .bytes = 4, .object = w.number(), .operand = value});
  }
  static void wake_sleepers(const word<std::uint32_t>& w) {
    player::here().perform({.what = operation::kind::wake, .bytes = 4, .object = w.number()});
  }
  /// Marks are not explored.
  static void wake_marked(const word<std::uint32_t>& w, std::uint32_t) { wake_sleepers(w); }
  static void wake_one(const word<std::uint32_t>& w) {
    player::here().perform({.what = operation::kind::wake_one, .bytes = 4, .object = w.number()});
  }
};

class explored_mutex {
 public:
  explored_mutex() : number_(player::here().add(object_kind::mutex, 4, 0, this)) {}
  explored_mutex(const explored_mutex&) = delete;
  explored_mutex& operator=(const explored_mutex&) = delete;
  void lock() { player::here().perform({.what = operation::kind::lock, .object = number_}); }
  void unlock() { player::here().perform({.what = operation::kind::unlock, .object = number_}); }
  std::uint32_t number() const { return number_; }

 private:
  const std::uint32_t number_;
};

/// There are no spurious wake-ups: a waiter looks again anyway.
class explored_condition {
 public:
  explored_condition() : number_(player::here().add(object_kind::condition, 4, 0, this)) {}
  explored_condition(const explored_condition&) = delete;
  explored_condition& operator=(const explored_condition&) = delete;
  void wait(std::unique_lock<explored_mutex>& lock) {
    player::here().perform({.what = operation::kind::wait, .object = number_, .mutex = lock.mutex()->number()});
  }
  void notify_all() { player::here().perform({.what = operation::kind::notify, .object = number_}); }

 private:
  const std::uint32_t number_;
};

struct explored {
  static constexpr bool words_come_first = true;  // none is made while members run
  template <class T>
  using word = explored_word<T>;
  using gate = basic_gate<explored_kernel>;
  using mutex = explored_mutex;
  using condition = explored_condition;

  template <class Word, class Ready>
  static void spin(const Word& word, Ready ready) {
    word.spin(ready, std::memory_order_acquire);
  }
  /// One look stands for all polls: if it fails, the last poll failed, and the earlier ones may have happened at that same
  /// moment. Polling longer is equivalent to being scheduled later.
  template <class Word, class Ready>
  static bool spin(const Word& word, Ready ready, unsigned) {
    return ready(word.load(std::memory_order_acquire));
  }
  static void yield() { player::here().yield(); }
  template <class Word, class Ready>
  static void yield_until(const Word& word, Ready ready) {
    word.spin(ready, std::memory_order_acquire);
  }

  /// std::atomic_thread_fence
  static void fence(std::memory_order order = std::memory_order_seq_cst,
                    std::source_location at = std::source_location::current()) {
    player::here().perform({.what = operation::kind::fence, .order = player::here().order(at, order)});
  }

  static bool switches_in_user_space() { return false; }
  template <class Word, class Ready>
  static bool switch_until(const Word&, Ready, unsigned) {
    return false;
  }
  static bool crowded() { return false; }
  static bool yields_cost_slices(std::uint64_t) { return false; }
  static void migrate_home(std::uint64_t) {}

  static std::uint64_t ticks() { return player::here().ticks(); }
  static double ticks_per_microsecond() { return 1000; }

  /// For the bodies that members run: the events that the explorer judges.
  static void arrive(unsigned episode) { player::here().arrive(episode); }
  static void complete(unsigned episode) { player::here().complete(episode); }
  static void leave(unsigned episode) { player::here().leave(episode); }
};
static_assert(machine<explored>);

/// A subject whose members meet `episodes` times at the barrier that `make` makes; it returns a pointer.
template <class Make>
subject meeting(unsigned members, unsigned episodes, Make make) {
  subject s;
  s.members = members;
  s.episodes = episodes;
  s.build = [make, episodes]() -> subject::body {
    // Never destroyed: it is in an arena.
    return [barrier = make().release(), episodes](unsigned member) {
      for (unsigned e = 1; e <= episodes; ++e) {
        explored::arrive(e);
        barrier->arrive_and_wait(member);
        explored::leave(e);
      }
    };
  };
  return s;
}

}  // namespace weir::explorer
