// A function in the form of MPI_Barrier. A communicator gets a barrier of Weir's when it pays off; the barrier is kept as an
// attribute of the communicator, and freed with it.
#include <weir/mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <weir/machine/native.hpp>
#include <weir/mpi.hpp>

#include "call.hpp"
#include "communicator.hpp"
#include "preload/ask.h"
#include "price.hpp"
#include "steps.hpp"
#include "system/environment.h"
#include "yielding.hpp"

#ifdef MPICH_NUMVERSION
static_assert(MPI_UINT64_T == WEIR_MPICH_UINT64 && MPI_MAX == WEIR_MPICH_MAX);
#endif

namespace {

using weir::mpi::barrier;
using weir::mpi::price;

// From this barrier on a communicator's barriers are timed. The first ones also wait for the processes that are still creating
// the communicator, and most short-lived communicators have at most five barriers.
constexpr unsigned first_timed = weir_first_ask - 2;
// Each may have a communicator of its own, of which MPICH has two thousand: Weir must not exhaust them.
constexpr std::size_t most_barriers = 256;

// The state of a communicator whose barriers are timed. A communicator with fewer barriers has their number as its attribute,
// which needs no memory.
struct kept {
  barrier* usable = nullptr;  // `made`, as long as it has not failed
  std::optional<barrier> made;
  int failed = MPI_SUCCESS;  // the error of a failed barrier, which cannot be used again
  unsigned passes = 0;       // MPI's own
  bool refused = false;
  const weir::mpi::choice* said = nullptr;  // the choice that was reported last; null: none is to be
  std::uint64_t spent = 0;   // ticks spent in these
  std::uint64_t made_at = 0;
  std::uint64_t place = 0;   // for a total order of communicators: the same number in all processes of this one
  kept *before = nullptr, *after = nullptr;
};

// A number of barriers as an attribute. Odd, as no address of a `kept` is.
constexpr std::uintptr_t never = UINTPTR_MAX >> 1;  // it gets no barrier of Weir's
void* attribute_of(std::uintptr_t passes) { return reinterpret_cast<void*>(passes << 1 | 1); }
bool is_number(void* attribute) { return (reinterpret_cast<std::uintptr_t>(attribute) & 1) != 0; }
std::uintptr_t number_in(void* attribute) { return reinterpret_cast<std::uintptr_t>(attribute) >> 1; }

std::mutex mutex;  // MPI_THREAD_MULTIPLE: barriers of several communicators at once
// Those that have a barrier, or are getting one.
std::array<kept*, most_barriers> holders;
std::size_t holder_count = 0;
std::atomic<int> keyval = MPI_KEYVAL_INVALID;  // valid while there may be barriers
std::atomic<bool> ending = false;

// A list of all, because MPI may end without freeing the attributes of MPI_COMM_WORLD.
kept* first = nullptr;

void link(kept& k) {
  const std::lock_guard lock(mutex);
  if (first != nullptr) first->before = &k;
  k.after = std::exchange(first, &k);
}

void unlink(kept& k) {
  const std::lock_guard lock(mutex);
  (k.before != nullptr ? k.before->after : first) = k.after;
  if (k.after != nullptr) k.after->before = k.before;
}

bool enter(kept& k) {
  const std::lock_guard lock(mutex);
  if (holder_count == holders.size()) return false;
  holders[holder_count++] = &k;
  return true;
}

void leave(kept& k) {
  const std::lock_guard lock(mutex);
  holder_count = static_cast<std::size_t>(std::remove(holders.begin(), holders.begin() + holder_count, &k) - holders.begin());
}

price& price_here() {
  static price& it = *new price;  // communicators may be freed at exit, after this library's variables
  return it;
}

[[gnu::noinline]] void say(kept& k) {
  const weir::mpi::choice& c = k.made->choice();
  std::fprintf(stderr, "weir: %sbarrier of %u processes: %s; within a node: %s; by %s (%s)",
               k.said == nullptr ? "" : "after trials, ", k.made->size(), c.algorithm.c_str(), c.within.c_str(),
               c.transport.c_str(), c.reason.c_str());
  if (const auto tried = k.made->tried(); tried.trials != 0)
    std::fprintf(stderr, "; %llu trials have cost %.3f ms in %.3f s", static_cast<unsigned long long>(tried.trials),
                 1e-3 * tried.lost_us, 1e-9 * static_cast<double>(price::in_ns(weir::native::ticks() - k.made_at)));
  std::fputc('\n', stderr);
  k.said = &c;
}

void say_what_trials_cost(kept& k) {
  if (k.said != nullptr && k.made && k.made->tried().trials != 0) say(k);
}

int forget(MPI_Comm, int, void* attribute, void*) {
  if (is_number(attribute)) return MPI_SUCCESS;
  kept* const kept_barrier = static_cast<kept*>(attribute);
  // relaxed: set by the thread that ends MPI, before it frees the last communicators. MPI then frees Weir's too.
  if (kept_barrier->made && ending.load(std::memory_order_relaxed)) return MPI_SUCCESS;
  say_what_trials_cost(*kept_barrier);
  leave(*kept_barrier);
  unlink(*kept_barrier);
  if (kept_barrier->made) price_here().freed_after(weir::native::ticks() - kept_barrier->made_at);
  delete kept_barrier;
  return MPI_SUCCESS;
}

// MPI_Finalize frees the attributes of MPI_COMM_SELF first of all, while everything still works, in the reverse order of their
// setting, which differs between processes. The program's own attributes may call barriers there, and a process that has passed
// Weir's must use the same barrier as one that has not. So barriers stay until MPI has ended, except those with windows, which
// must be freed before.
int before_finalize(MPI_Comm, int, void*, void*) {
  ending.store(true, std::memory_order_relaxed);
  // Freeing a window is collective, and threads may have made windows in different orders in different processes.
  const std::lock_guard lock(mutex);
  std::sort(holders.begin(), holders.begin() + holder_count, [](const kept* a, const kept* b) { return a->place < b->place; });
  for (std::size_t i = 0; i < holder_count; ++i) {
    kept* const k = holders[i];
    say_what_trials_cost(*k);
    if (!k->made || k->made->choice().transport != "rma") continue;
    k->usable = nullptr;
    k->made.reset();
    k->refused = true;
  }
  return MPI_SUCCESS;
}

const char* wrong_price = nullptr;  // WEIR_MPI_PRICE, where it cannot be read

// Returns a code of MPI's. `there`: MPI is initialised and not finalised.
[[gnu::noinline]] int begin(bool& there) {
  const std::lock_guard lock(mutex);
  there = weir::mpi::mpi_is_there();
  if (!there || keyval != MPI_KEYVAL_INVALID) return MPI_SUCCESS;
  if (const char* const given = weir_value_of(WEIR_MPI_PRICE); given != nullptr && *given != '\0' && !price_here().give(given))
    wrong_price = given;
  int at_end = MPI_KEYVAL_INVALID, barriers = MPI_KEYVAL_INVALID;
  int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, before_finalize, &at_end, nullptr);
  if (code == MPI_SUCCESS) code = PMPI_Comm_set_attr(MPI_COMM_SELF, at_end, nullptr);
  if (code == MPI_SUCCESS) code = PMPI_Comm_free_keyval(&at_end);  // it stays as long as the attribute does
  if (code == MPI_SUCCESS) code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &barriers, nullptr);
  if (code == MPI_SUCCESS) keyval = barriers;
  return code;
}

