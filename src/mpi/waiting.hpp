// How a process waits for others: for a flag in the memory that it shares with them, and for a message.
//
// Both are machines (weir/machine/machine.hpp), so that waiting::experience, which learns when to give the processor away, serves
// processes as it serves threads. They add calls that let MPI progress the program's other operations: a rendezvous that a
// process has begun must proceed while it waits here, or its partner would never arrive.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/gate.hpp>
#include <weir/machine/native.hpp>
#include <weir/waiting.hpp>

namespace weir::mpi {

/// What a waiting process calls now and then. With `find_out` set the function returns whether an operation of MPI has moved. It
/// may throw, which ends the waiting.
struct progress_hook {
  bool (*look)(void*, bool find_out) = nullptr;
  void* of = nullptr;
  bool moving = false;  // then more will move soon, and a long sleep would delay it
  static thread_local progress_hook current;
  /// Finding out costs two system calls, which do not matter between sleeps.
  static void run(bool slept = false) {
    if (current.look != nullptr) current.moving = current.look(current.of, slept || current.moving);
  }
};

/// A futex that processes share. It has no membarrier, which orders one process only: a signaller makes a fence of its own.
struct shared_futex_kernel {
  template <class T>
  using word = std::atomic<T>;
  using stamp = futex_kernel::stamp;

  static constexpr std::uint32_t guarded_for = 63;
  static void light_fence() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }
  static void heavy_fence() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }
  static constexpr bool may_be_unguarded() { return true; }
  /// Lets MPI progress every two milliseconds.
  static void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value);
  static void wake_sleepers(std::atomic<std::uint32_t>& word) noexcept;
};

/// Processes of one node, and words in the memory that they share.
struct processes : native {
  using gate = basic_gate<shared_futex_kernel>;

  static void yield() {
    progress_hook::run();
    native::yield();
  }
  static bool switches_in_user_space() { return false; }
  /// Other processes of the job run as well, and yield. So it says nothing if more run than there are processors.
  static bool yields_cost_slices(std::uint64_t) { return false; }
  template <class Word, class Ready>
  static bool switch_until(const Word&, Ready, unsigned) {
    return false;
  }
  template <class Word, class Ready>
  static void yield_until(const Word& word, Ready ready) {
    while (!ready(word.load(std::memory_order_acquire))) yield();
  }
};
static_assert(machine<processes>);

/// No process can wake another one that waits for a message, so the waiter sleeps for a while and looks again. It sleeps for a
/// sixteenth of the time that it has waited; it is late by no more than that, and by the precision of the system's timers.
class message_gate {
 public:
  template <class Ready>
  void sleep_unless(Ready ready) {
    do {
      if (ready()) return;
      pause();
    } while (!progress_hook::current.moving);  // if something moves, the waiter returns and polls again
  }
  void open() {}
  std::uint64_t opened_at() const { return 0; }
  void restart() { since_ = 0; }
  /// One sleep.
  void pause();

 private:
  static constexpr double shortest_us = 20, longest_us = 1000;
  std::uint64_t since_ = 0;  // when the first sleep of this wait began; 0: there was none
};

/// Messages: a word is any object that tells whether a message has arrived.
struct messages : processes {
  using gate = message_gate;
  using processes::spin;

  /// A look is a call of MPI, which takes a microsecond or more, so a sixteenth of the looks takes as long as all looks at
  /// memory. With as many looks, a process that does not know that it shares its processor would keep it from the others for
  /// long.
  template <class Word, class Ready>
  static bool spin(const Word& word, Ready ready, unsigned polls) {
    return processes::spin(word, ready, (polls + 15) / 16);
  }
};

}  // namespace weir::mpi
