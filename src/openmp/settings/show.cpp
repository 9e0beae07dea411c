// The block that OMP_DISPLAY_ENV asks for. Unspecified values are 0 or empty.
#include <limits>

#include <weir/profile.hpp>

#include "openmp/places/made_for.hpp"
#include "openmp/settings/parse.hpp"
#include "openmp/settings/settings.hpp"
#include "system/environment.h"

namespace weir::openmp {

namespace {

std::string text(bool value) { return value ? "TRUE" : "FALSE"; }
std::string text(int value) { return std::to_string(value); }
std::string text(const std::string& value) { return value; }

std::string text(const schedule& s) {
  static constexpr const char* kinds[] = {"STATIC", "DYNAMIC", "GUIDED", "AUTO", "TRAPEZOIDAL"};
  const std::string modifier = s.monotonic ? "MONOTONIC:" : s.nonmonotonic ? "NONMONOTONIC:" : "";
  return modifier + kinds[static_cast<int>(s.kind)] + (s.chunk > 0 ? "," + text(s.chunk) : "");
}

std::string text(bind how) {
  static constexpr const char* names[] = {"FALSE", "TRUE", "PRIMARY", "CLOSE", "SPREAD"};
  return names[static_cast<int>(how)];
}

std::string text(offload where) {
  static constexpr const char* names[] = {"DEFAULT", "MANDATORY", "DISABLED"};
  return names[static_cast<int>(where)];
}

std::string text(wait_policy how) {
  static constexpr const char* names[] = {"", "ACTIVE", "PASSIVE"};
  return names[static_cast<int>(how)];
}

std::string text(deadlocks what) {
  static constexpr const char* names[] = {"IGNORE", "REPORT", "END"};
  return names[static_cast<int>(what)];
}

std::string text(threads_of who) {
  static constexpr const char* names[] = {"KERNEL", "USER", "AUTO", "ALL"};
  return names[static_cast<int>(who)];
}

std::string text(share_with whom) {
  static constexpr const char* names[] = {"OFF", "NODE"};
  return names[static_cast<int>(whom)];
}

std::string text(const allocator& a) {
  std::string described = a.name;
  for (const auto& [trait, value] : a.traits) described += (described.size() == a.name.size() ? ":" : ",") + trait + "=" + value;
  return described;
}

// {0:4} if the processors are consecutive, {0,2} if not
std::string text(const std::vector<int>& processors) {
  std::string ranges;
  for (std::size_t first = 0, next = 0; first < processors.size(); first = next) {
    for (next = first + 1; next < processors.size() && processors[next] == processors[next - 1] + 1;) ++next;
    ranges += (ranges.empty() ? "" : ",") + text(processors[first]);
    if (next - first > 1) ranges += ":" + std::to_string(next - first);
  }
  return "{" + ranges + "}";
}

template <class Value>
std::string joined(const std::vector<Value>& values, const char* separator) {
  std::string list;
  for (const auto& value : values) list += (list.empty() ? "" : separator) + text(value);
  return list;
}

// In the largest unit that divides it.
std::string size(std::size_t bytes) {
  static constexpr char units[] = {'B', 'K', 'M', 'G'};
  std::size_t unit = 0;
  for (; bytes > 0 && bytes % 1024 == 0 && unit < 3; ++unit) bytes /= 1024;
  return std::to_string(bytes) + (bytes > 0 ? std::string(1, units[unit]) : "");
}

class block {
 public:
  void line(const std::string& name, const std::string& value) {
    lines_ += "  [host] " + name + "='" + value + "'\n";
  }
  /// What this build does not read has no line.
  void line(weir_variable variable, const std::string& value) {
    if (weir_reads(variable)) line(weir_name_of(variable), value);
  }
  std::string whole() const {
    return "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP='" + text(openmp_version) + "'\n" + lines_ +
           "OPENMP DISPLAY ENVIRONMENT END\n";
  }

