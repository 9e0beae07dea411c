// Target regions, as GCC compiles them. There is no device: they are executed on the host, on the program's own variables.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "openmp/forking/league.hpp"
#include "openmp/forking/region.hpp"
#include "openmp/gomp/dependences.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/support/stop.hpp"
#include "openmp/tasks/task.hpp"
#include "system/guarded_entry.hpp"

using namespace weir::openmp;

namespace {

using function = void (*)(void*);

// Values in place of a device number: no clause names a device, or the clause names omp_default_device; an if clause is false, or
// the clause names omp_initial_device.
constexpr int by_default = -1, of_if_false = -2, default_device = -5;
constexpr unsigned nowait_flag = 1;

void need_device(int device) {
  if (initial_settings().target_offload != offload::mandatory || device == of_if_false) return;
  constexpr int initial_device = 0;  // omp_get_initial_device()
  if ((device == by_default || device == default_device ? self().icv.default_device : device) == initial_device) return;
  end_program("OMP_TARGET_OFFLOAD is mandatory, but there is no device to execute target constructs");
}

/// The addresses with which the region is called: for a firstprivate variable, the address of the copy.
class variables {
 public:
  variables(std::size_t count, void** addresses, const std::size_t* sizes, const std::uint16_t* kinds)
      : addresses_(addresses, addresses + count) {
    std::size_t bytes = 0, widest = alignof(std::max_align_t);
    for (std::size_t i = 0; i < count; ++i) {
      if (!copied(addresses[i], kinds[i])) continue;
      widest = std::max(widest, alignment(kinds[i]));
      bytes = up(bytes, alignment(kinds[i])) + sizes[i];
    }
    if (bytes == 0) return;
    copies_.reset(static_cast<char*>(std::aligned_alloc(widest, up(bytes, widest))));
    if (copies_ == nullptr) std::abort();
    bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!copied(addresses[i], kinds[i])) continue;
      char* const copy = copies_.get() + up(bytes, alignment(kinds[i]));
      if (sizes[i] != 0) std::memcpy(copy, addresses[i], sizes[i]);
      addresses_[i] = copy;
      bytes = static_cast<std::size_t>(copy - copies_.get()) + sizes[i];
    }
  }
  void** addresses() { return addresses_.data(); }

 private:
  // firstprivate. A null address is an argument that is absent, and remains null.
  static bool copied(const void* address, std::uint16_t kind) { return address != nullptr && (kind & 0xff) == 12; }
  static std::size_t alignment(std::uint16_t kind) { return std::size_t{1} << (kind >> 8); }
  static std::size_t up(std::size_t at, std::size_t to) { return (at + to - 1) / to * to; }
  struct free_memory {
    void operator()(char* p) const { std::free(p); }
  };

  std::vector<void*> addresses_;
  std::unique_ptr<char, free_memory> copies_;
};

/// Finds the thread limit among the clauses that are passed as numbers: one word says which clause it is, and the value is in the
/// same word or in the next.
int thread_limit_among(void** clauses) {
  constexpr std::uintptr_t next_word = 0x80, what = 0xff00, thread_limit = 0x200;
  for (; clauses != nullptr && *clauses != nullptr; ++clauses) {
    const auto word = reinterpret_cast<std::uintptr_t>(*clauses);
    const auto value =
        (word & next_word) != 0 ? reinterpret_cast<std::intptr_t>(*++clauses) : static_cast<std::intptr_t>(word) >> 16;
    if ((word & what) == thread_limit) return static_cast<int>(value);
  }
  return 0;
}

void execute(function run, void** addresses, int limit) {
  const as_initial_thread scope;
  if (limit > 0) own_control(self()).thread_limit = limit;
  run(addresses);
}

/// The data of a target region's task.
struct target_call {
  function run;
  std::unique_ptr<variables> mapped;
  int limit;
};

/// A construct without an effect keeps its place among the tasks that it depends on and those that depend on it.
void keep_order(unsigned flags, void** depend) {
  member& me = self();
  if (depend == nullptr) return;
  if ((flags & nowait_flag) != 0)
    generate_empty(me, dependences_of(depend));
  else
    finish_before(me, dependences_of(depend));
}

}  // namespace

extern "C" {

WEIR_GUARDED(void, GOMP_target,
             (int device, function run, const void*, std::size_t, void** addresses, std::size_t*, unsigned char*)) {
  need_device(device);
  execute(run, addresses, 0);
}

WEIR_GUARDED(void, GOMP_target_ext,
             (int device, function run, std::size_t count, void** addresses, std::size_t* sizes, std::uint16_t* kinds,
              unsigned flags, void** depend, void** clauses)) {
  need_device(device);
  member& me = self();
  const int limit = thread_limit_among(clauses);
  auto mapped = std::make_unique<variables>(count, addresses, sizes, kinds);
  if ((flags & nowait_flag) == 0) {
    if (depend != nullptr) finish_before(me, dependences_of(depend));
    execute(run, mapped->addresses(), limit);
    return;
  }
  task& t = new_task(me, sizeof(target_call));
  new (t.data()) target_call{run, std::move(mapped), limit};
  t.run = [](task& its_task) {
    auto& call = *static_cast<target_call*>(its_task.data());
    execute(call.run, call.mapped->addresses(), call.limit);
    call.~target_call();
  };
  generate(me, t, false, depend != nullptr ? dependences_of(depend) : dependences{});
}

void GOMP_target_data(int device, const void*, std::size_t, void**, std::size_t*, unsigned char*) { need_device(device); }
void GOMP_target_data_ext(int device, std::size_t, void**, std::size_t*, std::uint16_t*) { need_device(device); }
void GOMP_target_end_data(void) {}
void GOMP_target_update(int device, const void*, std::size_t, void**, std::size_t*, unsigned char*) { need_device(device); }
void GOMP_target_update_ext(int device, std::size_t, void**, std::size_t*, std::uint16_t*, unsigned flags, void** depend) {
  need_device(device);
  keep_order(flags, depend);
}
void GOMP_target_enter_exit_data(int device, std::size_t, void**, std::size_t*, std::uint16_t*, unsigned flags, void** depend) {
  need_device(device);
  keep_order(flags, depend);
}

// On the host, a pointer to a function of the program maps to itself.
void* GOMP_target_map_indirect_ptr(void* function) { return function; }

// The interop construct: there is no foreign runtime, so what it begins or ends is omp_interop_none [OpenMP 5.2, 14.1].
void GOMP_interop(int device, int begun, void*** objects, const int*, const char* const*, int, void**, int ended,
                  void*** other_objects, unsigned flags, void** depend) {
  need_device(device);
  keep_order(flags, depend);
  for (int i = 0; i < begun; ++i) *objects[i] = nullptr;
  for (int i = 0; i < ended; ++i) *other_objects[i] = nullptr;
}

// Leagues of target regions: each time the answer is that there is one more team, the program's code executes a team. The task's
// control variables end with the target region.
bool GOMP_teams4(unsigned least, unsigned, unsigned limit, bool first) {
  member& me = self();
  if (first)
    own_control(me) = control_of_league(me.icv, static_cast<int>(least), static_cast<int>(limit));
  else
    ++own_control(me).team;
  return me.icv.team < me.icv.teams;
}
// The code of GCC before version 12 executes one team.
void GOMP_teams(unsigned, unsigned limit) {
  member& me = self();
  own_control(me) = control_of_league(me.icv, 1, static_cast<int>(limit));
}

void GOMP_teams_reg(function run, void* what, unsigned teams, unsigned limit, unsigned) {
  execute_league(static_cast<int>(teams), static_cast<int>(limit), run, what);
}

}  // extern "C"
