// Where bodies sleep: a futex in user space. A body that sleeps on a word is in a list, found by the word's address.
#pragma once

#include <atomic>
#include <cstdint>

#include "threads/scheduling/sleep_queue.hpp"
#include "threads/support/native_threads.hpp"

namespace weir::threads {

struct body;

/// Two tables, since some who change an object ask after each change whether anybody sleeps on it: those that sleep on other
/// objects would be in their way.
enum class table : std::uint32_t { others, asked_about };

/// What a body sleeps on: an object, mostly the word itself, while the word has this value. Only the object's address counts.
struct awaited {
  const std::atomic<std::uint32_t>* word = nullptr;
  std::uint32_t value = 0;
  table in = table::others;
  const std::atomic<std::uint32_t>* object = word;
  const std::atomic<std::uint32_t>* must_be_zero = nullptr;  // another word, if there is one
  explicit operator bool() const { return word != nullptr; }
};

/// The calling body sleeps until the word is woken, unless it has another value. Without preemption.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;
/// Wakes at most `most` bodies that sleep on the word, those that have slept longest. To be called after the store that they wait
/// for. Thread-safe, also for threads that are not bodies.
void wake(std::atomic<std::uint32_t>& word, unsigned most) noexcept;
/// The same for bodies that sleep on an object; returns how many have been woken.
unsigned wake_on(const std::atomic<std::uint32_t>& object, unsigned most, table in) noexcept;
extern constinit basic_sleep_queues<native_threads> sleepers_asked_about;
/// Does any body sleep there? After the change of the object and a fence. Otherwise wake_on() has nothing to do.
inline bool has_sleepers(const void* object) {
  return sleepers_asked_about.of(reinterpret_cast<std::uintptr_t>(object)).has_sleepers();
}

/// True: `b` is in the list of sleepers, and any thread may make it ready at once. False: the word has another value, or a signal
/// has come. Either `b` has stopped, or only the calling thread runs bodies that are made ready at the seat of `b`.
bool falls_asleep(body& b, const awaited& on) noexcept;
/// Wakes that body, if it sleeps: after summon(). Thread-safe.
void wake_body(body& b, woken_by what = woken_by::others) noexcept;

/// Called after the event and before wake_on(), where a handler of the program may call it. True: the monitor will wake in its
/// place.
bool leaves_wake_up() noexcept;
/// For the monitor.
void wake_those_left() noexcept;

}  // namespace weir::threads
