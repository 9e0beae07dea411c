#include "communicator.hpp"

#include <atomic>
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

namespace {

// A class of our own: MPICH 4.0 loses the texts of codes that are added to MPI_ERR_OTHER.
int error_class() {
  static std::atomic<int> made{MPI_SUCCESS};
  // relaxed, both: a number that nothing else goes with. Threads that come at once may each add one.
  int its = made.load(std::memory_order_relaxed);
  if (its != MPI_SUCCESS) return its;
  if (PMPI_Add_error_class(&its) != MPI_SUCCESS) return MPI_ERR_OTHER;
  char text[] = "weir: a process that others wait for at a barrier has ended or given up";
  PMPI_Add_error_string(its, text);
  made.store(its, std::memory_order_relaxed);
  return its;
}

}  // namespace

int new_code(const std::string& what) {
  int code = MPI_ERR_OTHER;
  std::string text = what.substr(0, MPI_MAX_ERROR_STRING - 1);  // not const: not everywhere is its parameter so
  if (PMPI_Add_error_code(error_class(), &code) == MPI_SUCCESS) PMPI_Add_error_string(code, text.data());
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

namespace {

// Split, not duplicated: a program's attributes, whose copying may be a function of its own, and its promises of how it receives
// messages, are not for us. Nor by MPI_Comm_create_group, whose messages meet the program's receives under Open MPI 4.1.
MPI_Comm split(MPI_Comm of) {
  constexpr auto doing = "making a communicator";
  MPI_Comm made = MPI_COMM_NULL;
  check(PMPI_Comm_split(of, 0, 0, &made), doing);
  check(PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), doing);
  return made;
}

}  // namespace

// MPICH looks after nothing but the process itself in MPI_Iprobe of a communicator that it has to itself.
own_communicator::own_communicator(MPI_Comm of) : comm_(MPI_COMM_WORLD) {
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
  // The world is the program's.
  MPI_Comm its = joined_ ? comm_ : split(MPI_COMM_SELF);
  PMPI_Comm_set_errhandler(its, theirs_);
  PMPI_Comm_call_errhandler(its, code);
  if (joined_)
    PMPI_Comm_set_errhandler(its, MPI_ERRORS_RETURN);
  else
    PMPI_Comm_free(&its);
}

}  // namespace weir::mpi
