// Where bodies sleep: a futex in user space. A body that sleeps on a word is in a list, found by the word's address.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::threads {

struct body;

/// What a body sleeps on: a word, while it has this value.
struct awaited {
  const std::atomic<std::uint32_t>* word = nullptr;
  std::uint32_t value = 0;
};

/// The calling body sleeps until the word is woken, unless it has another value. Without preemption.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;
/// Wakes bodies that sleep on the word, at most so many, those that sleep longest. Thread-safe, for threads that are no bodies
/// too. After the store that they wait for.
void wake(std::atomic<std::uint32_t>& word, unsigned most) noexcept;

/// `b` is in the list of those that sleep, and may be made ready at once by any thread; false: the word has another value, or a
/// signal has come. It has stopped, or only the calling thread runs what is made ready where it belongs.
bool falls_asleep(body& b, awaited on) noexcept;
/// Wakes that body, if it sleeps: after summon(). Thread-safe.
void wake_body(body& b) noexcept;

}  // namespace weir::threads
