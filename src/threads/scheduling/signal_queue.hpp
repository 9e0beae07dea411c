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

namespace weir::threads {

/// One thread adds at a time, another one takes.
class signal_queue {
 public:
  static constexpr int first_real_time = 32;  // the kernel's, of which the C library has two

  /// Async-signal-safe. False: no room is left, so a value would be lost.
  bool add(const siginfo_t& why) {
    if (why.si_signo < first_real_time) {
      if (is_there(why.si_signo)) return true;
      if (why.si_code == SI_TKILL) return add_plain(why.si_signo);
    }
    entry* const in = unused();
    // The kernel, too, loses only what has no value.
    if (in == nullptr) return why.si_code == SI_TKILL && add_plain(why.si_signo);
    in->code = why.si_code;
    std::memcpy(in->rest.data(), reinterpret_cast<const char*>(&why) + at_rest, in->rest.size());
    last_ = {in, token_of(++added_, why.si_signo)};
    in->token.store(last_.token, std::memory_order_release);  // the words above, for the thread that takes the signal
    return true;
  }
  /// Called by the thread that has added the signal, before it adds the next one. False: the signal has been taken.
  bool withdraw(const siginfo_t& why) {
    std::uint64_t expected = last_.token;
    // relaxed: nothing of the entry is read.
    if (last_.in != nullptr) return last_.in->token.compare_exchange_strong(expected, none, std::memory_order_relaxed);
    return (plain_.fetch_and(~bit_of(why.si_signo), std::memory_order_relaxed) & bit_of(why.si_signo)) != 0;
  }
  /// Calls what(siginfo_t) for each whose number is not in `kept`, lower numbers first, each in the order in which they came.
  template <class What>
  void take(std::uint64_t kept, What what) {
    const std::uint64_t plain = plain_.fetch_and(kept, std::memory_order_relaxed) & ~kept;
    for (int number = 1; number <= 64; ++number) {
      if ((plain & bit_of(number)) != 0) what(as_sent({}, number));
      if ((kept & bit_of(number)) == 0)
        for (found oldest; (oldest = find(number)).in != nullptr;) take_entry(oldest, number, what);
    }
  }

 private:
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
  struct found {
    entry* in = nullptr;
    std::uint64_t token = none;
  };

  static std::uint64_t bit_of(int number) { return std::uint64_t{1} << (number - 1); }
  // relaxed, all of plain_: a bit is the whole information; body::summon() orders it.
  bool add_plain(int number) {
    last_ = {};
    plain_.fetch_or(bit_of(number), std::memory_order_relaxed);
    return true;
  }
  bool is_there(int number) {
    last_ = find(number);
    return last_.in != nullptr || (plain_.load(std::memory_order_relaxed) & bit_of(number)) != 0;
  }
  entry* unused() {
    for (entry& e : entries_)  // acquire: what was there has been read
      if (e.token.load(std::memory_order_acquire) == none) return &e;
    return nullptr;
  }
  static siginfo_t as_sent(const entry& e, int number) {
    siginfo_t why{};
    why.si_signo = number;
    why.si_code = e.code;
    std::memcpy(reinterpret_cast<char*>(&why) + at_rest, e.rest.data(), e.rest.size());
    return why;
  }
  /// The oldest signal of that number. relaxed: the thread that takes it acquires it.
  found find(int number) {
    found oldest;
    for (entry& e : entries_) {
      const std::uint64_t token = e.token.load(std::memory_order_relaxed);
      if (number_of(token) == number && (oldest.in == nullptr || token < oldest.token)) oldest = {&e, token};
    }
    return oldest;
  }
  template <class What>
  static void take_entry(found it, int number, What what) {
    auto& token = it.in->token;
    // Not withdrawn, and used for another one, since it was found. acquire: what has been added.
    if (!token.compare_exchange_strong(it.token, being_taken, std::memory_order_acquire, std::memory_order_relaxed)) return;
    const siginfo_t why = as_sent(*it.in, number);
    token.store(none, std::memory_order_release);  // it has been read
    what(why);
  }

  std::array<entry, 16> entries_{};
  std::uint64_t added_ = 0;  // for the thread that adds
  found last_;               // the last signal that was added, or was already there; nothing: it was plain. For the thread that adds
  std::atomic<std::uint64_t> plain_{0};
};

}  // namespace weir::threads
