// An MPI program without any reference to Weir, in which a call fails in one process while a barrier is made. All processes must
// continue; the program then prints "kept".
//   failing files | address_space | file_size    the resource that the process is denied
//   failing address_space_of_all KIB              so much is left to each of them
//   failing each RANK POINT...                    each call of these functions in turn fails, in communicator after communicator
//   failing late                                  a process waits for long at Weir's barrier, and has no memory left
//   failing killed RANK POINT CALL                the process is killed at its CALL-th call of the function
// Link it so that other libraries find its functions (-rdynamic).
#include <dlfcn.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>

#include "checking.hpp"

namespace {

enum point {
  allocation,
  shm_get,
  shm_at,
  gather,
  reduce,
  communicator,
  handler,
  processor_name,
  send_init,
  window,
  lock,
  points
};
const char* const names[] = {"allocation", "shmget", "shmat", "gather", "reduce", "PMPI_Comm_split",
                             "PMPI_Comm_get_errhandler", "PMPI_Get_processor_name", "PMPI_Send_init", "PMPI_Win_create",
                             "PMPI_Win_lock_all"};
static_assert(std::size(names) == points);

// True while a barrier is called. MPI's own threads do not use this.
bool armed = false, deadly = false, fired = false;
point where = points;
int calls_left = 0;

bool fails(point p) {
  if (!armed || p != where || calls_left-- != 0) return false;
  if (deadly) raise(SIGKILL);
  return fired = true;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Returns an error after a function that must be called in any case, because the other processes take part in it.
int reported(point p, int code) { return fails(p) ? MPI_ERR_OTHER : code; }

}  // namespace

void* operator new(std::size_t bytes) {
  void* const at = fails(allocation) ? nullptr : std::malloc(bytes);
  if (at == nullptr) throw std::bad_alloc();
  return at;
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }

extern "C" {

int shmget(key_t key, std::size_t bytes, int flags) noexcept {
  static auto* const real = next<int(key_t, std::size_t, int)>("shmget");
  return fails(shm_get) ? (errno = ENOSPC, -1) : real(key, bytes, flags);
}
void* shmat(int number, const void* at, int flags) noexcept {
  static auto* const real = next<void*(int, const void*, int)>("shmat");
  return fails(shm_at) ? (errno = ENOMEM, reinterpret_cast<void*>(-1)) : real(number, at, flags);
}

// Blocking under Open MPI, as in yielding.hpp.
#ifdef OPEN_MPI
int PMPI_Allgather(const void* from, int count, MPI_Datatype type, void* gathered, int each, MPI_Datatype each_type,
                   MPI_Comm comm) {
  static auto* const real = next<decltype(PMPI_Allgather)>("PMPI_Allgather");
  fails(gather);
  return real(from, count, type, gathered, each, each_type, comm);
}
int PMPI_Allreduce(const void* from, void* reduced, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  static auto* const real = next<decltype(PMPI_Allreduce)>("PMPI_Allreduce");
  fails(reduce);
  return real(from, reduced, count, type, op, comm);
}
#else
int PMPI_Iallgather(const void* from, int count, MPI_Datatype type, void* gathered, int each, MPI_Datatype each_type,
                    MPI_Comm comm, MPI_Request* r) {
  static auto* const real = next<decltype(PMPI_Iallgather)>("PMPI_Iallgather");
  fails(gather);
  return real(from, count, type, gathered, each, each_type, comm, r);
}
int PMPI_Iallreduce(const void* from, void* reduced, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* r) {
  static auto* const real = next<decltype(PMPI_Iallreduce)>("PMPI_Iallreduce");
  fails(reduce);
  return real(from, reduced, count, type, op, comm, r);
}
#endif
int PMPI_Comm_split(MPI_Comm of, int colour, int key, MPI_Comm* made) {
  static auto* const real = next<decltype(PMPI_Comm_split)>("PMPI_Comm_split");
  return reported(communicator, real(of, colour, key, made));
}
int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* to) {
  static auto* const real = next<decltype(PMPI_Comm_get_errhandler)>("PMPI_Comm_get_errhandler");
  return reported(handler, real(comm, to));
}
int PMPI_Get_processor_name(char* name, int* length) {
  static auto* const real = next<decltype(PMPI_Get_processor_name)>("PMPI_Get_processor_name");
  return reported(processor_name, real(name, length));
}
int PMPI_Send_init(const void* at, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  static auto* const real = next<decltype(PMPI_Send_init)>("PMPI_Send_init");
  return reported(send_init, real(at, count, type, to, tag, comm, request));
}
int PMPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* made) {
  static auto* const real = next<decltype(PMPI_Win_create)>("PMPI_Win_create");
  return reported(window, real(base, size, unit, info, comm, made));
}
int PMPI_Win_lock_all(int assert, MPI_Win win) {
  static auto* const real = next<decltype(PMPI_Win_lock_all)>("PMPI_Win_lock_all");
  return reported(lock, real(assert, win));
}

}  // extern "C"

