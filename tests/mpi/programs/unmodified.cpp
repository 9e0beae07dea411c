// MPI programs without any reference to Weir, selected by the name of a case. Each prints "kept", or ends the job with an error.
#include <mpi.h>

#include <cstring>
#include <fstream>
#include <map>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "checking.hpp"

namespace {

using checking::rank_in;
using checking::require;

std::string if_not(bool good, const char* what) { return good ? "" : what; }

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

void keep(MPI_Comm comm, unsigned episodes, const std::string& what) {
  require(checking::keeps(comm, episodes, [&] { MPI_Barrier(comm); }), what);
}

MPI_Comm split(MPI_Comm of, int colour) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(of, colour, rank_in(of), &made);
  return made;
}

MPI_Comm copy(MPI_Comm of) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(of, &made);
  return made;
}

// Enough barriers for a communicator to get Weir's before the last one, with WEIR_MPI_PRICE=0.
constexpr unsigned enough = 10;

void once() { keep(MPI_COMM_WORLD, 1, "MPI_COMM_WORLD"); }

// The number of barriers before the first that could be Weir's.
void few() {
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Comm comm = copy(MPI_COMM_WORLD);
    keep(comm, 7, "a communicator with few barriers");
    MPI_Comm_free(&comm);
  }
}

void holds() { keep(MPI_COMM_WORLD, 60, "MPI_COMM_WORLD"); }

// Parts, parts that overlap (rows and columns), a part without some processes, one process alone, ranks in another order.
void communicators() {
  const int me = rank_in(MPI_COMM_WORLD);
  MPI_Comm row = split(MPI_COMM_WORLD, me / 2), column = split(MPI_COMM_WORLD, me % 2);
  MPI_Comm some = split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 1), backwards = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &backwards);
  for (int turn = 0; turn < 3; ++turn) {
    keep(row, enough, "a row");
    keep(column, enough, "a column");
    if (some != MPI_COMM_NULL) keep(some, enough, "all but one");
    keep(backwards, enough, "ranks backwards");
    keep(MPI_COMM_SELF, enough, "MPI_COMM_SELF");
  }
  // From here on no collective operation in between keeps the processes in step.
  for (int turn = 0; turn < 20; ++turn)
    for (MPI_Comm comm : {row, column, backwards}) MPI_Barrier(comm);
  MPI_Comm_free(&column);
  keep(row, 3, "a row, after a column was freed");
  if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
  // MPI_Finalize frees the communicators of the row and of the reversed ranks.
}

long resident_kilobytes() {
  std::ifstream file("/proc/self/statm");
  long size = 0, resident = 0;
  file >> size >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

unsigned maps() {
  std::ifstream file("/proc/self/maps");
  std::string line;
  unsigned count = 0;
  while (std::getline(file, line)) ++count;
  return count;
}

int turns = 1000;

void remade() {
  long kilobytes = 0;
  unsigned before = 0;
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Comm comm = copy(MPI_COMM_WORLD);
    for (unsigned i = 0; i < enough; ++i) MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    if (turn == turns / 5) kilobytes = resident_kilobytes(), before = maps();
  }
  const long grown = resident_kilobytes() - kilobytes;
  require(if_not(grown < 2048, "the process grew"), "communicators made and freed");
  require(if_not(maps() < before + 20, "memory is still mapped"), "communicators made and freed");
}

// More than twice as many communicators as MPICH has context numbers.
void many() {
  std::vector<MPI_Comm> comms(1100);
  for (MPI_Comm& comm : comms) {
    comm = copy(MPI_COMM_WORLD);
    for (unsigned i = 0; i < enough; ++i) MPI_Barrier(comm);
  }
  keep(comms.front(), 5, "the first");
  keep(comms.back(), 5, "the last");
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

void inter() {
  const int me = rank_in(MPI_COMM_WORLD), half = size_of(MPI_COMM_WORLD) / 2;
  MPI_Comm local = split(MPI_COMM_WORLD, me < half), between = MPI_COMM_NULL, merged = MPI_COMM_NULL;
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, me < half ? half : 0, 7, &between);
  for (int i = 0; i < 10; ++i) {
    MPI_Barrier(between);
    if (me == 0) usleep(200);
  }
  MPI_Intercomm_merge(between, me < half, &merged);
  keep(merged, 10, "a merged inter-communicator");
  MPI_Comm_free(&merged);
  MPI_Comm_free(&between);
  MPI_Comm_free(&local);
}

