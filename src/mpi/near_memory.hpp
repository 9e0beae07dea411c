// Memory that the processes of a node share: their flags, and who they are.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <weir/barriers/plan.hpp>
#include <weir/machine/machine.hpp>

#include "waiting.hpp"

namespace weir::mpi {

class near_memory {
 public:
  /// Collective over all of `comm`, whose processes are on `nodes`. For the flags of this node that lie on these lines. Null in
  /// every process where any cannot have it (no /dev/shm, or not the same one): they agree on that. `failed` then says why here.
  static std::unique_ptr<near_memory> open(MPI_Comm comm, const std::vector<unsigned>& node, const std::vector<unsigned>& flag_line,
                                           unsigned lines, std::string& failed);
  ~near_memory();

  using flag = processes::word<std::uint32_t>;  // the number of the episode in which it was last signalled
  flag& at(unsigned index) { return *flags_[index]; }
  processes::gate& gate_of(unsigned index);

  /// For whose sake another process of this node has given up the barrier: its index in the node. -1: none has.
  int given_up_for() const;
  /// A process of this node that has ended. -1: none of those that were looked at this time. Who was found is found again.
  int one_that_has_ended();
  /// Tells the others that this one will not come any more, because of another (its index in the node), or of itself.
  void give_up(int because_of) noexcept;
  void give_up() noexcept { give_up(static_cast<int>(index_)); }

 private:
  struct alignas(line_bytes) line {
    flag flags[slots_per_line];
    processes::gate gate;
  };
  struct alignas(line_bytes) person {
    std::int64_t process, started;  // when, as the kernel counts it: numbers of processes are used again
    std::atomic<std::uint64_t> numbered_in;  // which name space the number is from; 0: has not entered yet
    std::atomic<int> gave_up;                // 1 + the index of the process because of which it did
  };

  near_memory(void* at, std::size_t bytes, unsigned index, unsigned people, const std::vector<unsigned>& flag_line);
  void enter();

  void* const at_;
  const std::size_t bytes_;
  const unsigned index_;
  unsigned next_asked_;
  const unsigned people_;
  person* const persons_;
  line* const lines_;
  std::vector<flag*> flags_;
  std::vector<line*> line_of_;
};

}  // namespace weir::mpi
