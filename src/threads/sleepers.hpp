// Where bodies sleep: a futex in user space. A body that sleeps on a word is in a list, found by the word's address.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::threads {

/// The calling body sleeps until the word is woken, unless it has another value. Without preemption.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;
/// Wakes bodies that sleep on the word, at most so many, those that sleep longest. Thread-safe, for threads that are no bodies
/// too. After the store that they wait for.
void wake(std::atomic<std::uint32_t>& word, unsigned most) noexcept;

/// Wakes that body, if it sleeps. Thread-safe.
struct body;
void wake_body(body& b) noexcept;

}  // namespace weir::threads
