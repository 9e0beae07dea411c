// Regions, single, synchronization and errors, as Clang and Intel's compilers compile them. The arguments of each function are
// visible in the compiler's output (-S -emit-llvm).
#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "openmp/forking/barrier.hpp"
#include "openmp/forking/league.hpp"
#include "openmp/forking/region.hpp"
#include "openmp/kmpc/interface.hpp"
#include "openmp/kmpc/num_threads.hpp"
#include "openmp/placing/team_binding.hpp"
#include "openmp/support/flush.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/support/stop.hpp"
#include "openmp/worksharing/loop.hpp"
#include "openmp/worksharing/single.hpp"
#include "system/system_files.hpp"

using namespace weir::openmp;

namespace {

using microtask = void (*)(int* global, int* bound, ...);

// ---- regions: the compiler's function takes the addresses of its variables as separate arguments

constexpr std::size_t most_exact = 64, most_arguments = 512;

template <std::size_t>
using pointer = void*;
template <std::size_t... I>
void call_with(microtask run, int* global, int* bound, void** with, std::index_sequence<I...>) {
  reinterpret_cast<void (*)(int*, int*, pointer<I>...)>(run)(global, bound, with[I]...);
}
using caller = void (*)(microtask, int*, int*, void**);
template <std::size_t... N>
constexpr std::array<caller, sizeof...(N)> callers(std::index_sequence<N...>) {
  return {[](microtask run, int* global, int* bound, void** with) {
    call_with(run, global, bound, with, std::make_index_sequence<N>());
  }...};
}
constexpr auto call = callers(std::make_index_sequence<most_exact + 1>());

struct call_of {
  microtask run;
  int count;
  void** with;
};

void run_call(void* what) {
  const auto& c = *static_cast<const call_of*>(what);
  int global = global_thread_number(), bound = 0;
  if (const auto count = static_cast<std::size_t>(c.count); count <= most_exact) [[likely]]
    call[count](c.run, &global, &bound, c.with);
  else  // the function reads its own arguments alone, and the caller pops all of them
    call_with(c.run, &global, &bound, c.with, std::make_index_sequence<most_arguments>());
}

// Set by num_teams and thread_limit, for the next league.
thread_local int teams_asked_for = 0, limit_asked_for = 0;

void read_arguments(void** with, int count, va_list& rest) {
  if (count > static_cast<int>(most_arguments))
    stop("a region has %d shared variables; at most %zu are supported", count, most_arguments);
  for (int i = 0; i < count; ++i) with[i] = va_arg(rest, void*);
  if (count > static_cast<int>(most_exact)) std::fill(with + count, with + most_arguments, nullptr);
}

// ---- cancellation

enum : int { of_region = 1, of_loop = 2, of_task_group = 4 };  // 3: of sections
cancellable construct_of(int which) {
  return which == of_region ? cancellable::region : which == of_task_group ? cancellable::task_group : cancellable::worksharing;
}

/// The compiler's code leaves the construct, without asking for the next chunk of its loop.
bool leaves(member& me, int which) {
  if (which == of_loop && me.in_loop != nullptr) end_loop(me);
  return true;
}

// ---- errors: where a directive is, as far as the program tells

/// Empty: the program, built without debugging information, does not tell.
std::string place_of(const source_line* location) {
  if (location == nullptr || location->text == nullptr) return "";
  auto fields = weir::split(location->text, ';');  // nothing, file, function, line, column
  fields.resize(5);
  if (fields[1].empty() || fields[1] == "unknown") return "";
  const auto file = fields[1].substr(fields[1].rfind('/') + 1);
  return std::string(file) + ":" + std::string(fields[3]) + " (" + std::string(fields[2]) + ")";
}
constexpr int fatal = 2;

}  // namespace

