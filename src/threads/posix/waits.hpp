// How a member waits for an object of the C library (event_counts.hpp), and how its change is made known.
//
// The object keeps the C library's state: a member changes it by the C library's functions that do not wait, so threads that are
// no members may wait for the same object in the kernel. Objects shared between processes, and mutexes of which the kernel must
// know the owner, are left to the C library.
#pragma once

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <optional>

#include "machine/scheduling.hpp"
#include "threads/posix/interpose.hpp"
#include "threads/program/program_thread.hpp"
#include "threads/scheduling/deadlines.hpp"
#include "threads/scheduling/sleepers.hpp"
#include "threads/scheduling/spread.hpp"
#include "threads/support/code.hpp"

namespace weir::threads {

using event_count = basic_event_count<native_threads>;

/// The event count of the object at this address.
constexpr std::size_t event_counts = 256;
extern constinit event_count all_event_counts[event_counts];
/// Conditions have others: a thread that waits gives back the mutex after the announcement. An event of a mutex with the same
/// event count would keep the member awake each time.
extern constinit event_count all_of_conditions[event_counts];
/// As the table of sleepers finds its lists, so that a notifier computes one place for both.
inline std::size_t place_of(const void* object) {
  constexpr auto bits = static_cast<unsigned>(std::countr_zero(event_counts));
  return spread(reinterpret_cast<std::uintptr_t>(object), bits);
}
inline event_count& events_of(const void* object) { return all_event_counts[place_of(object)]; }

/// May the calling thread be a member, or become one where it waits? Otherwise it calls the C library's function.
inline bool may_be_member() { return scheduled_by != nullptr || all_are_members(); }
/// `return_address`: of the function by which the thread waits.
inline bool may_be_member(const void* return_address) { return may_be_member() && !is_called_by_allocator(return_address); }

/// The calling thread is going to block in the system until another one ends: it is in its own kernel thread then, or, if it
/// drives a processor, perhaps in a stand-in's.
void leave_until_thread_ends();

/// The calling body sleeps until it is woken, unless it must stay awake. False: it is no body of a processor any more.
bool sleep_on(const awaited& what);
/// What a member sleeps on that waits for an object: until there is another event than those that it has seen.
inline awaited next_event(const event_count& events, std::uint32_t seen, const void* object, table in = table::asked_about) {
  return {&events.events(), seen, in, static_cast<const std::atomic<std::uint32_t>*>(object)};
}

/// After a change of the object: wakes at most `most` members that wait for it, and returns how many have been woken.
unsigned notify_slowly(event_count& events, const void* object, unsigned most, table in);
inline unsigned notify(const void* object, unsigned most = 1) {
  native_threads::fence_after_update();  // the C library's
  event_count& events = events_of(object);
  return events.has_waiters() || has_sleepers(object) ? notify_slowly(events, object, most, table::asked_about) : 0;
}
inline constexpr unsigned all_waiters = std::numeric_limits<unsigned>::max();

/// During the lifetime of this object: has a signal come that ends the call? One with a limit is never restarted: the kernel has
/// it restarted only where no handler runs [restart_syscall(2)].
class interruption {
 public:
  explicit interruption(bool has_limit) : has_limit_(has_limit), before_(count()) {}
  bool has_come() const { return count() != before_; }

 private:
  unsigned count() const {
    const body* const own = this_body != nullptr ? this_body : own_body_of_thread();
    return own == nullptr ? 0 : has_limit_ ? own->handled : own->interrupted;
  }
  const bool has_limit_;
  const unsigned before_;
};

/// Calls try_once() until it returns something else than `busy`, and sleeps between the calls. Returns that; ETIMEDOUT: the limit
/// has passed; EINTR, if it may be interrupted; nothing: the thread is no member, so it must wait by the C library.
template <class Try>
std::optional<int> wait_while(int busy, const void* object, Try try_once, const time_limit* most = nullptr,
                              bool may_be_interrupted = false) {
  if (!comes_to_sleep()) return std::nullopt;
  const interruption signal(most != nullptr);
  event_count& events = events_of(object);
  std::optional<deadline> limit;
  for (std::uint32_t seen = events.announce();; seen = events.so_far()) {
    int now = try_once();
    bool waits = now == busy;
    bool late = false;
    // After another attempt: a notification that has come with the signal is not lost.
    if (waits && may_be_interrupted && signal.has_come()) return events.retire(), EINTR;
    if (waits && most != nullptr) {
      if (!limit)
        late = most->has_passed() || (limit.emplace(*this_body, events, *most), false);
      else
        late = limit->has_passed();
      // What has come in time may have come after the last attempt.
      if (late) now = try_once(), waits = now == busy;
    }
    if (waits && !late && sleep_on(next_event(events, seen, object))) continue;
    events.retire();
    if (!waits) return now;
    return late ? std::optional(ETIMEDOUT) : std::nullopt;
  }
}

/// The same without a time limit, for an object that shows by its first word whether it is busy: a member sleeps on that word, as
/// on a futex. Its place in the list of sleepers announces it, which saves three atomic updates. `must_be_zero`: see awaited.
template <class IsBusy, class Try>
std::optional<int> wait_while_word(int busy, const std::atomic<std::uint32_t>& word, IsBusy is_busy, Try try_once,
                                   const std::atomic<std::uint32_t>* must_be_zero = nullptr, bool may_be_interrupted = false) {
  if (!comes_to_sleep()) return std::nullopt;
  const interruption signal(false);
  for (;;) {
    if (const int now = try_once(); now != busy) return now;
    if (may_be_interrupted && signal.has_come()) return EINTR;
    const std::uint32_t value = word.load(std::memory_order_relaxed);  // relaxed: looked at again before the member sleeps
    if (is_busy(value) && !sleep_on({&word, value, table::asked_about, &word, must_be_zero})) return std::nullopt;
  }
}

/// During the lifetime of this object the C library may release the mutex, in a condition's wait, where nobody is told: members
/// wait for it in the C library meanwhile. The calling thread has locked it.
class released_by_c_library {
 public:
  explicit released_by_c_library(const void* mutex);
  released_by_c_library(const released_by_c_library&) = delete;
  ~released_by_c_library();
  /// Asked by a member that has announced itself: zero, unless the mutex, or one that shares an event count, may be released so.
  static const std::atomic<std::uint32_t>& how_many(const void* mutex);

 private:
  std::atomic<std::uint32_t>& count_;
};

/// A part of an object of the C library by which an attribute is known: it is found by making one object with the attribute and
/// one without.
template <class Object>
class mark {
 public:
  template <class Make>
  void find(Make make, int (*destroy)(Object*)) {
    alignas(Object) unsigned char with[sizeof(Object)] = {}, without[sizeof(Object)] = {};
    make(reinterpret_cast<Object*>(with), true);
    make(reinterpret_cast<Object*>(without), false);
    for (std::size_t i = 0; i < sizeof(Object); ++i)
      if (with[i] != without[i]) {
        at_ = i;
        bits_ = static_cast<unsigned char>(with[i] ^ without[i]);
      }
    destroy(reinterpret_cast<Object*>(with));
    destroy(reinterpret_cast<Object*>(without));
  }
  bool is_in(const Object* object) const {
    return (reinterpret_cast<const unsigned char*>(object)[at_] & bits_) != 0;
  }

 private:
  std::size_t at_ = 0;
  unsigned char bits_ = 0;
};

}  // namespace weir::threads
