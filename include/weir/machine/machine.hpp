// SPDX-License-Identifier: Apache-2.0
// The concept of a machine: everything that a barrier needs. native.hpp implements it with real processors; the simulator and the
// explorer (src/simulator) implement it with simulated ones.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace weir {

/// Words that different members write are this many bytes apart. This is twice the 64-byte line of most processors, because
/// prefetchers fetch lines in pairs, and some processors (Apple, POWER) have lines of 128 bytes.
inline constexpr std::size_t line_bytes = 128;

/// `word<T>`       an atomic word
/// `gate`          where members sleep (gate.hpp)
/// `mutex`, `condition`   for the barriers that are built on them
/// `spin`          polls a word, with acquire, until it is ready, or a limited number of times (true: it is ready)
/// `yield`         gives the processor to another runnable thread
/// `yield_until`   polls a word until it is ready, and yields between the polls
/// `switch_until`  the same, a limited number of times, where a call switches to other members in user space (true: it is ready)
/// `switches_in_user_space`  do other members run in user space beside the caller? A sleep then costs no system call
/// `crowded`       do waiters keep others from running, whatever their own teams look like? (All teams of the process
///                 together may have more members than there are processors.)
/// `yields_cost_slices`  would a yield give another program a whole time slice, as far as is known? Asked once in a wait. Now
///                 and then the answer to one waiter is no, as a trial; takes the time in ticks
/// `migrate_home`  moves a thread that waits long back to its home processor, if it has one; takes the time in ticks
/// `ticks`         a clock that is cheap enough to be read while waiting
///
/// A machine may also have
/// `has_made(begin, bytes)`       which is told that the caller was the first to write this memory
/// `request_for_writing(word)`    fetches the word's line to be written later, and does not wait for it
template <class M>
concept machine = requires(typename M::template word<std::uint32_t>& word, typename M::gate& gate,
                           bool (*ready)(std::uint32_t)) {
  { word.load(std::memory_order_acquire) } -> std::same_as<std::uint32_t>;
  word.store(1u, std::memory_order_release);
  { word.fetch_add(1u, std::memory_order_acq_rel) } -> std::same_as<std::uint32_t>;
  gate.sleep_unless([] { return true; });
  gate.open();
  typename M::mutex;
  typename M::condition;
  M::spin(word, ready);
  { M::spin(word, ready, 1u) } -> std::same_as<bool>;
  M::yield();
  M::yield_until(word, ready);
  { M::switch_until(word, ready, 1u) } -> std::same_as<bool>;
  { M::switches_in_user_space() } -> std::same_as<bool>;
  { M::crowded() } -> std::same_as<bool>;
  { M::yields_cost_slices(std::uint64_t{}) } -> std::same_as<bool>;
  M::migrate_home(std::uint64_t{});
  { M::ticks() } -> std::same_as<std::uint64_t>;
  { M::ticks_per_microsecond() } -> std::convertible_to<double>;
};

}  // namespace weir
