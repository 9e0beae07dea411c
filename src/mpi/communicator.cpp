#include "communicator.hpp"

#include <mutex>
#include <stdexcept>

#include "call.hpp"
#include "polite.hpp"

namespace weir::mpi {

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS) return "MPI error " + std::to_string(code);
  return std::string(text, static_cast<std::size_t>(length));
}

void require_intra(MPI_Comm comm) {
  if (!mpi_is_there()) throw std::invalid_argument("weir: a barrier over MPI was asked for where MPI has not begun (by MPI_Init; not by a session alone), or has ended");
  if (comm == MPI_COMM_NULL) throw std::invalid_argument("weir: a barrier was asked for over MPI_COMM_NULL");
  int inter = 0;
  check(PMPI_Comm_test_inter(comm, &inter), "looking at a communicator");
  if (inter != 0)
    throw std::invalid_argument("weir: a barrier was asked for over an inter-communicator; MPI_Intercomm_merge makes one that can");
}

int new_code(const std::string& what) {
  int code = MPI_ERR_OTHER;
  std::string text = what.substr(0, MPI_MAX_ERROR_STRING - 1);  // not const: not everywhere is its parameter so
  if (PMPI_Add_error_code(MPI_ERR_OTHER, &code) == MPI_SUCCESS) PMPI_Add_error_string(code, text.data());
  return code;
}

bool mpi_is_there() {
  int begun = 0, ended = 0;
  PMPI_Initialized(&begun);
  PMPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

// Open MPI before 5.0 gives the windows of communicators that have no process in common the same memory (open-mpi/ompi, issue 9492):
// a barrier of one would let go that of another. There is no other where this one has all processes.
bool windows_are_safe(MPI_Comm comm) {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  // Not by the number of processes: those that others have spawned have another world.
  int alike = MPI_UNEQUAL;
  check(PMPI_Comm_compare(comm, MPI_COMM_WORLD, &alike), "looking at a communicator");
  return alike != MPI_UNEQUAL;
#else
  return comm != MPI_COMM_NULL;
#endif
}

// Split, not duplicated: a program's attributes, whose copying may be a function of its own, and its promises of how it receives
// messages, are not for us.
namespace {

MPI_Comm split(MPI_Comm of) {
  MPI_Comm made = MPI_COMM_NULL;
  check(PMPI_Comm_split(of, 0, 0, &made), "making a communicator");
  check(PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "making a communicator");
  return made;
}

}  // namespace

MPI_Comm of_this_process() {
  static std::mutex mutex;
  static MPI_Comm made = MPI_COMM_NULL;
  const std::lock_guard lock(mutex);
  if (made == MPI_COMM_NULL) made = split(MPI_COMM_SELF);
  return made;
}

own_communicator::own_communicator(MPI_Comm of) : comm_(of_this_process()) {
  check(PMPI_Comm_get_errhandler(of, &theirs_), "looking at a communicator");
}

void own_communicator::join(MPI_Comm of) {
  polite::barrier(of, "making a communicator");
  comm_ = split(of);
  joined_ = true;
}

own_communicator::~own_communicator() {
  if (!mpi_is_there() || left_) return;
  PMPI_Errhandler_free(&theirs_);
  if (joined_) PMPI_Comm_free(&comm_);
}

void own_communicator::call_their_handler(int code) {
  // One that is this process's alone serves other barriers, in other threads.
  MPI_Comm its = joined_ ? comm_ : split(MPI_COMM_SELF);
  PMPI_Comm_set_errhandler(its, theirs_);
  PMPI_Comm_call_errhandler(its, code);
  if (joined_)
    PMPI_Comm_set_errhandler(its, MPI_ERRORS_RETURN);
  else
    PMPI_Comm_free(&its);
}

}  // namespace weir::mpi
