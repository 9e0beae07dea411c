// What a barrier has of MPI for itself: a communicator, and errors by the handler that the program's has.
#pragma once

#include <mpi.h>

#include <string>

namespace weir::mpi {

bool mpi_is_there();
/// An error of our own that MPI's handlers can name.
int new_code(const std::string& what);
/// Can barriers of several communicators have windows at the same time?
bool windows_are_safe(MPI_Comm comm);

/// std::invalid_argument where there can be no barrier of it.
void require_intra(MPI_Comm of);

/// A communicator for a barrier's messages, where it has any, or else the world, to look after MPI by; and what the program wants to
/// happen on an error.
class own_communicator {
 public:
  explicit own_communicator(MPI_Comm of);
  ~own_communicator();
  own_communicator(const own_communicator&) = delete;
  own_communicator& operator=(const own_communicator&) = delete;

  /// Collective over `of`: from now on it is one of that one's processes, and of nobody else. What MPI reports is thrown.
  void join(MPI_Comm of);

  operator MPI_Comm() const { return comm_; }
  /// It will not be freed: others may never do so.
  void leave() { left_ = true; }
  /// What the program wants to happen on an error; may not return.
  void call_their_handler(int code);

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Errhandler theirs_ = MPI_ERRHANDLER_NULL;
  bool joined_ = false, left_ = false;
};

}  // namespace weir::mpi
