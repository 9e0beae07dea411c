// The barrier of a communicator, made when it is first needed, kept with it as an attribute and freed with it: MPI_Barrier's form.
#include <weir/mpi.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include <weir/mpi.hpp>

#include "call.hpp"
#include "communicator.hpp"
#include "polite.hpp"

namespace {

using weir::mpi::barrier;

// Making a barrier takes several collective operations. A communicator that is soon freed is not worth them: its first barriers
// are MPI's own. All its processes count the same.
constexpr unsigned first_passes = 3;
// Each barrier has a communicator of its own, of which MPICH has two thousand: the program shall not run out of them for our sake.
constexpr std::size_t most_barriers = 256;

struct kept {
  unsigned passes = 0;
  bool refused = false;
  int failed = MPI_SUCCESS;  // what a barrier has ended with: it cannot be passed again
  std::uint64_t place = 0;  // in the order of all communicators: the same number in all of its processes
  std::unique_ptr<barrier> made;
};

std::mutex mutex;  // MPI_THREAD_MULTIPLE: barriers of several communicators at once
// That have a barrier, or are getting one. Never destroyed: a program may end MPI in a handler at exit, after this library's own.
std::vector<kept*>& all = *new std::vector<kept*>;
std::atomic<int> keyval = MPI_KEYVAL_INVALID;  // while there may be barriers
std::atomic<bool> ending = false;

int forget(MPI_Comm, int, void* attribute, void*) {
  // relaxed: set by the thread that ends MPI, before it frees the last communicators. To free ours too is for MPI then.
  if (ending.load(std::memory_order_relaxed)) return MPI_SUCCESS;
  kept* const its = static_cast<kept*>(attribute);
  {
    const std::lock_guard lock(mutex);
    std::erase(all, its);
  }
  delete its;
  return MPI_SUCCESS;
}

// MPI_Finalize frees the attributes of MPI_COMM_SELF first of all, while everything still works, and in the reverse order of their
// setting, which differs from process to process. The program's own may call barriers there: who is done with ours must not take
// another way than who is not. So barriers stay until MPI has ended, but for those with windows, which must be freed before.
int before_finalize(MPI_Comm, int, void*, void*) {
  ending.store(true, std::memory_order_relaxed);
  std::vector<kept*> left;
  {
    const std::lock_guard lock(mutex);
    left = all;
  }
  // To free a window is collective. Threads may have made them in different orders in different processes.
  std::sort(left.begin(), left.end(), [](const kept* a, const kept* b) { return a->place < b->place; });
  for (kept* const k : left) {
    if (!k->made || k->made->choice().transport != "rma") continue;
    k->made.reset();
    k->refused = true;
  }
  return MPI_SUCCESS;
}

// False where barriers must be MPI's own: before MPI's beginning, and from its end on.
bool begin() {
  const std::lock_guard lock(mutex);
  if (!weir::mpi::mpi_is_there()) return false;
  if (keyval != MPI_KEYVAL_INVALID) return true;
  int at_end = MPI_KEYVAL_INVALID, barriers = MPI_KEYVAL_INVALID;
  int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, before_finalize, &at_end, nullptr);
  if (code == MPI_SUCCESS) code = PMPI_Comm_set_attr(MPI_COMM_SELF, at_end, nullptr);
  if (code == MPI_SUCCESS) code = PMPI_Comm_free_keyval(&at_end);  // it stays as long as the attribute does
  if (code == MPI_SUCCESS) code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &barriers, nullptr);
  if (code == MPI_SUCCESS) keyval = barriers;
  return code == MPI_SUCCESS;
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

// What makes a barrier reports its errors here, and not to the program.
class errors_return {
 public:
  explicit errors_return(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm_, &theirs_);
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~errors_return() {
    PMPI_Comm_set_errhandler(comm_, theirs_);
    PMPI_Errhandler_free(&theirs_);
  }
  errors_return(const errors_return&) = delete;
  errors_return& operator=(const errors_return&) = delete;

 private:
  const MPI_Comm comm_;
  MPI_Errhandler theirs_ = MPI_ERRHANDLER_NULL;
};

void say_once(MPI_Comm comm, const std::string& what) {
  // All processes of a communicator come here: its first says it, and the others know that it has been said.
  static std::atomic<bool> said{false};
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (!said.exchange(true) && rank == 0) std::fprintf(stderr, "%s; the environment's WEIR_MPI_* are not used\n", what.c_str());
}

std::unique_ptr<barrier> barrier_of(MPI_Comm comm, const weir::mpi::options& asked, bool alike) {
  try {
    if (alike) return std::make_unique<barrier>(comm, asked);
    say_once(comm, "weir: processes have different WEIR_MPI_*: hand them on to all (Open MPI's mpirun wants -x NAME for each)");
  } catch (const std::invalid_argument& e) {
    say_once(comm, e.what());
  }
  return std::make_unique<barrier>(comm);
}

