// Steps that all processes of a communicator take together: whatever fails in one of them is known to all before the next.
//
// Between two agreements each process works by itself. What it meets there is kept, and its other work is left out, but it comes to
// the agreement as the others do. So nobody waits for a process that has given up.
#pragma once

#include <mpi.h>

#include <exception>
#include <string>

#include "call.hpp"

namespace weir::mpi {

/// What MPI reported in one process's own work, when all know that it has failed.
class agreed_error : public error {
 public:
  using error::error;
};

class steps {
 public:
  explicit steps(MPI_Comm comm) : comm_(comm) {}

  /// This process's own work: no collective operation.
  template <class Work>
  void alone(Work work) noexcept {
    if (met_) return;
    try {
      work();
    } catch (...) {
      met_ = std::current_exception();
    }
  }
  bool good() const { return met_ == nullptr; }

  /// Collective. Where something has failed it throws in all: what this process has met, or that another has met something.
  /// std::invalid_argument is thrown where it is all that anybody has met. Can all go on as they meant to?
  bool agree(bool can = true);

 private:
  const MPI_Comm comm_;
  std::exception_ptr met_;
};

}  // namespace weir::mpi
