#include "communicator.hpp"

#include <atomic>
#include <stdexcept>

#include "call.hpp"
#include "yielding.hpp"

namespace weir::mpi {

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS) return "MPI error " + std::to_string(code);
  return std::string(text, static_cast<std::size_t>(length));
}

void require_intra(MPI_Comm comm) {
  if (!mpi_is_there())
    throw std::invalid_argument(
        "weir: a barrier over MPI needs MPI to be initialised (by MPI_Init; a session alone does not suffice) and not finalised");
  if (comm == MPI_COMM_NULL) throw std::invalid_argument("weir: a barrier cannot be made over MPI_COMM_NULL");
  int inter = 0;
  check(PMPI_Comm_test_inter(comm, &inter), "looking at a communicator");
  if (inter != 0)
    throw std::invalid_argument(
        "weir: a barrier cannot be made over an inter-communicator; MPI_Intercomm_merge makes a communicator that can have one");
}

namespace {

// A class of our own: MPICH 4.0 loses the texts of codes that are added to MPI_ERR_OTHER.
int error_class() {
  static std::atomic<int> made{MPI_SUCCESS};
  // relaxed, both: the number publishes nothing else. Threads that come here at the same time may each add a class.
  int code = made.load(std::memory_order_relaxed);
  if (code != MPI_SUCCESS) return code;
  if (PMPI_Add_error_class(&code) != MPI_SUCCESS) return MPI_ERR_OTHER;
  char text[] = "weir: a process for which others wait at a barrier has ended or given up";
  PMPI_Add_error_string(code, text);
  made.store(code, std::memory_order_relaxed);
  return code;
}

}  // namespace

int new_code(const std::string& what) {
  int code = MPI_ERR_OTHER;
  std::string text = what.substr(0, MPI_MAX_ERROR_STRING - 1);  // not const, because some MPIs' parameter is not
  if (PMPI_Add_error_code(error_class(), &code) == MPI_SUCCESS) PMPI_Add_error_string(code, text.data());
  return code;
}

bool mpi_is_there() {
  int begun = 0, ended = 0;
  PMPI_Initialized(&begun);
  PMPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

// Open MPI before 5.0 gives windows of communicators without a common process the same memory (open-mpi/ompi, issue 9492): a
// barrier of one would release that of another. A communicator of all processes excludes a second one.
bool windows_are_safe(MPI_Comm comm) {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  // The number of processes would not do: spawned processes have another world.
  int alike = MPI_UNEQUAL;
  check(PMPI_Comm_compare(comm, MPI_COMM_WORLD, &alike), "looking at a communicator");
  return alike != MPI_UNEQUAL;
#else
  return comm != MPI_COMM_NULL;
#endif
}

namespace {

// Split, not duplicated: Weir must not copy the program's attributes, which may call a function of the program, nor inherit its
// assertions about how it receives messages. Nor by MPI_Comm_create_group, whose messages match the program's receives under Open
// MPI 4.1.
MPI_Comm split(MPI_Comm of) {
  constexpr auto doing = "making a communicator";
  MPI_Comm made = MPI_COMM_NULL;
  check(PMPI_Comm_split(of, 0, 0, &made), doing);
  check(PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), doing);
  return made;
}

}  // namespace

// MPICH makes no progress for other processes in MPI_Iprobe of a communicator of one process: hence the world.
own_communicator::own_communicator(MPI_Comm of) : comm_(MPI_COMM_WORLD) {
  check(PMPI_Comm_get_errhandler(of, &theirs_), "looking at a communicator");
}

void own_communicator::join(MPI_Comm of) {
  yielding::barrier(of, "making a communicator");
  comm_ = split(of);
  joined_ = true;
}

own_communicator::~own_communicator() {
  if (!mpi_is_there() || left_) return;
  PMPI_Errhandler_free(&theirs_);
  if (joined_) PMPI_Comm_free(&comm_);
}

void own_communicator::call_their_handler(int code) {
  // Without a communicator of its own comm_ is the world, which belongs to the program.
  MPI_Comm alone = joined_ ? comm_ : split(MPI_COMM_SELF);
  PMPI_Comm_set_errhandler(alone, theirs_);
  PMPI_Comm_call_errhandler(alone, code);
  if (joined_)
    PMPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
  else
    PMPI_Comm_free(&alone);
}

}  // namespace weir::mpi