constexpr weir_variable variables[] = {WEIR_MPI_BARRIER, WEIR_MPI_WITHIN, WEIR_MPI_TRANSPORT, WEIR_MPI_WAITING};

std::string_view from_environment(weir_variable variable) {
  const char* const value = weir_value_of(variable);
  return value == nullptr ? std::string_view() : value;
}

weir::mpi::options options_here() {
  weir::mpi::options o;
  std::string* const which[] = {&o.algorithm, &o.within, &o.transport, &o.waiting};
  for (std::size_t i = 0; i < std::size(variables); ++i)
    if (const std::string_view value = from_environment(variables[i]); !value.empty()) *which[i] = value;
  return o;
}

// FNV-1a.
std::uint64_t digest_of_environment() {
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](unsigned char c) { hash = (hash ^ c) * 1099511628211u; };
  for (const weir_variable variable : variables) {
    for (const char c : from_environment(variable)) add(static_cast<unsigned char>(c));
    add(0);
  }
  return hash;
}

std::uint64_t lot() {
  // A different number each time, in each process; mixed as SplitMix64 does.
  static std::atomic<std::uint64_t> drawn{0};
  std::uint64_t x =
      weir::native::ticks() + (static_cast<std::uint64_t>(getpid()) << 40) +
      0x9e3779b97f4a7c15u * (1 + drawn.fetch_add(1, std::memory_order_relaxed));  // relaxed: the number publishes nothing else
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// While a barrier is being made, errors return to Weir and not to the program's handler.
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

void say_once(MPI_Comm comm, const char* what) {
  // All processes of a communicator come here: its first prints the message, and all remember that it was printed.
  static std::atomic<bool> said{false};
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (!said.exchange(true) && rank == 0) std::fprintf(stderr, "%s; the WEIR_MPI_* variables are ignored\n", what);
}

// All processes of a communicator come here; `last`: of those with a wrong price.
void say_wrong_price(std::uint64_t last, int rank) {
  static std::atomic<bool> said{false};
  if (last == 0 || said.exchange(true) || last != static_cast<std::uint64_t>(rank) + 1) return;
  std::fprintf(stderr, "weir: WEIR_MPI_PRICE is \"%s\" in rank %d, and no number of microseconds (0 or more): ignored there\n",
               wrong_price, rank);
}

void make_barrier(kept& k, MPI_Comm comm, const weir::mpi::options& asked, bool alike) {
  try {
    if (alike) {
      k.made.emplace(comm, asked);
      return;
    }
    say_once(
        comm,
        "weir: processes have different WEIR_MPI_* variables: pass the same to all (Open MPI's mpirun needs -x NAME for each)");
  } catch (const std::invalid_argument& e) {
    say_once(comm, e.what());
  }
  k.made.emplace(comm);
}

// Collective. Makes a barrier for all processes, or for none; returns an error code if MPI has failed in a collective operation.
int make(kept& k, MPI_Comm comm, const weir::mpi::options& asked, bool alike) {
  const std::uint64_t start = weir::native::ticks();
  try {
    const errors_return scope(comm);
    make_barrier(k, comm, asked, alike);
  } catch (const weir::mpi::agreed_error& e) {
    std::fprintf(stderr, "%s; this communicator's barriers stay MPI's own\n", e.what());
  } catch (const weir::mpi::error& e) {
    return e.code();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "weir: out of memory for a barrier; this communicator's barriers stay MPI's own\n");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s; this communicator's barriers stay MPI's own\n", e.what());
  }
  k.refused = !k.made;
  k.usable = k.made ? &*k.made : nullptr;
  k.made_at = weir::native::ticks();
  price_here().made_in(k.made_at - start);
  if (k.made && k.made->rank() == 0 && !from_environment(WEIR_MPI_VERBOSE).empty()) say(k);
  return MPI_SUCCESS;
}

