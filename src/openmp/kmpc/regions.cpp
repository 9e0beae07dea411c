// The interface that Clang (and Intel's compilers) compile for: regions, single, synchronisation, errors. What each function is
// called with is seen in the compiler's output (-S -emit-llvm).
#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "openmp/core/affinity.hpp"
#include "openmp/support/lock.hpp"
#include "openmp/core/league.hpp"
#include "machine/system_files.hpp"
#include "openmp/reductions/reduction.hpp"
#include "openmp/support/stop.hpp"
#include "openmp/core/team.hpp"

using namespace weir::openmp;

namespace {

/// Of a directive in the source.
struct place {
  std::int32_t unused[4];
  const char* text;  // ";file;function;line;column;;"
};
using microtask = void (*)(int* global, int* bound, ...);

// ---- regions: the compiler's function takes its variables' addresses one by one

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
  int global = global_number(), bound = 0;
  if (const auto count = static_cast<std::size_t>(c.count); count <= most_exact) [[likely]]
    call[count](c.run, &global, &bound, c.with);
  else  // who is called looks at its own alone: the caller takes arguments away again
    call_with(c.run, &global, &bound, c.with, std::make_index_sequence<most_arguments>());
}

thread_local unsigned asked_for = 0;  // by num_threads, for the region that comes next

// By num_teams and thread_limit, for the league that comes next.
thread_local int teams_asked_for = 0, limit_asked_for = 0;

void take(void** with, int count, va_list& rest) {
  if (count > static_cast<int>(most_arguments))
    stop("a region shares %d variables; at most %zu can be passed", count, most_arguments);
  for (int i = 0; i < count; ++i) with[i] = va_arg(rest, void*);
  if (count > static_cast<int>(most_exact)) std::fill(with + count, with + most_arguments, nullptr);
}

// ---- errors: where a directive is, as far as it is known

std::string text_of(const place* its) {
  if (its == nullptr || its->text == nullptr) return "";
  auto fields = weir::split(its->text, ';');  // nothing, file, function, line, column
  fields.resize(5);
  return std::string(fields[1]) + ":" + std::string(fields[3]) + ":" + std::string(fields[4]) + ": ";
}
constexpr int fatal = 2;

}  // namespace

