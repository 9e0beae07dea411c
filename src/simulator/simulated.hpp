// The simulated machine: the concept `machine`, implemented by the engine in virtual time.
//
// Words have the size of their values, so they share cache lines as on real cores. The simulated processors keep the order of
// their stores (as x86 does), so of the memory orders only a sequentially consistent store differs from others: it waits until it
// has taken effect. The explorer finds what a weaker order could break.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

#include <weir/machine/gate.hpp>
#include <weir/machine/machine.hpp>

#include "engine.hpp"

namespace weir::simulator {

template <class T>
class simulated_word {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 8);

 public:
  constexpr simulated_word() noexcept = default;
  constexpr simulated_word(T value) noexcept : value_(value) {}
  simulated_word(const simulated_word&) = delete;
  simulated_word& operator=(const simulated_word&) = delete;

  T load(std::memory_order = std::memory_order_seq_cst) const {
    T value;
    engine::here().load(&value_, &value, sizeof value);
    return value;
  }
  void store(T value, std::memory_order order = std::memory_order_release) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    engine::here().store(&value_, bits, sizeof value);
    if (order == std::memory_order_seq_cst) engine::here().drain();
  }
  T fetch_add(T by, std::memory_order = std::memory_order_seq_cst) {
    return update([by](T old) { return static_cast<T>(old + by); });
  }
  T fetch_sub(T by, std::memory_order = std::memory_order_seq_cst) {
    return update([by](T old) { return static_cast<T>(old - by); });
  }
  T fetch_or(T by, std::memory_order = std::memory_order_seq_cst) {
    return update([by](T old) { return static_cast<T>(old | by); });
  }
  T fetch_and(T by, std::memory_order = std::memory_order_seq_cst) {
    return update([by](T old) { return static_cast<T>(old & by); });
  }
  T exchange(T value, std::memory_order = std::memory_order_seq_cst) {
    return update([value](T) { return value; });
  }
  bool compare_exchange_weak(T& expected, T wanted, std::memory_order = std::memory_order_seq_cst) {
    return compare_exchange_strong(expected, wanted);
  }
  bool compare_exchange_strong(T& expected, T wanted, std::memory_order = std::memory_order_seq_cst) {
    const T was = update([&](T old) { return old == expected ? wanted : old; });
    const bool same = was == expected;
    expected = was;
    return same;
  }

  const T& in_memory() const { return value_; }

 private:
  template <class F>
  T update(F f) {
    T old{};
    engine::here().atomic(&value_, [&] {
      old = value_;
      value_ = f(old);
    });
    return old;
  }

  T value_{};
};

struct simulated_kernel {
  template <class T>
  using word = simulated_word<T>;

  static constexpr std::uint32_t guarded_for = 63;
  class stamp {
   public:
    void set() { at_ = static_cast<std::uint64_t>(engine::here().now() / nanosecond); }
    std::uint64_t ticks() const { return at_; }

   private:
    std::uint64_t at_ = 0;
  };
  static void light_fence() {}
  /// membarrier(2): interrupts every processor; charged as a system call.
  static void heavy_fence() { engine::here().system_call(engine::here().model().system.wake); }
  static constexpr bool may_be_unguarded() { return true; }
  static void sleep_while(const word<std::uint32_t>& w, std::uint32_t value) {
    engine::here().sleep_while(&w, &w.in_memory(), value);
  }
  static void wake_sleepers(const word<std::uint32_t>& w) { engine::here().wake(&w, ~0u); }
  static void wake_one(const word<std::uint32_t>& w) { engine::here().wake(&w, 1); }
};

/// A futex lock with three states: free, taken, taken with possible sleepers.
class simulated_mutex {
 public:
  void lock() {
    std::uint32_t seen = 0;
    if (state_.compare_exchange_strong(seen, 1)) return;
    while (state_.exchange(2) != 0) simulated_kernel::sleep_while(state_, 2);
  }
  void unlock() {
    if (state_.exchange(0) == 2) simulated_kernel::wake_one(state_);
  }

 private:
  simulated_word<std::uint32_t> state_{0};
};

class simulated_condition {
 public:
  void wait(std::unique_lock<simulated_mutex>& lock) {
    const std::uint32_t before = notices_.load();
    lock.unlock();
    simulated_kernel::sleep_while(notices_, before);
    lock.lock();
  }
  void notify_all() {
    notices_.fetch_add(1);
    simulated_kernel::wake_sleepers(notices_);
  }

 private:
  simulated_word<std::uint32_t> notices_{0};
};

/// In its lifetime the running thread's polls also look for work, while `there_is_any`: a limited number of polls is then made
/// one by one, instead of parking the thread until the polled word changes.
class looking_elsewhere {
 public:
  explicit looking_elsewhere(const bool& there_is_any)
      : outer_(std::exchange(engine::here().self().looks_elsewhere, &there_is_any)) {}
  looking_elsewhere(const looking_elsewhere&) = delete;
  ~looking_elsewhere() { engine::here().self().looks_elsewhere = outer_; }

 private:
  const bool* const outer_;
};

struct simulated {
  template <class T>
  using word = simulated_word<T>;
  using gate = basic_gate<simulated_kernel>;
  using mutex = simulated_mutex;
  using condition = simulated_condition;

  template <class Word, class Ready>
  static void spin(const Word& word, Ready ready) {
    while (!ready(word.load(std::memory_order_acquire))) engine::here().wait_for_change(&word, 0, false);
  }
  template <class Word, class Ready>
  static bool spin(const Word& word, Ready ready, unsigned polls) {
    for (std::uint64_t left = polls; left != 0;) {
      if (ready(word.load(std::memory_order_acquire))) return true;
      const bool* const looks = engine::here().self().looks_elsewhere;
      const std::uint64_t gone = engine::here().wait_for_change(&word, looks != nullptr && *looks ? 1 : left, false);
      left -= gone < left ? gone : left;
    }
    return false;
  }
  static void yield() { engine::here().yield(); }
  template <class Word, class Ready>
  static void yield_until(const Word& word, Ready ready) {
    while (!ready(word.load(std::memory_order_acquire))) engine::here().wait_for_change(&word, 0, true);
  }

  /// The running thread has allocated this memory, and written it first.
  static void has_made(const void* begin, std::size_t bytes) { engine::here().allocated(begin, bytes); }

  template <class Word>
  static void request_for_writing(const Word& word) {
    engine::here().request_for_writing(&word);
  }

  static bool switches_in_user_space() { return false; }
  template <class Word, class Ready>
  static bool switch_until(const Word&, Ready, unsigned) {
    return false;
  }
  static bool crowded() { return false; }
  static bool yields_cost_slices(std::uint64_t) { return false; }
  static void migrate_home(std::uint64_t) {}
  static std::uint64_t ticks() { return static_cast<std::uint64_t>(engine::here().now() / nanosecond); }
  static double ticks_per_microsecond() { return 1000.0; }
};
static_assert(machine<simulated>);

}  // namespace weir::simulator
