// If several variables have the same meaning, OMP_ has precedence over GOMP_, and that over KMP_.
#include "openmp/settings/settings.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <weir/barriers/plans.hpp>

#include "machine/visible_processors.hpp"
#include "openmp/places/hw_subset.hpp"
#include "openmp/settings/binding.hpp"
#include "openmp/settings/variables.hpp"
#include "system/system_files.hpp"

namespace weir::openmp {

namespace {

constexpr auto a_boolean = "true or false";
constexpr auto a_positive = "an integer from 1 to 2147483647";
constexpr auto a_natural = "an integer from 0 to 2147483647";

void read_threads(const variables& in, settings& s) {
  s.num_threads = in.read_host("OMP_NUM_THREADS", parse_positives,
                               "integers from 1 to 2147483647, one for each level, such as 4 or 4,2")
                      .value_or(s.num_threads);
  s.dynamic = in.read_host("OMP_DYNAMIC", parse_boolean, a_boolean).value_or(s.dynamic);
  s.num_teams = in.read_host("OMP_NUM_TEAMS", parse_positive, a_positive).value_or(s.num_teams);
}

// A list with more than one level asks for nested regions, but an explicit variable has precedence.
void read_levels(const variables& in, settings& s) {
  const auto levels = in.read_host("OMP_MAX_ACTIVE_LEVELS", parse_natural, a_natural);
  const auto nested = in.read_host("OMP_NESTED", parse_boolean, a_boolean);
  const bool deep = nested.value_or(s.num_threads.size() > 1 || s.proc_bind.size() > 1);
  s.max_active_levels = levels.value_or(deep ? supported_active_levels : 1);
}

void read_limits(const variables& in, settings& s) {
  const auto all_or_count = [&s](std::string_view text) {
    return lower(trimmed(text)) == "all" ? std::optional(s.processors) : parse_positive(text);
  };
  constexpr auto all_or_positive = "all or an integer from 1 to 2147483647";
  const auto limit = first_of({in.read_host("OMP_THREAD_LIMIT", parse_positive, a_positive),
                               in.read("KMP_DEVICE_THREAD_LIMIT", all_or_count, all_or_positive),
                               in.read("KMP_ALL_THREADS", all_or_count, all_or_positive)});
  s.thread_limit = limit.value_or(s.thread_limit);
  const auto teams_limit = first_of({in.read_host("OMP_TEAMS_THREAD_LIMIT", parse_positive, a_positive),
                                     in.read("KMP_TEAMS_THREAD_LIMIT", parse_positive, a_positive)});
  s.teams_thread_limit = teams_limit.value_or(s.teams_thread_limit);
}

void read_stack(const variables& in, settings& s) {
  constexpr auto kilobytes = "a size such as 512K, with B, K, M, G or T (K where there is none)";
  constexpr auto bytes = "a size such as 512K, with B, K, M, G or T (B where there is none)";
  s.stack_bytes = first_of({in.read_host("OMP_STACKSIZE", parse_size_in_kilobytes, kilobytes),
                            in.read("GOMP_STACKSIZE", parse_size_in_kilobytes, kilobytes),
                            in.read("KMP_STACKSIZE", parse_size_in_bytes, bytes)})
                      .value_or(s.stack_bytes);
}

void read_waiting(const variables& in, settings& s) {
  const auto policy = in.read_host(
      "OMP_WAIT_POLICY",
      [](std::string_view text) {
        return parse_word<wait_policy>(text, {{"active", wait_policy::active}, {"passive", wait_policy::passive}});
      },
      "active or passive");
  enum class library { throughput, turnaround, serial };
  const auto kmp = in.read(
      "KMP_LIBRARY",
      [](std::string_view text) {
        return parse_word<library>(text, {{"throughput", library::throughput},
                                          {"turnaround", library::turnaround},
                                          {"serial", library::serial}});
      },
      "throughput, turnaround or serial");
  if (kmp == library::serial) s.thread_limit = 1;
  s.waiting = policy.value_or(kmp == library::turnaround ? wait_policy::active : wait_policy::unset);
  s.spin_count = in.read("GOMP_SPINCOUNT", parse_spins, "a number of spins with or without k, M, G or T, or infinite");
  s.blocktime_ms =
      in.read("KMP_BLOCKTIME", parse_blocktime, "a number of milliseconds, with or without ms or us, or infinite");
}

void read_work(const variables& in, settings& s) {
  s.run_schedule =
      in.read_host("OMP_SCHEDULE", parse_schedule,
                   "[monotonic:|nonmonotonic:]static|dynamic|guided|auto[,chunk], the chunk an integer from 1")
          .value_or(s.run_schedule);
  s.cancellation = in.read("OMP_CANCELLATION", parse_boolean, a_boolean).value_or(s.cancellation);
  s.deterministic_reduction = in.read("KMP_DETERMINISTIC_REDUCTION", parse_boolean, a_boolean).value_or(false);
  s.max_task_priority = in.read("OMP_MAX_TASK_PRIORITY", parse_natural, a_natural).value_or(s.max_task_priority);
}

void read_devices(const variables& in, settings& s) {
  s.default_device = in.read_host("OMP_DEFAULT_DEVICE", parse_natural, a_natural).value_or(s.default_device);
  const auto words = [](std::string_view text) {
    return parse_word<offload>(
        text, {{"mandatory", offload::mandatory}, {"disabled", offload::disabled}, {"default", offload::default_}});
  };
  s.target_offload =
      in.read("OMP_TARGET_OFFLOAD", words, "mandatory, disabled or default").value_or(s.target_offload);
  s.default_allocator =
      in.read_host("OMP_ALLOCATOR", parse_allocator,
                   "a predefined allocator, or a memory space with or without traits, such as omp_default_mem_alloc "
                   "or omp_default_mem_space:alignment=64,pinned=true")
          .value_or(s.default_allocator);
}

void read_tools(const variables& in, settings& s) {
  const auto words = [](std::string_view text) {
    return parse_word<bool>(text, {{"enabled", true}, {"disabled", false}});
  };
  s.tool = in.read("OMP_TOOL", words, "enabled or disabled").value_or(s.tool);
  s.debug = in.read("OMP_DEBUG", words, "enabled or disabled").value_or(s.debug);
  const std::string libraries = in.text("OMP_TOOL_LIBRARIES").value_or("");
  for (const auto one : split(libraries, ':'))
    if (!trimmed(one).empty()) s.tool_libraries.emplace_back(trimmed(one));
  if (const auto where = in.text("OMP_TOOL_VERBOSE_INIT")) {
    const std::string word = lower(*where);
    s.tool_verbose_init = word == "disabled" || word == "stdout" || word == "stderr" ? word : *where;
  }
}

void read_display(const variables& in, settings& s) {
  s.display_affinity = in.read("OMP_DISPLAY_AFFINITY", parse_boolean, a_boolean).value_or(s.display_affinity);
  s.affinity_format = in.exact("OMP_AFFINITY_FORMAT");
  const auto words = [](std::string_view text) -> std::optional<display> {
    if (lower(text) == "verbose") return display::verbose;
    const auto shown = parse_boolean(text);
    return shown ? std::optional(*shown ? display::yes : display::no) : std::nullopt;
  };
  s.display_env = first_of({in.read("OMP_DISPLAY_ENV", words, "true, false or verbose"),
                            in.read("KMP_SETTINGS", parse_boolean, a_boolean).value_or(false)
                                ? std::optional(display::verbose)
                                : std::nullopt})
                      .value_or(s.display_env);
}

bool names_a_plan_by_levels(const std::string& word) {
  try {
    return !plans::levels_called(word).levels.empty();
  } catch (const std::invalid_argument&) {
    return false;
  }
}

std::optional<std::string> read_barrier(const variables& in, weir_variable variable, const std::vector<std::string>& known,
                                        bool also_by_levels = false) {
  std::string expected = "one of auto";
  for (const auto& one : known) expected += ", " + one;
  if (also_by_levels) expected += ", or a plan by levels such as levels:8by6down6-pairs";
  const auto one_of_them = [&](std::string_view text) -> std::optional<std::string> {
    const std::string word = lower(text);
    if (word == "auto" || (also_by_levels && names_a_plan_by_levels(word))) return word;
    for (const auto& one : known)
      if (lower(one) == word) return one;
    return std::nullopt;
  };
  return in.read(variable, one_of_them, expected);
}

void read_barriers(const variables& in, const barrier_names& known, settings& s) {
  s.barrier = read_barrier(in, WEIR_BARRIER, known.whole, /*also_by_levels=*/true).value_or(s.barrier);
  s.fork_barrier = read_barrier(in, WEIR_TEST_FORK_BARRIER, known.halved).value_or(s.fork_barrier);
  s.join_barrier = read_barrier(in, WEIR_TEST_JOIN_BARRIER, known.halved).value_or(s.join_barrier);
  s.reduction_barrier = read_barrier(in, WEIR_TEST_REDUCTION_BARRIER, known.halved).value_or(s.reduction_barrier);
}

void read_deadlocks(const variables& in, settings& s) {
  const auto words = [](std::string_view text) {
    return parse_word<deadlocks>(
        text, {{"ignore", deadlocks::ignore}, {"report", deadlocks::report}, {"end", deadlocks::end}});
  };
  s.deadlocks = in.read(WEIR_DEADLOCKS, words).value_or(s.deadlocks);
}

void read_kind_of_threads(const variables& in, settings& s) {
  const auto words = [](std::string_view text) {
    return parse_word<threads_of>(
        text, {{"kernel", threads_of::kernel},
               {"user", threads_of::user},
               {"auto", threads_of::automatic},
               {"all", threads_of::every}});
  };
  // Teams of kernel threads cannot follow what the program is granted.
  const threads_of unless_said = s.share == share_with::node ? threads_of::automatic : s.threads;
  s.threads = in.read(WEIR_THREADS, words).value_or(unless_said);
}

void read_share(const variables& in, settings& s) {
  const auto words = [](std::string_view text) {
    return parse_word<share_with>(text, {{"off", share_with::nobody}, {"node", share_with::node}});
  };
  s.share = in.read(WEIR_SHARE, words).value_or(s.share);
  const auto weight = [](std::string_view text) {
    const auto number = parse_positive(text);
    return number && *number <= most_weight ? number : std::nullopt;
  };
  s.weight = in.read(WEIR_WEIGHT, weight).value_or(s.weight);
}

void read_choices(const variables& in, settings& s) {
  s.adapt = in.read(WEIR_ADAPT, parse_boolean).value_or(s.adapt);
  s.explain = in.read(WEIR_EXPLAIN, parse_boolean).value_or(s.explain);
}

// Only whether it can be read: visible_processors.cpp reads it, before there are settings.
void check_processors(const variables& in) {
  const auto known = [](std::string_view text) {
    const bool right = text == "machine" || visible::how_many(text, 1, std::nullopt);
    return right ? std::optional(true) : std::nullopt;
  };
  (void)in.read(WEIR_PROCESSORS, known);
}

// The processors are chosen when the library is loaded: here it is only said what was wrong.
void check_subset(const variables& in) {
  for (const char* name : {"KMP_HW_SUBSET", "KMP_PLACE_THREADS"})
    (void)in.read(name, parse_hw_subset,
                  "[N|*]kind[@offset],... such as 1s,4c@2,1t, a kind being s (socket), n (numa_domain), ll (ll_cache), c (core) "
                  "or t (thread)");
}

void warn_of_unsupported(const variables& in) {
  for (const char* kind : {"PLAIN", "FORKJOIN", "REDUCTION"})
    for (const char* what : {"_BARRIER", "_BARRIER_PATTERN"})
      if (const auto name = std::string("KMP_") + kind + what; in.text(name))
        in.warn(name + " is not supported; it is ignored (WEIR_BARRIER and its like choose barriers)");
}

}  // namespace

settings read_settings(const lookup& environment, const barrier_names& known_barriers, const machine_view& machine) {
  settings s;
  const variables in(environment, s.warnings);
  constexpr double most = std::numeric_limits<int>::max();
  s.processors = static_cast<int>(std::clamp(std::ceil(machine.usable), 1.0, most));
  read_threads(in, s);
  read_binding(in, machine, s);
  read_levels(in, s);
  read_limits(in, s);
  read_stack(in, s);
  read_waiting(in, s);
  read_work(in, s);
  read_devices(in, s);
  read_tools(in, s);
  read_display(in, s);
  read_barriers(in, known_barriers, s);
  read_deadlocks(in, s);
  read_choices(in, s);
  read_share(in, s);
  read_kind_of_threads(in, s);
  check_processors(in);
  check_subset(in);
  warn_of_unsupported(in);
  if (!in.read("KMP_WARNINGS", parse_boolean, a_boolean).value_or(true)) s.warnings.clear();
  return s;
}

int threads_at(const settings& s, std::size_t level) {
  return s.num_threads.empty() ? s.processors : s.num_threads[std::min(level, s.num_threads.size() - 1)];
}

}  // namespace weir::openmp