struct agreement {
  std::uint64_t full;             // has a process as many barriers as it may?
  std::uint64_t place;            // drawn by lot
  std::uint64_t asked, unlike_it;  // a number for what the environment asks, and that number inverted
  bool alike() const { return asked == ~unlike_it; }
};

// The largest that any process has, of each word: so all of them know the same.
template <class Words>
bool agree(MPI_Comm comm, Words& words) {
  constexpr int count = sizeof words / sizeof(std::uint64_t);
  constexpr auto doing = "agreeing on a communicator's barrier";
  try {
    MPI_Request request;
    weir::mpi::check(PMPI_Iallreduce(MPI_IN_PLACE, &words, count, MPI_UINT64_T, MPI_MAX, comm, &request), doing);
    weir::mpi::polite::wait(request, doing);
    return true;
  } catch (const weir::mpi::error&) {
    return false;
  }
}

void leave(kept& k) {
  const std::lock_guard lock(mutex);
  std::erase(all, &k);
}

agreement proposal(kept& k, const weir::mpi::options& asked) {
  std::random_device random;
  const std::string text = asked.algorithm + ' ' + asked.within + ' ' + asked.transport + ' ' + asked.waiting;
  const std::uint64_t number = std::hash<std::string>()(text);
  const std::lock_guard lock(mutex);
  const bool full = all.size() >= most_barriers;
  all.push_back(&k);
  return {full, (std::uint64_t{random()} << 32) | random(), number, ~number};
}

void say(const barrier& b) {
  const weir::mpi::choice& c = b.choice();
  std::fprintf(stderr, "weir: barrier of %u processes: %s; within a node: %s; by %s (%s)\n", b.size(), c.algorithm.c_str(),
               c.within.c_str(), c.transport.c_str(), c.reason.c_str());
}

// Collective. Where it cannot be in one process it is refused in all.
void make(kept& k, MPI_Comm comm) {
  const errors_return meanwhile(comm);
  k.refused = true;
  const weir::mpi::options asked = options_here();
  agreement a = proposal(k, asked);
  if (!agree(comm, a) || a.full != 0) return leave(k);
  k.place = a.place;
  std::string failed;
  try {
    k.made = barrier_of(comm, asked, a.alike());
  } catch (const std::exception& e) {
    failed = e.what();
  }
  std::uint64_t failures = k.made == nullptr;
  k.refused = !agree(comm, failures) || failures != 0;
  if (!failed.empty()) std::fprintf(stderr, "%s; this communicator's barriers stay MPI's own\n", failed.c_str());
  if (k.refused) {
    k.made.reset();
    leave(k);
  } else if (k.made->rank() == 0 && !from_environment("WEIR_MPI_VERBOSE", "").empty()) {
    say(*k.made);
  }
}

// Null, and a code, where MPI has reported something to the communicator's error handler.
kept* kept_with(MPI_Comm comm, int& code) {
  void* found = nullptr;
  int there = 0;
  code = PMPI_Comm_get_attr(comm, keyval, &found, &there);
  if (code != MPI_SUCCESS || there != 0) return static_cast<kept*>(found);
  int inter = 0, size = 0;
  code = PMPI_Comm_test_inter(comm, &inter);
  if (code == MPI_SUCCESS) code = PMPI_Comm_size(comm, &size);
  if (code != MPI_SUCCESS) return nullptr;
  auto fresh = std::make_unique<kept>();
  fresh->refused = inter != 0 || size == 1;
  code = PMPI_Comm_set_attr(comm, keyval, fresh.get());
  return code == MPI_SUCCESS ? fresh.release() : nullptr;
}

}  // namespace

int weir_mpi_barrier(MPI_Comm comm) {
  // What MPI says to such calls is for MPI to say.
  if (comm == MPI_COMM_NULL || (keyval == MPI_KEYVAL_INVALID && !begin())) return PMPI_Barrier(comm);
  if (ending.load(std::memory_order_relaxed) && !weir::mpi::mpi_is_there()) [[unlikely]] return PMPI_Barrier(comm);
  int code = MPI_SUCCESS;
  kept* const k = kept_with(comm, code);
  if (code != MPI_SUCCESS) return code;
  if (!k->made && !k->refused && ++k->passes > first_passes) make(*k, comm);
  if (!k->made) return PMPI_Barrier(comm);
  try {
    if (k->failed == MPI_SUCCESS) k->made->arrive_and_wait();
  } catch (const weir::mpi::error& e) {
    k->failed = e.code();
  } catch (const std::exception&) {  // into C go no exceptions
    k->failed = MPI_ERR_OTHER;
  }
  // The barrier was made while errors returned, and has told nobody; the program may have set another handler since.
  if (k->failed != MPI_SUCCESS) [[unlikely]] PMPI_Comm_call_errhandler(comm, k->failed);
  return k->failed;
}

int weir_mpi_barrier_f(MPI_Fint comm) { return weir_mpi_barrier(PMPI_Comm_f2c(comm)); }