namespace {

using checking::require;

void barrier(MPI_Comm comm) {
  armed = where != points;
  const int code = MPI_Barrier(comm);
  armed = false;
  require(code == MPI_SUCCESS ? "" : "an error", "a barrier");
}

// More barriers than precede Weir's with WEIR_MPI_PRICE=0.
void keep(MPI_Comm comm) {
  require(checking::keeps(comm, 10, [&] { barrier(comm); }, false), "barriers");
}

point point_called(const char* name) {
  int p = 0;
  while (p < points && std::strcmp(names[p], name) != 0) ++p;
  return static_cast<point>(p);
}

long address_space() {
  std::ifstream file("/proc/self/statm");
  long pages = 0;
  file >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

void limit(int resource, rlim_t to) {
  rlimit limits;
  getrlimit(resource, &limits);
  limits.rlim_cur = to;
  setrlimit(resource, &limits);
}

// Repeats until there is no further such call; returns how many there were.
unsigned each(bool here, point p) {
  for (unsigned call = 0;; ++call) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (here) where = p, calls_left = static_cast<int>(call);
    fired = false;
    keep(comm);
    where = points;
    std::vector<std::int64_t> any{fired};
    checking::combine({fired}, any, MPI_MAX, MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    if (any[0] == 0) return call;
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  MPI_Init(&count, &words);
  const int rank = checking::rank_in(MPI_COMM_WORLD);
  if (what == "files" && rank == 1) limit(RLIMIT_NOFILE, 0);
  if (what == "address_space" && rank == 1) limit(RLIMIT_AS, static_cast<rlim_t>(address_space()) + (256 << 10));
  if (what == "address_space_of_all")
    limit(RLIMIT_AS, static_cast<rlim_t>(address_space()) + (static_cast<rlim_t>(std::atol(words[2])) << 10));
  if (what == "file_size") limit(RLIMIT_FSIZE, 0);
  if (what == "killed") {
    deadly = true;
    if (rank == std::atoi(words[2])) where = point_called(words[3]), calls_left = std::atoi(words[4]);
  }
  if (what == "each") {
    MPI_Barrier(MPI_COMM_WORLD);  // the library is open from here on
    for (int i = 3; i < count; ++i) {
      const unsigned calls = each(rank == std::atoi(words[2]), point_called(words[i]));
      if (rank == 0) std::printf("%s: %u\n", words[i], calls);
    }
  }
  keep(MPI_COMM_WORLD);
  if (what == "late") {
    if (rank == 0)
      where = allocation, calls_left = 0;
    else
      sleep(1);  // rank 0 looks every 100 ms whether this process has ended
    barrier(MPI_COMM_WORLD);
    where = points;
  }
  if (rank == 0) std::puts("kept");
  MPI_Finalize();
}