 private:
  std::string lines_;
};

void specified(const settings& s, block& shown) {
  const auto threads = s.num_threads.empty() ? std::vector{s.processors} : s.num_threads;
  shown.line("OMP_AFFINITY_FORMAT", s.affinity_format.value_or(usual_affinity_format()));
  shown.line("OMP_ALLOCATOR", text(s.default_allocator));
  shown.line("OMP_CANCELLATION", text(s.cancellation));
  shown.line("OMP_DEBUG", s.debug ? "ENABLED" : "DISABLED");
  shown.line("OMP_DEFAULT_DEVICE", text(s.default_device));
  shown.line("OMP_DISPLAY_AFFINITY", text(s.display_affinity));
  shown.line("OMP_DISPLAY_ENV", s.display_env == display::verbose ? "VERBOSE" : text(s.display_env == display::yes));
  shown.line("OMP_DYNAMIC", text(s.dynamic));
  shown.line("OMP_MAX_ACTIVE_LEVELS", text(s.max_active_levels));
  shown.line("OMP_MAX_TASK_PRIORITY", text(s.max_task_priority));
  shown.line("OMP_NESTED", text(s.max_active_levels > 1));
  shown.line("OMP_NUM_TEAMS", text(s.num_teams));
  shown.line("OMP_NUM_THREADS", joined(threads, ","));
  shown.line("OMP_PLACES", joined(s.places, ","));
  shown.line("OMP_PROC_BIND", joined(s.proc_bind, ","));
  shown.line("OMP_SCHEDULE", text(s.run_schedule));
  shown.line("OMP_STACKSIZE", size(s.stack_bytes));
  shown.line("OMP_TARGET_OFFLOAD", text(s.target_offload));
  shown.line("OMP_TEAMS_THREAD_LIMIT", text(s.teams_thread_limit));
  shown.line("OMP_THREAD_LIMIT", text(s.thread_limit));
  shown.line("OMP_TOOL", s.tool ? "ENABLED" : "DISABLED");
  shown.line("OMP_TOOL_LIBRARIES", joined(s.tool_libraries, ":"));
  shown.line("OMP_TOOL_VERBOSE_INIT", s.tool_verbose_init == "disabled" ? "DISABLED" : s.tool_verbose_init);
  shown.line("OMP_WAIT_POLICY", text(s.waiting));
}

std::string spins(const settings& s) {
  if (!s.spin_count) return "";
  return *s.spin_count == spin_forever ? "INFINITE" : std::to_string(*s.spin_count);
}

std::string blocktime(const settings& s) {
  if (!s.blocktime_ms) return "";
  return *s.blocktime_ms == block_never ? "INFINITE" : text(*s.blocktime_ms);
}

void of_vendors(const settings& s, block& shown) {
  shown.line("GOMP_SPINCOUNT", spins(s));
  shown.line("KMP_BLOCKTIME", blocktime(s));
  shown.line("KMP_DETERMINISTIC_REDUCTION", text(s.deterministic_reduction));
  shown.line(WEIR_ADAPT, text(s.adapt));
  shown.line(WEIR_BARRIER, s.barrier);
  shown.line(WEIR_DEADLOCKS, text(s.deadlocks));
  shown.line(WEIR_EXPLAIN, text(s.explain));
  shown.line(WEIR_PROFILE, in_words(profile_here()));
  shown.line(WEIR_SHARE, text(s.share));
  shown.line(WEIR_TEST_FORK_BARRIER, s.fork_barrier);
  shown.line(WEIR_TEST_JOIN_BARRIER, s.join_barrier);
  shown.line(WEIR_TEST_REDUCTION_BARRIER, s.reduction_barrier);
  shown.line(WEIR_THREADS, text(s.threads));
  shown.line(WEIR_WEIGHT, text(s.weight));
}

}  // namespace

std::string show(const settings& s, bool verbose) {
  block shown;
  specified(s, shown);
  if (verbose) of_vendors(s, shown);
  return shown.whole();
}

}  // namespace weir::openmp
