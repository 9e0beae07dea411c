// Steps that all processes of a communicator take together: all learn of a failure in one step before the next begins.
//
// Between two agreements each process works alone. If it fails, it keeps the exception and skips the rest of its work, but it
// joins the agreement like the others. So no process waits for one that has given up.
#pragma once

#include <mpi.h>

#include <exception>
#include <string>

#include "call.hpp"

namespace weir::mpi {

/// What MPI reported in one process's own work, after all processes have learnt of the failure.
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

  /// Collective. If a process has failed, it throws in all: the exception of this process, or an exception that another process
  /// has failed. It throws std::invalid_argument if that is the only kind of failure. Returns whether all `can` continue as
  /// planned.
  bool agree(bool can = true);

 private:
  const MPI_Comm comm_;
  std::exception_ptr met_;
};

}  // namespace weir::mpi
