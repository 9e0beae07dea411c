// The barrier of a communicator, made when it is first needed, kept with it as an attribute and freed with it: MPI_Barrier's form.
#include <weir/mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include <weir/mpi.hpp>

#include "call.hpp"

namespace {

using weir::mpi::barrier;

// Making a barrier takes several collective operations. A communicator that is soon freed is not worth them: its first barriers
// are MPI's own. All its processes count the same.
constexpr unsigned first_passes = 3;

struct kept {
  unsigned passes = 0;
  bool refused = false;
  std::unique_ptr<barrier> made;
};

std::mutex mutex;           // MPI_THREAD_MULTIPLE: barriers of several communicators at once
std::vector<kept*> all;     // in the order in which they were made, which is the same in processes that share two of them
int keyval = MPI_KEYVAL_INVALID;

int forget(MPI_Comm, int, void* attribute, void*) {
  kept* const its = static_cast<kept*>(attribute);
  {
    const std::lock_guard lock(mutex);
    std::erase(all, its);
  }
  delete its;
  return MPI_SUCCESS;
}

// MPI_Finalize frees the attributes of MPI_COMM_SELF first of all, while everything still works. MPI_COMM_WORLD's may never be.
int before_finalize(MPI_Comm, int, void*, void*) {
  std::vector<kept*> left;
  {
    const std::lock_guard lock(mutex);
    left = all;
  }
  for (kept* const k : left) {
    k->made.reset();
    k->refused = true;
  }
  return MPI_SUCCESS;
}

int make_keyval() {
  const std::lock_guard lock(mutex);
  if (keyval != MPI_KEYVAL_INVALID) return MPI_SUCCESS;
  int at_end = MPI_KEYVAL_INVALID;
  int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, before_finalize, &at_end, nullptr);
  if (code == MPI_SUCCESS) code = PMPI_Comm_set_attr(MPI_COMM_SELF, at_end, nullptr);
  if (code == MPI_SUCCESS) code = PMPI_Comm_free_keyval(&at_end);  // it stays as long as the attribute does
  if (code == MPI_SUCCESS) code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, nullptr);
  return code;
}

std::string from_environment(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

weir::mpi::options options_here() {
  weir::mpi::options o;
  o.algorithm = from_environment("WEIR_MPI_BARRIER", o.algorithm);
  o.within = from_environment("WEIR_MPI_WITHIN", o.within);
  o.transport = from_environment("WEIR_MPI_TRANSPORT", o.transport);
  o.waiting = from_environment("WEIR_MPI_WAITING", o.waiting);
  return o;
}

void say_once(const char* what) {
  static std::once_flag said;
  std::call_once(said, [what] { std::fprintf(stderr, "%s; the environment's WEIR_MPI_* are not used\n", what); });
}

void make(kept& k, MPI_Comm comm) {
  try {
    k.made = std::make_unique<barrier>(comm, options_here());
  } catch (const std::invalid_argument& e) {
    // Alike in all processes, as far as their environments are: said by the first alone.
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0) say_once(e.what());
    k.made = std::make_unique<barrier>(comm);
  }
  if (std::getenv("WEIR_MPI_VERBOSE") != nullptr && k.made->rank() == 0) {
    const weir::mpi::choice& c = k.made->choice();
    std::fprintf(stderr, "weir: barrier of %u processes: %s; within a node: %s; by %s (%s)\n", k.made->size(), c.algorithm.c_str(),
                 c.within.c_str(), c.transport.c_str(), c.reason.c_str());
  }
}

kept* kept_with(MPI_Comm comm, int& code) {
  code = keyval == MPI_KEYVAL_INVALID ? make_keyval() : MPI_SUCCESS;
  if (code != MPI_SUCCESS) return nullptr;
  void* found = nullptr;
  int there = 0;
  code = PMPI_Comm_get_attr(comm, keyval, &found, &there);
  if (code != MPI_SUCCESS || there != 0) return static_cast<kept*>(found);
  int inter = 0;
  code = PMPI_Comm_test_inter(comm, &inter);
  if (code != MPI_SUCCESS) return nullptr;
  auto fresh = std::make_unique<kept>();
  fresh->refused = inter != 0;
  code = PMPI_Comm_set_attr(comm, keyval, fresh.get());
  if (code != MPI_SUCCESS) return nullptr;
  const std::lock_guard lock(mutex);
  all.push_back(fresh.get());
  return fresh.release();
}

}  // namespace

int weir_mpi_barrier(MPI_Comm comm) {
  int begun = 0, ended = 0;
  PMPI_Initialized(&begun);
  PMPI_Finalized(&ended);
  // What MPI says to such calls is for MPI to say.
  if (begun == 0 || ended != 0 || comm == MPI_COMM_NULL) return PMPI_Barrier(comm);
  int code = MPI_SUCCESS;
  kept* const k = kept_with(comm, code);
  if (k == nullptr) return PMPI_Barrier(comm);  // which reports what is wrong with the communicator
  if (!k->made) {
    if (k->refused || k->passes++ < first_passes) return PMPI_Barrier(comm);
    try {
      make(*k, comm);
    } catch (const weir::mpi::error& e) {
      std::fprintf(stderr, "%s\n", e.what());
      PMPI_Comm_call_errhandler(comm, e.code());
      return e.code();
    }
  }
  try {
    k->made->arrive_and_wait();
    return MPI_SUCCESS;
  } catch (const weir::mpi::error& e) {
    return e.code();  // its handler has been called
  }
}

int weir_mpi_barrier_f(MPI_Fint comm) { return weir_mpi_barrier(PMPI_Comm_f2c(comm)); }
