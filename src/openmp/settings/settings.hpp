// The internal control variables of an OpenMP program, as its environment sets them.
// docs/openmp/settings.md has tables of OpenMP's variables, and docs/environment.md one of Weir's own.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "openmp/places/locations.hpp"
#include "openmp/places/place_partition.hpp"

namespace weir::openmp {

inline constexpr int openmp_version = 202111;  ///< _OPENMP of the specification whose variables are read: 5.2
inline constexpr int supported_active_levels = std::numeric_limits<int>::max();
inline constexpr unsigned long long spin_forever = std::numeric_limits<unsigned long long>::max();
inline constexpr int block_never = std::numeric_limits<int>::max();

enum class schedule_kind { static_, dynamic, guided, auto_, trapezoidal };

struct schedule {
  schedule_kind kind = schedule_kind::static_;
  bool monotonic = false;     ///< by a modifier; neither: there was none
  bool nonmonotonic = false;
  int chunk = 0;              ///< 0: unspecified
  bool operator==(const schedule&) const = default;
};

enum class wait_policy { unset, active, passive };
enum class offload { default_, mandatory, disabled };
enum class display { no, yes, verbose };
/// The action if all members of a team wait and none can go on.
enum class deadlocks { ignore, report, end };
/// The scheduler of the members of teams: the kernel; or Weir, on virtual processors; or Weir only for teams that are larger than
/// the machine.
/// every: as automatic, and the program's own threads, too.
enum class threads_of { kernel, user, automatic, every };
/// With whom the program divides the processors: with nobody; with the programs of the node that ask for it, too.
enum class share_with { nobody, node };
inline constexpr int most_weight = 100;

/// OMP_ALLOCATOR: a predefined allocator, or a memory space and the traits of an allocator in it.
struct allocator {
  std::string name = "omp_default_mem_alloc";
  std::vector<std::pair<std::string, std::string>> traits;
  bool operator==(const allocator&) const = default;
};

struct settings {
  // Threads
  std::vector<int> num_threads;  ///< per level; empty: `processors`, see threads_at
  int processors = 1;            ///< processors that the program may use by affinity mask and quota, rounded up, at least 1
  bool dynamic = false;
  int max_active_levels = 1;
  int thread_limit = std::numeric_limits<int>::max();
  std::size_t stack_bytes = 0;   ///< 0: the system's
  int num_teams = 0;             ///< 0: unspecified
  int teams_thread_limit = 0;    ///< 0: unspecified

  // Where they run
  std::vector<bind> proc_bind = {bind::false_};  ///< per level, at least one
  std::vector<std::vector<int>> places;          ///< the processors of each place; empty: threads are not bound
  bool display_affinity = false;
  std::optional<std::string> affinity_format;    ///< nothing: that of the runtime that the program was made for
  bool resets_affinity = false;                  ///< of a primary thread, after its outermost regions (KMP_AFFINITY)

  // What they do
  schedule run_schedule;
  bool cancellation = false;
  bool deterministic_reduction = false;
  int max_task_priority = 0;
  wait_policy waiting = wait_policy::unset;
  std::optional<unsigned long long> spin_count;  ///< spin_forever: infinite
  std::optional<int> blocktime_ms;               ///< block_never: infinite
  std::string barrier = "auto", fork_barrier = "auto", join_barrier = "auto", reduction_barrier = "auto";

  // Devices, memory, tools
  int default_device = 0;
  offload target_offload = offload::default_;
  allocator default_allocator;
  bool tool = true;
  std::vector<std::string> tool_libraries;
  std::string tool_verbose_init = "disabled";  ///< or stdout, stderr, the name of a file
  bool debug = false;
  openmp::deadlocks deadlocks = openmp::deadlocks::ignore;
  threads_of threads = threads_of::kernel;
  share_with share = share_with::nobody;
  int weight = 1;        ///< the program's, among those with which it shares; at most most_weight
  bool adapt = true;     ///< how each region computes best is tried (watching/region_sites.hpp)
  bool explain = false;  ///< at the program's end, what has been chosen

  display display_env = display::no;
  std::vector<std::string> warnings;  ///< of values that are malformed or not supported, one sentence each
};

/// The names that barriers may have besides "auto": all, for WEIR_BARRIER; those that can be halved, for
/// WEIR_TEST_FORK_BARRIER, WEIR_TEST_JOIN_BARRIER and WEIR_TEST_REDUCTION_BARRIER.
struct barrier_names {
  std::vector<std::string> whole, halved;
};

/// getenv, or a test's.
using lookup = std::function<const char*(const char*)>;

/// Reads all variables. It neither throws for what it reads nor ends the program: a malformed value gets a warning and is
/// ignored.
settings read_settings(const lookup& environment, const barrier_names& known_barriers,
                       const machine_view& machine = this_machine());

/// nthreads-var for a region nested in `level` others.
int threads_at(const settings&, std::size_t level);

/// What OMP_DISPLAY_ENV and omp_display_env show, in the form of the specification; with the vendors' variables if `verbose`.
std::string show(const settings&, bool verbose);
/// As verbose as OMP_DISPLAY_ENV says.
inline std::string show(const settings& s) { return show(s, s.display_env == display::verbose); }

}  // namespace weir::openmp
