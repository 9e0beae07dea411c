// The MPI objects of a barrier: its own communicator, and the error handler of the program's communicator.
#pragma once

#include <mpi.h>

#include <string>

namespace weir::mpi {

bool mpi_is_there();
/// An error code of Weir's with this text, which MPI's error handlers can print.
int new_code(const std::string& what);
/// Whether barriers of several communicators can have windows at the same time.
bool windows_are_safe(MPI_Comm comm);

/// Throws std::invalid_argument if a barrier of this communicator is impossible.
void require_intra(MPI_Comm of);

/// A communicator for the barrier's messages. A barrier without messages uses MPI_COMM_WORLD instead, to let MPI progress. Also
/// keeps the program's error handler.
class own_communicator {
 public:
  explicit own_communicator(MPI_Comm of);
  ~own_communicator();
  own_communicator(const own_communicator&) = delete;
  own_communicator& operator=(const own_communicator&) = delete;

  /// Collective over `of`: creates a communicator of the same processes, which only Weir uses. Throws what MPI reports.
  void join(MPI_Comm of);

  operator MPI_Comm() const { return comm_; }
  /// It will not be freed, because other processes may never free theirs.
  void leave() { left_ = true; }
  /// Calls the program's error handler; may not return.
  void call_their_handler(int code);

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Errhandler theirs_ = MPI_ERRHANDLER_NULL;
  bool joined_ = false, left_ = false;
};

}  // namespace weir::mpi
