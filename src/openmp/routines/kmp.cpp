// The routines of LLVM's and Intel's runtimes: settings of the runtime, and memory. Names that begin with kmp take values,
// with an underscore at the end references (Fortran); some have a name for C that begins with kmpc.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <pthread.h>

#include "openmp/forking/crew.hpp"
#include "openmp/placing/affinity_display.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/settings/set_by_routines.hpp"

using namespace weir::openmp;

namespace {

constexpr int most = std::numeric_limits<int>::max();
constexpr int usual_blocktime_ms = 200;  // LLVM's default, for programs that save and restore it

int blocktime() {
  if (const auto set = blocktime_ms()) return *set;
  const wait_policy policy = initial_settings().waiting;
  return policy == wait_policy::active ? block_never : policy == wait_policy::passive ? 0 : usual_blocktime_ms;
}

std::size_t stack_of_threads() {
  if (const std::size_t set = stack_bytes(); set != 0) return set;
  std::size_t bytes = 0;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

// ---- library: does the program have the machine to itself?

enum : int { serial = 1, turnaround = 2, throughput = 3 };
std::atomic<int> library{0};  // 0: not set

int library_kind() {
  // relaxed: a number with which no other data goes.
  if (const int set = library.load(std::memory_order_relaxed); set != 0) return set;
  return initial_settings().waiting == wait_policy::active ? turnaround : throughput;
}

void set_library(int kind) {
  thread_local int before_serial = 0;
  if (kind < serial || kind > throughput) return;
  const bool was_serial = library_kind() == serial;
  library.store(kind, std::memory_order_relaxed);
  control& icv = own_control(self());
  if (kind == serial && !was_serial) before_serial = std::exchange(icv.num_threads, 1);
  if (kind != serial && was_serial) icv.num_threads = before_serial;
}

// ---- defaults: NAME=value|NAME=value, for variables of the environment

std::atomic<bool> warnings{true};

std::map<std::string, std::string> variables_in(std::string_view text) {
  std::map<std::string, std::string> values;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('|'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const std::size_t sign = one.find('=');
    if (sign != one.npos) values.emplace(one.substr(0, sign), one.substr(sign + 1));
  }
  return values;
}

void warn(const std::string& what) {
  // relaxed: a switch with which no other data goes.
  if (warnings.load(std::memory_order_relaxed)) std::fprintf(stderr, "weir: %s\n", what.c_str());
}

/// Sets the variables for which there are routines as well.
void apply(const std::string& name, const settings& s) {
  control& icv = own_control(self());
  if (name == "OMP_NUM_THREADS" && !s.num_threads.empty())
    icv.num_threads = s.num_threads.front();
  else if (name == "OMP_DYNAMIC")
    icv.dynamic = s.dynamic;
  else if (name == "OMP_SCHEDULE")
    icv.run_schedule = s.run_schedule;
  else if (name == "OMP_MAX_ACTIVE_LEVELS" || name == "OMP_NESTED")
    icv.max_active_levels = s.max_active_levels;
  else if (name == "KMP_BLOCKTIME" && s.blocktime_ms)
    set_blocktime_ms(*s.blocktime_ms);
  else if (name.ends_with("_STACKSIZE") && s.stack_bytes != 0)
    set_stack_bytes(s.stack_bytes);
  else if (name == "OMP_AFFINITY_FORMAT" && s.affinity_format)
    set_affinity_format(*s.affinity_format);
  else if (s.warnings.empty())
    warn("kmp_set_defaults: " + name + " cannot be changed after the start of the program; it is ignored");
}

void set_defaults(std::string_view text) {
  for (const auto& [name, value] : variables_in(text)) {
    const settings s = read_settings([&](const char* wanted) { return wanted == name ? value.c_str() : nullptr; }, {});
    for (const std::string& warning : s.warnings) warn(warning);
    apply(name, s);
  }
}

}  // namespace

extern "C" {

// ---- settings

int kmp_get_blocktime(void) { return blocktime(); }
int kmp_get_blocktime_(void) { return blocktime(); }
void kmp_set_blocktime(int ms) { set_blocktime_ms(ms); }
void kmp_set_blocktime_(const int* ms) { set_blocktime_ms(*ms); }
void kmpc_set_blocktime(int ms) { set_blocktime_ms(ms); }

std::size_t kmp_get_stacksize_s(void) { return stack_of_threads(); }
std::size_t kmp_get_stacksize_s_(void) { return stack_of_threads(); }
int kmp_get_stacksize(void) { return static_cast<int>(std::min<std::size_t>(stack_of_threads(), most)); }
int kmp_get_stacksize_(void) { return kmp_get_stacksize(); }
void kmp_set_stacksize_s(std::size_t bytes) { set_stack_bytes(bytes); }
void kmp_set_stacksize_s_(const std::size_t* bytes) { set_stack_bytes(*bytes); }
void kmpc_set_stacksize_s(std::size_t bytes) { set_stack_bytes(bytes); }
void kmp_set_stacksize(int bytes) { set_stack_bytes(static_cast<std::size_t>(std::max(bytes, 0))); }
void kmp_set_stacksize_(const int* bytes) { kmp_set_stacksize(*bytes); }
void kmpc_set_stacksize(int bytes) { kmp_set_stacksize(bytes); }

int kmp_get_library(void) { return library_kind(); }
int kmp_get_library_(void) { return library_kind(); }
void kmp_set_library(int kind) { set_library(kind); }
void kmp_set_library_(const int* kind) { set_library(*kind); }
void kmpc_set_library(int kind) { set_library(kind); }
void kmp_set_library_serial(void) { set_library(serial); }
void kmp_set_library_serial_(void) { set_library(serial); }
void kmp_set_library_turnaround(void) { set_library(turnaround); }
void kmp_set_library_turnaround_(void) { set_library(turnaround); }
void kmp_set_library_throughput(void) { set_library(throughput); }
void kmp_set_library_throughput_(void) { set_library(throughput); }

void kmp_set_defaults(const char* text) { set_defaults(text); }
void kmp_set_defaults_(const char* text, std::size_t length) { set_defaults({text, length}); }
void kmpc_set_defaults(const char* text) { set_defaults(text); }

void kmp_set_warnings_on(void) { warnings.store(true, std::memory_order_relaxed); }
void kmp_set_warnings_on_(void) { kmp_set_warnings_on(); }
void kmp_set_warnings_off(void) { warnings.store(false, std::memory_order_relaxed); }
void kmp_set_warnings_off_(void) { kmp_set_warnings_off(); }

// The number of loops that may overlap is fixed.
void kmp_set_disp_num_buffers(int) {}
void kmp_set_disp_num_buffers_(const int*) {}
void kmpc_set_disp_num_buffers(int) {}

// ---- queries

int kmp_get_num_known_threads(void) { return crew::workers_alive() + 1; }
int kmp_get_num_known_threads_(void) { return kmp_get_num_known_threads(); }

// ---- memory

void* kmp_malloc(std::size_t bytes) { return std::malloc(bytes); }
void* kmp_aligned_malloc(std::size_t bytes, std::size_t alignment) {
  void* at = nullptr;
  return posix_memalign(&at, std::max(alignment, sizeof(void*)), bytes) == 0 ? at : nullptr;
}
void* kmp_calloc(std::size_t count, std::size_t bytes) { return std::calloc(count, bytes); }
void* kmp_realloc(void* at, std::size_t bytes) { return std::realloc(at, bytes); }
void kmp_free(void* at) { std::free(at); }

void* kmpc_malloc(std::size_t bytes) { return kmp_malloc(bytes); }
void* kmpc_aligned_malloc(std::size_t bytes, std::size_t alignment) { return kmp_aligned_malloc(bytes, alignment); }
void* kmpc_calloc(std::size_t count, std::size_t bytes) { return kmp_calloc(count, bytes); }
void* kmpc_realloc(void* at, std::size_t bytes) { return kmp_realloc(at, bytes); }
void kmpc_free(void* at) { kmp_free(at); }

void* kmp_malloc_(const std::size_t* bytes) { return kmp_malloc(*bytes); }
void* kmp_aligned_malloc_(const std::size_t* bytes, const std::size_t* alignment) {
  return kmp_aligned_malloc(*bytes, *alignment);
}
void* kmp_calloc_(const std::size_t* count, const std::size_t* bytes) { return kmp_calloc(*count, *bytes); }
void* kmp_realloc_(void** at, const std::size_t* bytes) { return kmp_realloc(*at, *bytes); }
void kmp_free_(void** at) { kmp_free(*at); }

}  // extern "C"