extern "C" {

int __kmpc_global_thread_num(source_line*) { return global_thread_number(); }
int __kmpc_global_num_threads(source_line*) { return static_cast<int>(self().of->size); }
int __kmpc_bound_thread_num(source_line*) { return static_cast<int>(self().number); }
int __kmpc_bound_num_threads(source_line*) { return static_cast<int>(self().of->size); }
int __kmpc_in_parallel(source_line*) { return self().of->active_level > 0; }
int __kmpc_ok_to_fork(source_line*) { return 1; }
void __kmpc_begin(source_line*, int) {}
void __kmpc_end(source_line*) {}

void __kmpc_push_proc_bind(source_line*, int, int how) {
  constexpr int by_new_name = 5;  // proc_bind(primary); the value of omp_proc_bind_t says proc_bind(master)
  request_proc_bind(how == by_new_name ? static_cast<unsigned>(bind::primary) : static_cast<unsigned>(how));
}

void __kmpc_fork_call(source_line*, int count, microtask run, ...) {
  void* with[most_arguments];
  va_list rest;
  va_start(rest, run);
  read_arguments(with, count, rest);
  va_end(rest);
  call_of c{run, count, with};
  fork_as_asked(run_call, &c, reinterpret_cast<const void*>(run));
}

void __kmpc_fork_call_if(source_line*, int count, microtask run, int condition, void* with) {
  call_of c{run, count, &with};
  if (condition != 0) {
    fork_as_asked(run_call, &c, reinterpret_cast<const void*>(run));
  } else {
    ask_for_nothing();
    fork_alone(run_call, &c);
  }
}

void __kmpc_push_num_teams(source_line*, int, int teams, int limit) {
  teams_asked_for = teams;
  limit_asked_for = limit;
}
// For num_teams(most) without a lower bound, Clang passes it as both bounds; older compilers pass 0 as the lower one.
void __kmpc_push_num_teams_51(source_line*, int, int least, int most, int limit) {
  teams_asked_for = least > 0 ? least : most;
  limit_asked_for = limit;
}
// Called at the beginning of a target region, whose task then has its own limit.
void __kmpc_set_thread_limit(source_line*, int, int limit) {
  if (limit > 0) own_control(self()).thread_limit = limit;
}
void __kmpc_fork_teams(source_line*, int count, microtask run, ...) {
  void* with[most_arguments];
  va_list rest;
  va_start(rest, run);
  read_arguments(with, count, rest);
  va_end(rest);
  call_of c{run, count, with};
  execute_league(std::exchange(teams_asked_for, 0), std::exchange(limit_asked_for, 0), run_call, &c);
}

void __kmpc_serialized_parallel(source_line*, int) {
  ask_for_nothing();
  begin_alone();
}
void __kmpc_end_serialized_parallel(source_line*, int) { end_alone(); }

void __kmpc_barrier(source_line*, int) { barrier(self()); }
int __kmpc_cancel_barrier(source_line*, int) { return barrier_in_cancellable(self()); }
int __kmpc_cancel(source_line*, int, int which) {
  member& me = self();
  return cancel(me, construct_of(which)) && leaves(me, which);
}
int __kmpc_cancellationpoint(source_line*, int, int which) {
  member& me = self();
  return meets_cancellation(me, construct_of(which)) && leaves(me, which);
}
// LLVM's routine; the kinds are those of __kmpc_cancel.
int kmp_get_cancellation_status(int which) { return is_cancelled(self(), construct_of(which)); }
int kmp_get_cancellation_status_(const int* which) { return kmp_get_cancellation_status(*which); }
void __kmpc_flush(source_line*) { flush(__builtin_return_address(0)); }

// The member that executes the construct calls its end.
int __kmpc_single(source_line*, int) {
  member& me = self();
  const bool taken = takes_single(me);
  if (taken) me.forbids = member::worksharing_and_barriers;
  return taken;
}
void __kmpc_end_single(source_line*, int) { self().forbids = 0; }
int __kmpc_master(source_line*, int) { return self().number == 0; }
void __kmpc_end_master(source_line*, int) {}
int __kmpc_masked(source_line*, int, int filter) { return static_cast<int>(self().number) == filter; }
void __kmpc_end_masked(source_line*, int) {}

void __kmpc_copyprivate(source_line*, int, std::size_t, void* values, void (*copy)(void*, void*), int copies_from) {
  member& me = self();
  void* const from = copyprivate(me, copies_from != 0 ? values : nullptr);
  if (copies_from == 0) copy(values, from);
  barrier(me);  // until then the executor keeps its values
}

// The compiler's code copies from the result, and has a barrier after that.
void* __kmpc_copyprivate_light(source_line*, int, void* values) { return copyprivate(self(), values); }

// Member 0 continues while the others wait between two barriers.
int __kmpc_barrier_master(source_line*, int) {
  member& me = self();
  barrier(me);
  if (me.number == 0) return 1;
  barrier(me);
  return 0;
}
void __kmpc_end_barrier_master(source_line*, int) { barrier(self()); }
int __kmpc_barrier_master_nowait(source_line*, int) {
  barrier(self());
  return self().number == 0;
}

void __kmpc_scope(source_line*, int, void*) {}
void __kmpc_end_scope(source_line*, int, void*) {}

// A critical section's name is an object of 32 bytes that are zeros at first: enough for a lock.
void __kmpc_critical(source_line*, int, lock* lock_word) { lock_word->take(&waits::critical); }
void __kmpc_critical_with_hint(source_line*, int, lock* lock_word, unsigned) { lock_word->take(&waits::critical); }
void __kmpc_end_critical(source_line*, int, lock* critical) { critical->release(); }

// The error directive, at execution.
void __kmpc_error(source_line* location, int severity, const char* message) {
  const std::string place = place_of(location);
  const char* const where = place.empty() ? nullptr : place.c_str();
  if (message == nullptr) message = "";
  const int length = static_cast<int>(std::strlen(message));
  if (severity == fatal) end_for_program(where, message, length);
  warn_for_program(where, message, length);
}

}  // extern "C"