// The program's receives match anything; they must not receive messages of barriers.
void messages() {
  const int me = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (int turn = 0; turn < 10; ++turn) {
    int got = -1, flag = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    for (unsigned i = 0; i < enough; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      require(if_not(flag == 0, "came before any was sent"), "a message");
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      require(if_not(flag == 0, "was seen that nobody has sent"), "a message");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Status status;
    MPI_Send(&turn, 1, MPI_INT, (me + 1) % size, turn, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    const bool right = got == turn && status.MPI_TAG == turn && status.MPI_SOURCE == (me + size - 1) % size;
    require(if_not(right, "was another's"), "a message");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// A program's attributes are copied only when it duplicates a communicator itself.
int copies = 0, deletions = 0;
int copied(MPI_Comm, int, void*, void* in, void* out, int* flag) {
  ++copies;
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}
int deleted(MPI_Comm, int, void*, void*) {
  ++deletions;
  return MPI_SUCCESS;
}

void duplicates() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copied, deleted, &key, nullptr);
  MPI_Comm first = copy(MPI_COMM_WORLD);
  MPI_Comm_set_attr(first, key, &key);
  keep(first, enough, "the first");
  MPI_Comm second = copy(first);
  keep(second, enough, "its duplicate");
  keep(first, enough, "the first, after it was duplicated");
  MPI_Comm_free(&second);
  keep(first, enough, "the first, after its duplicate was freed");
  MPI_Comm_free(&first);
  require(if_not(copies == 1, "copied by another"), "the program's attribute");
  require(if_not(deletions == 2, "deleted by another"), "the program's attribute");
  MPI_Comm_free_keyval(&key);
}

// Barriers on several communicators in several threads, which reach their eighth pass in different orders in different processes.
// MPI_Finalize frees two of the communicators.
void threads() {
  const unsigned me = static_cast<unsigned>(rank_in(MPI_COMM_WORLD));
  std::vector<MPI_Comm> comms(4);
  for (MPI_Comm& comm : comms) comm = copy(MPI_COMM_WORLD);
  std::vector<std::thread> running;
  for (unsigned t = 0; t < comms.size(); ++t)
    running.emplace_back([&comms, t, me] {
      for (int i = 0; i < 7; ++i) MPI_Barrier(comms[t]);
      usleep((t / 2 + me) % 2 * 20'000);
      keep(comms[t], 30, "one of several threads");
    });
  for (std::thread& thread : running) thread.join();
  MPI_Comm_free(&comms[0]);
  MPI_Comm_free(&comms[3]);
}

int handled = 0;
void handler(MPI_Comm*, int*, ...) { ++handled; }

void errors() {
  keep(MPI_COMM_WORLD, enough, "MPI_COMM_WORLD");
  MPI_Errhandler own = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(handler, &own);
  int found[2] = {0, 0};
  MPI_Errhandler const handlers[] = {MPI_ERRORS_RETURN, own};
  for (int i = 0; i < 2; ++i) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handlers[i]);
    const int code = MPI_Barrier(MPI_COMM_NULL);
    MPI_Error_class(code, &found[i]);
    require(if_not(found[i] == MPI_ERR_COMM, "no MPI_ERR_COMM"), "MPI_COMM_NULL");
  }
  require(if_not(handled == 1, "not once"), "the program's handler was called");
  keep(MPI_COMM_WORLD, enough, "MPI_COMM_WORLD, after an error");
  MPI_Errhandler_free(&own);
}

// A communicator keeps the program's error handler while its barrier is made.
void handlers() {
  MPI_Comm comm = copy(MPI_COMM_WORLD);
  MPI_Errhandler own = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(comm, own);
  keep(comm, enough, "a communicator with a handler");
  MPI_Send(nullptr, 1, MPI_INT, size_of(comm), 0, comm);  // no such rank exists
  require(if_not(handled == 1, "not once"), "the program's handler was called");
  MPI_Errhandler_free(&own);
  MPI_Comm_free(&comm);
}

// The process that waits at the barrier has a large message pending, which its partner needs before it arrives.
void rendezvous() {
  const int me = rank_in(MPI_COMM_WORLD);
  std::vector<char> much(8u << 20, static_cast<char>(me));
  for (int turn = 0; turn < 10; ++turn) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (me == 0) MPI_Isend(much.data(), static_cast<int>(much.size()), MPI_CHAR, 1, turn, MPI_COMM_WORLD, &request);
    if (me == 1) {
      usleep(3000);  // so that the other is at the barrier
      MPI_Recv(much.data(), static_cast<int>(much.size()), MPI_CHAR, 0, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// One of three processes ends; the others set an error handler after their barrier was made, and call the barrier again.
void death() {
  MPI_Comm comm = copy(MPI_COMM_WORLD);
  for (unsigned i = 0; i < enough; ++i) MPI_Barrier(comm);
  if (rank_in(comm) == 2) {
    std::fflush(nullptr);
    _exit(0);
  }
  MPI_Errhandler own = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(comm, own);
  const int first = MPI_Barrier(comm), second = MPI_Barrier(comm);
  const char* const what = first == MPI_SUCCESS ? "passed" : "an error";
  std::printf("%s, %s, handled %d\n", what, second == first ? "the same" : "another", handled);
  std::fflush(nullptr);
  _exit(0);
}

// An exit handler that was registered before Weir was loaded finalises MPI: it runs after Weir's own handlers.
void at_exit() {
  std::atexit([] {
    for (unsigned i = 0; i < enough; ++i) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
  });
  MPI_Comm left = copy(MPI_COMM_WORLD);
  keep(left, enough, "a communicator that is left");
  keep(MPI_COMM_WORLD, enough, "MPI_COMM_WORLD");
}

// The program's last barriers are called while the attributes of MPI_COMM_SELF are freed, in the reverse order of their setting,
// which differs in rank 0, because a barrier came first there.
void callback() {
  if (rank_in(MPI_COMM_WORLD) == 0) MPI_Barrier(MPI_COMM_SELF);
  int key = MPI_KEYVAL_INVALID;
  const auto last = [](MPI_Comm, int, void*, void*) { return MPI_Barrier(MPI_COMM_WORLD); };
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  MPI_Comm_free_keyval(&key);
  keep(MPI_COMM_WORLD, enough, "MPI_COMM_WORLD");
}

long times_slept() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nvcsw;  // a yield counts as involuntary
}

// One process arrives when the others have waited for a long time and sleep: they look at most every 2 ms, awake between some
// looks.
void late() {
  constexpr unsigned seconds = 5, few = 10 * seconds;
  keep(MPI_COMM_WORLD, enough, "MPI_COMM_WORLD");
  if (rank_in(MPI_COMM_WORLD) == 1) return sleep(seconds), void(MPI_Barrier(MPI_COMM_WORLD));
  const long before = times_slept();
  MPI_Barrier(MPI_COMM_WORLD);
  require(if_not(times_slept() - before > few, "slept seldom"), "waiting");
}

// In a thread whose stack is as small as the system allows, or nearly so.
void small_stack() {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 24 << 10);
  pthread_t thread;
  const auto barrier = [](void*) -> void* { return MPI_Barrier(MPI_COMM_WORLD), nullptr; };
  require(if_not(pthread_create(&thread, &small, barrier, nullptr) == 0, "cannot be created"), "a thread");
  pthread_join(thread, nullptr);
}

bool weir_is_open() {
  std::ifstream file("/proc/self/maps");
  std::string line;
  while (std::getline(file, line))
    if (line.find("libweir-mpi-") != std::string::npos) return true;
  return false;
}

const std::map<std::string, void (*)()> cases = {
    {"once", once},         {"holds", holds},           {"communicators", communicators}, {"remade", remade},
    {"many", many},         {"inter", inter},           {"messages", messages},           {"duplicates", duplicates},
    {"threads", threads},   {"errors", errors},         {"handlers", handlers},           {"rendezvous", rendezvous},
    {"death", death},       {"at_exit", at_exit},       {"callback", callback},         {"late", late},
    {"few", few},           {"small_stack", small_stack},
};

}  // namespace

int main(int count, char** words) {
  const std::string name = count > 1 ? words[1] : "";
  if (name == "never") return std::puts(weir_is_open() ? "opened" : "not opened") < 0;
  if (name == "early") return MPI_Barrier(MPI_COMM_WORLD);
  if (count > 2) turns = std::atoi(words[2]);
  const auto found = cases.find(name);
  if (found == cases.end()) return 2;
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&count, &words, name == "threads" || name == "small_stack" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  require(if_not(!weir_is_open(), "is open before the first barrier"), "Weir's library");
  found->second();
  if (rank_in(MPI_COMM_WORLD) == 0) std::puts("kept");
  if (name != "at_exit") MPI_Finalize();
}