// Collective. Errors go to the communicator's error handler.
int ask_all(MPI_Comm comm, weir_ask& asked) {
  try {
    const weir_ask own = asked;
    weir::mpi::yielding::largest(&own, &asked, sizeof asked / sizeof(std::uint64_t), comm, "");
  } catch (const weir::mpi::error& e) {
    return e.code();
  }
  return MPI_SUCCESS;
}

// Collective. Makes a barrier if MPI's own have taken as much time as making one takes: the total is then at most twice that,
// however many barriers follow.
int ask(kept& k, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  weir_ask a{0,     ~price::in_ns(k.spent),  price_here().ns(),
             lot(), digest_of_environment(), ~digest_of_environment(),
             wrong_price == nullptr ? 0 : static_cast<std::uint64_t>(rank) + 1};
  weir::mpi::options asked;
  const bool entered = enter(k);
  a.unable = !entered;
  try {
    asked = options_here();
  } catch (const std::bad_alloc&) {
    a.unable = 1;
  }
  int code = ask_all(comm, a);
  k.refused = a.unable != 0;
  if (code == MPI_SUCCESS) say_wrong_price(a.wrong_price, rank);
  if (code == MPI_SUCCESS && !k.refused && ~a.less_than >= a.price) {
    k.place = a.place;
    code = make(k, comm, asked, a.asked == ~a.unlike);
    if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, k.failed = code);
  }
  if (!k.made && entered) leave(k);
  return code;
}

