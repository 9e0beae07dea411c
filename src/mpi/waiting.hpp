// How a process waits for others: for a flag in the memory that it shares with them, and for a message.
//
// Both are machines (weir/machine/machine.hpp), so that waiting::experience, which learns when to give the processor away, serves
// processes as it serves threads. What they add: now and then MPI is let go on with the program's other operations. A rendezvous
// that a process has begun must proceed while it waits here, or its partner would never come.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/gate.hpp>
#include <weir/machine/native.hpp>
#include <weir/waiting.hpp>

namespace weir::mpi {

/// What a waiting process does meanwhile: a look, which says whether something of MPI's moved if it is asked to find out. May
/// throw, and so end the waiting.
struct meanwhile {
  bool (*look)(void*, bool find_out) = nullptr;
  void* of = nullptr;
  bool moving = false;  // then more will move soon, and to sleep for long would hold it up
  static thread_local meanwhile current;
  /// To find out costs two system calls, which who sleeps between looks does not feel.
  static void now(bool slept = false) {
    if (current.look != nullptr) current.moving = current.look(current.of, slept || current.moving);
  }
};

/// A futex that processes share. No membarrier, which knows one process only: who signals makes a fence of its own.
struct shared_futex_kernel {
  template <class T>
  using word = std::atomic<T>;
  using stamp = futex_kernel::stamp;

  static constexpr std::uint32_t guarded_for = 63;
  static void light_fence() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }
  static void heavy_fence() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }
  static constexpr bool may_be_unguarded() { return true; }
  /// Looks after MPI every two milliseconds.
  static void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value);
  static void wake_sleepers(std::atomic<std::uint32_t>& word) noexcept;
};

/// Processes of one node, and words in the memory that they share.
struct processes : native {
  using gate = basic_gate<shared_futex_kernel>;

  static void yield() {
    meanwhile::now();
    native::yield();
  }
  template <class Word, class Ready>
  static void yield_until(const Word& word, Ready ready) {
    while (!ready(word.load(std::memory_order_acquire))) yield();
  }
};
static_assert(machine<processes>);

/// Nobody can wake a process that waits for a message: it naps, and looks again. A nap is a sixteenth of the time that it has
/// waited, so it is late by no more than that, and the system's timers.
class nap {
 public:
  template <class Ready>
  void sleep_unless(Ready ready) {
    do {
      if (ready()) return;
      doze();
    } while (!meanwhile::current.moving);  // then the waiting begins anew, awake
  }
  void open() {}
  std::uint64_t opened_at() const { return 0; }
  void rested() { since_ = 0; }
  /// One nap.
  void doze();

 private:
  static constexpr double shortest_us = 20, longest_us = 1000;
  std::uint64_t since_ = 0;  // when the first nap of this wait began; 0: there was none
};

/// Messages: a word is whatever says whether one has arrived.
struct messages : processes {
  using gate = nap;
  using processes::spin;

  /// To look is a call of MPI's, of a microsecond or more: so many fewer looks take the time that looks at memory do. Else a
  /// process that shares its processor unknowingly keeps it from the others for long.
  template <class Word, class Ready>
  static bool spin(const Word& word, Ready ready, unsigned polls) {
    return processes::spin(word, ready, (polls + 15) / 16);
  }
};

}  // namespace weir::mpi
