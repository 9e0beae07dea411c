// Who the processes of a node are, and which of them have ended, or given a barrier up: kept in the memory that they share.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/machine.hpp>

namespace weir::mpi {

class roll {
 public:
  struct alignas(line_bytes) person {
    std::int64_t process, started;  // when, as the kernel counts it: numbers of processes are used again
    std::atomic<std::uint64_t> numbered_in;  // which name space the number is from; 0: has not entered yet
    std::atomic<int> gave_up;                // 1 + the index of the process because of which it did
  };

  /// Of so many, of whom this process is the one of that index. What lies there is zeros, until each has entered.
  roll(person* persons, unsigned people, unsigned index)
      : persons_(persons), people_(people), index_(index), next_asked_((index + 1) % people) {}
  void enter();

  /// For whose sake another has given up the barrier: its index. -1: none has.
  int given_up_for() const;
  /// One that has ended. -1: none of those that were looked at this time. Who was found is found again.
  int one_that_has_ended();
  /// Tells the others that this one will not come any more, because of another (its index), or of itself.
  void give_up(int because_of) noexcept;
  void give_up() noexcept { give_up(static_cast<int>(index_)); }

 private:
  person* const persons_;
  const unsigned people_, index_;
  unsigned next_asked_;
};

}  // namespace weir::mpi