extern "C" {

int __kmpc_global_thread_num(place*) { return global_number(); }
int __kmpc_global_num_threads(place*) { return static_cast<int>(self().of->size); }
int __kmpc_bound_thread_num(place*) { return static_cast<int>(self().number); }
int __kmpc_bound_num_threads(place*) { return static_cast<int>(self().of->size); }
int __kmpc_in_parallel(place*) { return self().of->active_level > 0; }
int __kmpc_ok_to_fork(place*) { return 1; }
void __kmpc_begin(place*, int) {}
void __kmpc_end(place*) {}

void __kmpc_push_num_threads(place*, int, int threads) { asked_for = threads > 0 ? static_cast<unsigned>(threads) : 0; }
void __kmpc_pop_num_threads(place*, int) {}  // the region has taken it
void __kmpc_push_proc_bind(place*, int, int how) { heed_binding(static_cast<unsigned>(how)); }

void __kmpc_fork_call(place*, int count, microtask run, ...) {
  void* with[most_arguments];
  va_list rest;
  va_start(rest, run);
  take(with, count, rest);
  va_end(rest);
  call_of c{run, count, with};
  fork(run_call, &c, std::exchange(asked_for, 0));
}

void __kmpc_fork_call_if(place*, int count, microtask run, int condition, void* with) {
  call_of c{run, count, &with};
  if (const unsigned asked = std::exchange(asked_for, 0); condition != 0)
    fork(run_call, &c, asked);
  else
    fork_alone(run_call, &c);
}

void __kmpc_push_num_teams(place*, int, int teams, int limit) {
  teams_asked_for = teams;
  limit_asked_for = limit;
}
// num_teams(most) alone: Clang says it as both bounds, older compilers say 0 as the lower one.
void __kmpc_push_num_teams_51(place*, int, int least, int most, int limit) {
  teams_asked_for = least > 0 ? least : most;
  limit_asked_for = limit;
}
// Of a target region, at its beginning: the task that it is in there has the limit for its own.
void __kmpc_set_thread_limit(place*, int, int limit) {
  if (limit > 0) self().icv.thread_limit = limit;
}
void __kmpc_fork_teams(place*, int count, microtask run, ...) {
  void* with[most_arguments];
  va_list rest;
  va_start(rest, run);
  take(with, count, rest);
  va_end(rest);
  call_of c{run, count, with};
  execute_league(std::exchange(teams_asked_for, 0), std::exchange(limit_asked_for, 0), [&c] { run_call(&c); });
}

void __kmpc_serialized_parallel(place*, int) {
  asked_for = 0;
  begin_alone();
}
void __kmpc_end_serialized_parallel(place*, int) { end_alone(); }

void __kmpc_barrier(place*, int) { barrier(self()); }
int __kmpc_cancel_barrier(place*, int) {
  barrier(self());
  return 0;
}
int __kmpc_cancel(place*, int, int) { return 0; }
int __kmpc_cancellationpoint(place*, int, int) { return 0; }
void __kmpc_flush(place*) { std::atomic_thread_fence(std::memory_order_seq_cst); }  // that is what the directive is

int __kmpc_single(place*, int) { return takes_single(self()); }
void __kmpc_end_single(place*, int) {}
int __kmpc_master(place*, int) { return self().number == 0; }
void __kmpc_end_master(place*, int) {}
int __kmpc_masked(place*, int, int filter) { return static_cast<int>(self().number) == filter; }
void __kmpc_end_masked(place*, int) {}

void __kmpc_copyprivate(place*, int, std::size_t, void* values, void (*copy)(void*, void*), int mine) {
  member& me = self();
  if (mine != 0) me.of->copied = values;
  barrier(me);
  if (mine == 0) copy(values, me.of->copied);
  barrier(me);  // before the values may go
}

// The compiler's code copies from what this returns, and has a barrier behind.
void* __kmpc_copyprivate_light(place*, int, void* values) {
  member& me = self();
  if (values != nullptr) me.of->copied = values;
  barrier(me);
  return me.of->copied;
}

// What the first member does while the others wait between two barriers.
int __kmpc_barrier_master(place*, int) {
  member& me = self();
  barrier(me);
  if (me.number == 0) return 1;
  barrier(me);
  return 0;
}
void __kmpc_end_barrier_master(place*, int) { barrier(self()); }
int __kmpc_barrier_master_nowait(place*, int) {
  barrier(self());
  return self().number == 0;
}

void __kmpc_scope(place*, int, void*) {}
void __kmpc_end_scope(place*, int, void*) {}

// The compiler's name for a critical section is 32 bytes that begin as zeros: as much as a lock needs.
void __kmpc_critical(place*, int, lock* its) { its->take(); }
void __kmpc_critical_with_hint(place*, int, lock* its, unsigned) { its->take(); }
void __kmpc_end_critical(place*, int, lock* its) { its->release(); }

int __kmpc_reduce_nowait(place*, int, int, std::size_t, void* values, combine with, lock*) { return gather(self(), values, with, true); }
void __kmpc_end_reduce_nowait(place*, int, lock*) {}
int __kmpc_reduce(place*, int, int, std::size_t, void* values, combine with, lock*) {
  member& me = self();
  end_tasks(me);  // it is a barrier too
  return gather(me, values, with, false);
}
void __kmpc_end_reduce(place*, int, lock*) { let_go(self()); }

// The error directive, at execution [OpenMP 5.2, 8.5.3].
void __kmpc_error(place* its, int severity, const char* message) {
  const std::string where = text_of(its);
  if (message == nullptr) message = "";
  if (severity == fatal) end_program("%sthe program ends itself: %s", where.c_str(), message);
  std::fprintf(stderr, "weir: %sthe program warns: %s\n", where.c_str(), message);
}

}  // extern "C"
