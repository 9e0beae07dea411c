// The explored machine of virtual processors, in which one operation can be broken.
#pragma once

#include <source_location>
#include <string_view>

#include "simulator/explorer/arena.hpp"
#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"
#include "threads/scheduling/parking.hpp"
#include "threads/scheduling/run_queue.hpp"
#include "threads/scheduling/sleep_queue.hpp"

namespace explored_threads {

using namespace weir::explorer;
using order = std::memory_order;
using place = std::source_location;

/// What is wrong with the operation at one place of the source.
struct fault {
  enum class kind {
    left_out,
    reads,     // `value`, whatever is there
    wakes_one,  // of those that sleep
    does_not_compare  // stores, whatever was there
  };
  kind how;
  std::string_view file;  // the end of its path
  unsigned line;
  std::uint64_t value;
  bool is_at(place at) const { return at.line() == line && std::string_view(at.file_name()).ends_with(file); }
};
/// Of the search that runs; null: all is as written.
inline constinit const fault* present = nullptr;

inline bool is_broken(fault::kind how, place at) { return present != nullptr && present->how == how && present->is_at(at); }
/// Called with each place that changes something; null: nobody asks.
using note_of_place = void (*)(place at);
inline constinit note_of_place changes_at = nullptr;
inline bool is_changed_at(fault::kind how, place at) {
  if (changes_at != nullptr) changes_at(at);
  return is_broken(how, at);
}
inline bool is_left_out(place at) { return is_changed_at(fault::kind::left_out, at); }
template <class T>
T seen(place at, T value) {
  return is_broken(fault::kind::reads, at) ? static_cast<T>(present->value) : value;
}

/// What happens between two operations of a member: a handler may run. Null: nothing.
using action = void (*)();
using note_of_store = void (*)(const void* word, std::uint64_t value);
inline constinit action before_operation = nullptr;
inline constinit note_of_store after_store = nullptr;
inline constinit action after_fence_everywhere = nullptr;
inline constinit action wants_stand_in = nullptr;
inline void interrupt() {
  if (before_operation != nullptr) before_operation();
}

template <class T>
class breakable_word : public explored_kernel::word<T> {
  using whole = explored_kernel::word<T>;

 public:
  breakable_word(T value) : whole(value) {}
  T load(order how, place at = place::current()) const {
    interrupt();
    return seen(at, whole::load(how, at));
  }
  void store(T value, order how, place at = place::current()) {
    interrupt();
    if (is_left_out(at)) return;
    whole::store(value, how, at);
    if (after_store != nullptr) after_store(this, value);
  }
  void fetch_add(T by, order how, place at = place::current()) {
    if (!is_left_out(at)) whole::fetch_add(by, how, at);
  }
  void fetch_sub(T by, order how, place at = place::current()) {
    if (!is_left_out(at)) whole::fetch_sub(by, how, at);
  }
  T fetch_or(T by, order how, place at = place::current()) {
    return is_left_out(at) ? whole::load(order::relaxed, at) : whole::fetch_or(by, how, at);
  }
  T fetch_and(T by, order how, place at = place::current()) {
    return is_left_out(at) ? whole::load(order::relaxed, at) : whole::fetch_and(by, how, at);
  }
  T exchange(T value, order how, place at = place::current()) {
    const T before = whole::exchange(value, how, at);
    return is_changed_at(fault::kind::reads, at) ? static_cast<T>(present->value) : before;
  }
  bool compare_exchange_strong(T& expected, T to, order how, place at = place::current()) {
    if (is_changed_at(fault::kind::does_not_compare, at)) return whole::store(to, how, at), true;
    return whole::compare_exchange_strong(expected, to, how, at);
  }
};

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
inline constinit copies scenarios;

/// A word of addresses within a scenario, which are the same numbers for all members.
template <class T>
class breakable_pointer {
 public:
  breakable_pointer(T* to) : word_(of(to)) {}
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
  breakable_word<std::uintptr_t> word_;
};

struct machine {
  template <class T>
  using word = breakable_word<T>;
  template <class T>
  using pointer = breakable_pointer<T>;
  template <class T>
  static T* mark() { return breakable_pointer<T>::mark(); }
  static void light_fence() {}
  static void full_fence(place at = place::current()) {
    if (!is_left_out(at)) explored::fence(order::seq_cst, at);
  }
  static void fence_after_update(place at = place::current()) { full_fence(at); }
  /// membarrier: each member executes a fence now. If its order is weaker, there is none.
  static bool fence_everywhere(place at = place::current()) {
    if (is_left_out(at) || player::here().order(at, order::seq_cst) != order::seq_cst) return true;
    explored_kernel::heavy_fence();
    if (after_fence_everywhere != nullptr) after_fence_everywhere();
    return true;
  }
  static void sleep_while(const word<std::uint32_t>& w, std::uint32_t value) { explored_kernel::sleep_while(w, value); }
  static void wake(const word<std::uint32_t>& w, place at = place::current()) {
    if (is_broken(fault::kind::wakes_one, at)) return explored_kernel::wake_one(w);
    if (!is_left_out(at)) explored_kernel::wake_sleepers(w);
  }
  template <class Word, class Ready>
  static void yield_until(const Word& word, Ready ready) {
    word.spin(ready, order::acquire);
  }
  static void go_on_in_own_thread(weir::threads::basic_runnable<machine>& b);
  static void has_made_ready();
  static void wants_stand_in() {
    if (explored_threads::wants_stand_in != nullptr) explored_threads::wants_stand_in();
  }
};

using queue = weir::threads::basic_run_queue<machine>;
using sleep_queue = weir::threads::basic_sleep_queue<machine>;
using parking = weir::threads::basic_parking<machine>;
using idle_sleep = weir::threads::basic_idle_sleep<machine>;
template <class T>
using word = machine::word<T>;

struct body : weir::threads::basic_runnable<machine> {
  parking parked;
  word<std::uint32_t> has_done{0};  // relaxed: who hands the body over tells who takes it
};

/// Null: a kernel thread that waits for the end of its parking.
using action_of = void (*)(body& b);
inline constinit action_of goes_on_in_own_thread = nullptr;
inline void machine::go_on_in_own_thread(weir::threads::basic_runnable<machine>& b) {
  auto& resumed = static_cast<body&>(b);
  if (goes_on_in_own_thread != nullptr) return goes_on_in_own_thread(resumed);
  resumed.parked.end();
}

inline constinit idle_sleep* of_monitor = nullptr;
inline void machine::has_made_ready() {
  if (of_monitor != nullptr) of_monitor->has_changed();
}

}  // namespace explored_threads
