// Signals for one thread that are pending until the thread handles them. They are queued as in the kernel: several ordinary
// signals of one number become one, with the information of the first; each real-time signal is kept [signal(7), "Queueing and
// delivery semantics for real-time signals"].
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace weir::threads {

/// One thread adds at a time, another one takes.
class signal_queue {
 public:
  static constexpr int first_real_time = 32;  // the kernel's, of which the C library has two

  /// One that has been added, whether or not it has been taken since. It has no pointer into the queue, and may outlive it.
  struct pending {
    std::size_t place = no_place;  // the entry; or it has only a number
    std::uint64_t token = none;
  };

  /// Async-signal-safe. Nothing: no room is left, so a value would be lost.
  std::optional<pending> add(const siginfo_t& why) {
    if (why.si_signo < first_real_time) {
      if (const std::optional<pending> found = find_any(why.si_signo)) return found;
      if (why.si_code == SI_TKILL) return add_plain(why.si_signo);
    }
    const std::size_t place = unused();
    // The kernel, too, loses only what has no value.
    if (place == no_place) return why.si_code == SI_TKILL ? std::optional(add_plain(why.si_signo)) : std::nullopt;
    entry& in = entries_[place];
    in.code = why.si_code;
    std::memcpy(in.rest.data(), reinterpret_cast<const char*>(&why) + at_rest, in.rest.size());
    const std::uint64_t token = token_of(++added_, why.si_signo);
    in.token.store(token, std::memory_order_release);  // the words above, for the thread that takes the signal
    return pending{place, token};
  }
  /// Called by a thread that may add, also after others have added. False: the signal has been taken.
  bool withdraw(const pending& sent) {
    std::uint64_t expected = sent.token;
    // relaxed: nothing of the entry is read.
    if (sent.place != no_place)
      return entries_[sent.place].token.compare_exchange_strong(expected, none, std::memory_order_relaxed);
    const std::uint64_t bit = bit_of(number_of(sent.token));
    return (plain_.fetch_and(~bit, std::memory_order_relaxed) & bit) != 0;
  }
  /// Calls what(siginfo_t) for each whose number is not in `kept`, lower numbers first, each in the order in which they came.
  template <class What>
  void take(std::uint64_t kept, What what) {
    const std::uint64_t plain = plain_.fetch_and(kept, std::memory_order_relaxed) & ~kept;
    for (int number = 1; number <= 64; ++number) {
      if ((plain & bit_of(number)) != 0) what(as_sent({}, number));
      if ((kept & bit_of(number)) == 0)
        for (pending oldest; (oldest = find(number)).place != no_place;) take_entry(oldest, number, what);
    }
  }

 private:
  static constexpr std::size_t most = 16, no_place = most;
  // What an entry holds: its place in the order, and the signal's number.
  static constexpr std::uint64_t none = 0, being_taken = 255;
  static std::uint64_t token_of(std::uint64_t order, int number) {
    return order << 8 | static_cast<std::uint64_t>(number);
  }
  static int number_of(std::uint64_t token) { return static_cast<int>(token & 255); }

  struct entry {
    std::atomic<std::uint64_t> token{none};
    int code = SI_TKILL;
    // The sender, its user, and a value, or the end of a child process, as the code says.
    std::array<char, 32> rest{};
  };
  static constexpr std::size_t at_rest = 16;  // in siginfo_t, where three words and their padding come first

  static std::uint64_t bit_of(int number) { return std::uint64_t{1} << (number - 1); }
  // relaxed, all of plain_: a bit is the whole information; body::summon() orders it.
  pending add_plain(int number) {
    plain_.fetch_or(bit_of(number), std::memory_order_relaxed);
    return {no_place, token_of(0, number)};
  }
  std::optional<pending> find_any(int number) {
    if (const pending found = find(number); found.place != no_place) return found;
    if ((plain_.load(std::memory_order_relaxed) & bit_of(number)) == 0) return std::nullopt;
    return pending{no_place, token_of(0, number)};
  }
  std::size_t unused() const {
    std::size_t place = 0;
    // acquire: what was there has been read
    while (place < most && entries_[place].token.load(std::memory_order_acquire) != none) ++place;
    return place;
  }
  static siginfo_t as_sent(const entry& e, int number) {
    siginfo_t why{};
    why.si_signo = number;
    why.si_code = e.code;
    std::memcpy(reinterpret_cast<char*>(&why) + at_rest, e.rest.data(), e.rest.size());
    return why;
  }
  /// The oldest signal of that number. relaxed: the thread that takes it acquires it.
  pending find(int number) const {
    pending oldest;
    for (std::size_t place = 0; place < most; ++place) {
      const std::uint64_t token = entries_[place].token.load(std::memory_order_relaxed);
      if (number_of(token) == number && (oldest.place == no_place || token < oldest.token)) oldest = {place, token};
    }
    return oldest;
  }
  template <class What>
  void take_entry(pending it, int number, What what) {
    entry& in = entries_[it.place];
    auto& token = in.token;
    // Not withdrawn, and used for another one, since it was found. acquire: what has been added.
    if (!token.compare_exchange_strong(it.token, being_taken, std::memory_order_acquire, std::memory_order_relaxed)) return;
    const siginfo_t why = as_sent(in, number);
    token.store(none, std::memory_order_release);  // it has been read
    what(why);
  }

  std::array<entry, most> entries_{};
  std::uint64_t added_ = 0;  // for the thread that adds
  std::atomic<std::uint64_t> plain_{0};
};

}  // namespace weir::threads
