// Memory that the processes of a node share: their flags, and their roll.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <weir/barriers/plan.hpp>
#include <weir/machine/machine.hpp>

#include "roll.hpp"
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
  roll& people() { return people_; }

 private:
  struct alignas(line_bytes) line {
    flag flags[slots_per_line];
    processes::gate gate;
  };

  near_memory(void* at, std::size_t bytes, unsigned index, unsigned people, const std::vector<unsigned>& flag_line);

  void* const at_;
  const std::size_t bytes_;
  roll people_;
  line* const lines_;
  std::vector<flag*> flags_;
  std::vector<line*> line_of_;
};

}  // namespace weir::mpi