[[gnu::noinline]] int say_failure(kept& k, MPI_Comm comm) {
  // The barrier was made while errors returned, so no handler has been called; the program may have set another one since.
  PMPI_Comm_call_errhandler(comm, k.failed);
  return k.failed;
}

inline int pass(kept& k, MPI_Comm comm) {
  try {
    k.usable->arrive_and_wait();
    if (k.said != nullptr && k.said != &k.usable->choice()) [[unlikely]] say(k);
    return MPI_SUCCESS;
  } catch (const weir::mpi::error& e) {
    k.failed = e.code();
  } catch (const std::exception&) {  // exceptions must not reach C
    k.failed = MPI_ERR_OTHER;
  }
  k.usable = nullptr;
  return say_failure(k, comm);
}

// MPI's own barrier, timed.
[[gnu::noinline]] int count(kept& k, MPI_Comm comm) {
  if (k.failed != MPI_SUCCESS) return say_failure(k, comm);
  if (k.refused) return PMPI_Barrier(comm);
  if (++k.passes >= weir_first_ask && std::has_single_bit(k.passes)) {
    if (const int code = ask(k, comm); code != MPI_SUCCESS) return code;
    if (k.usable != nullptr) return pass(k, comm);
  }
  const std::uint64_t start = weir::native::ticks();
  const int code = PMPI_Barrier(comm);
  k.spent += weir::native::ticks() - start;
  return code;
}

// MPI's own barrier, before any is timed, or if the communicator cannot have one of Weir's.
[[gnu::noinline]] int number(MPI_Comm comm, std::uintptr_t passes) {
  if (passes == never) return PMPI_Barrier(comm);
  int code = MPI_SUCCESS;
  // Not before, so that communicators with fewer barriers pay nothing.
  if (++passes == first_timed) {
    int inter = 0, size = 0;
    code = PMPI_Comm_test_inter(comm, &inter);
    if (code == MPI_SUCCESS) code = PMPI_Comm_size(comm, &size);
    if (inter != 0 || size == 1) passes = never;
  }
  kept* const fresh = passes == first_timed ? new (std::nothrow) kept : nullptr;
  if (fresh != nullptr) fresh->passes = first_timed - 1;
  // A process without memory for its state keeps counting, to answer when the others ask.
  if (passes == weir_first_ask) {
    weir_ask a{1, 0, 0, 0, 0, 0, 0};
    code = ask_all(comm, a);
    passes = never;
  }
  if (code == MPI_SUCCESS) code = PMPI_Comm_set_attr(comm, keyval, fresh != nullptr ? fresh : attribute_of(passes));
  if (code != MPI_SUCCESS) {
    delete fresh;
    return code;
  }
  if (fresh != nullptr) link(*fresh);
  return fresh != nullptr ? count(*fresh, comm) : PMPI_Barrier(comm);
}

}  // namespace

int weir_mpi_barrier(MPI_Comm comm) {
  // MPI reports the error of such a call.
  if (comm == MPI_COMM_NULL) return PMPI_Barrier(comm);
  if (keyval == MPI_KEYVAL_INVALID) [[unlikely]] {
    bool there = false;
    if (const int code = begin(there); code != MPI_SUCCESS) return code;
    if (!there) return PMPI_Barrier(comm);
  }
  if (ending.load(std::memory_order_relaxed) && !weir::mpi::mpi_is_there()) [[unlikely]] return PMPI_Barrier(comm);
  void* found = nullptr;
  int there = 0;
  if (const int code = PMPI_Comm_get_attr(comm, keyval, &found, &there); code != MPI_SUCCESS) return code;
  if (there == 0) [[unlikely]] return number(comm, 0);
  if (is_number(found)) [[unlikely]] return number(comm, number_in(found));
  kept& k = *static_cast<kept*>(found);
  return k.usable != nullptr ? pass(k, comm) : count(k, comm);
}

int weir_mpi_barrier_f(MPI_Fint comm) { return weir_mpi_barrier(PMPI_Comm_f2c(comm)); }
