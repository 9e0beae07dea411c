// The settings of an environment: the well-formed values of every variable, the warnings about malformed ones, the precedence of
// variables, and the display.
#include <gtest/gtest.h>

#include "environment.hpp"

namespace weir::openmp {
namespace {

// ---- What each variable sets, seen in the display or, if that shows less, in the field.

std::string shown(const settings& s, const std::string& name) {
  settings displayed = s;
  displayed.display_env = display::verbose;
  const std::string text = show(displayed), start = "[host] " + name + "='";
  const auto at = text.find(start);
  if (at == std::string::npos) return "(not shown)";
  return text.substr(at + start.size(), text.find("'\n", at) - at - start.size());
}

struct good_form {
  std::string name, value, shows;
};

TEST(Settings, GoodForms) {
  const std::vector<good_form> forms = {
      {"OMP_NUM_THREADS", "4", "4"},
      {"OMP_NUM_THREADS", " 4 , 3,2 ", "4,3,2"},
      {"OMP_NUM_THREADS", "2147483647", "2147483647"},
      {"OMP_NUM_THREADS", "", "8"},
      {"OMP_NUM_THREADS", "  ", "8"},
      {"OMP_DYNAMIC", "TRUE", "TRUE"},
      {"OMP_DYNAMIC", "false", "FALSE"},
      {"OMP_DYNAMIC", "1", "TRUE"},
      {"OMP_DYNAMIC", "on", "TRUE"},
      {"OMP_DYNAMIC", "Yes", "TRUE"},
      {"OMP_MAX_ACTIVE_LEVELS", "0", "0"},
      {"OMP_MAX_ACTIVE_LEVELS", "3", "3"},
      {"OMP_NESTED", "true", "TRUE"},
      {"OMP_THREAD_LIMIT", "5", "5"},
      {"OMP_NUM_TEAMS", "3", "3"},
      {"OMP_TEAMS_THREAD_LIMIT", "6", "6"},
      {"OMP_SCHEDULE", "static", "STATIC"},
      {"OMP_SCHEDULE", "Dynamic , 4", "DYNAMIC,4"},
      {"OMP_SCHEDULE", "guided,2", "GUIDED,2"},
      {"OMP_SCHEDULE", "auto", "AUTO"},
      {"OMP_SCHEDULE", "auto,4", "AUTO"},
      {"OMP_SCHEDULE", "monotonic:dynamic,3", "MONOTONIC:DYNAMIC,3"},
      {"OMP_SCHEDULE", "nonmonotonic : guided", "NONMONOTONIC:GUIDED"},
      {"OMP_SCHEDULE", "static_steal,5", "DYNAMIC,5"},
      {"OMP_STACKSIZE", "2048", "2M"},
      {"OMP_STACKSIZE", "100", "100K"},
      {"OMP_STACKSIZE", "2000500B", "2000500B"},
      {"OMP_STACKSIZE", " 10 M ", "10M"},
      {"OMP_STACKSIZE", "1g", "1G"},
      {"OMP_STACKSIZE", "20000 k", "20000K"},
      {"OMP_WAIT_POLICY", "ACTIVE", "ACTIVE"},
      {"OMP_WAIT_POLICY", " passive ", "PASSIVE"},
      {"OMP_CANCELLATION", "true", "TRUE"},
      {"OMP_DISPLAY_AFFINITY", "TRUE", "TRUE"},
      {"OMP_AFFINITY_FORMAT", " %L on %A ", " %L on %A "},
      {"OMP_AFFINITY_FORMAT", "", ""},
      {"OMP_DEFAULT_DEVICE", "2", "2"},
      {"OMP_MAX_TASK_PRIORITY", "20", "20"},
      {"OMP_TARGET_OFFLOAD", "Mandatory", "MANDATORY"},
      {"OMP_TARGET_OFFLOAD", "disabled", "DISABLED"},
      {"OMP_TOOL", "disabled", "DISABLED"},
      {"OMP_TOOL", "enabled", "ENABLED"},
      {"OMP_TOOL_LIBRARIES", "/a/libt.so: /B/libu.so:", "/a/libt.so:/B/libu.so"},
      {"OMP_TOOL_VERBOSE_INIT", "STDERR", "stderr"},
      {"OMP_TOOL_VERBOSE_INIT", "/tmp/Log", "/tmp/Log"},
      {"OMP_DEBUG", "enabled", "ENABLED"},
      {"OMP_ALLOCATOR", "OMP_HIGH_BW_MEM_ALLOC", "omp_high_bw_mem_alloc"},
      {"OMP_ALLOCATOR", "omp_large_cap_mem_space", "omp_large_cap_mem_space"},
      {"OMP_ALLOCATOR",
       "omp_default_mem_space : alignment = 64 , pinned=true, fallback=allocator_fb,"
       "fb_data=omp_low_lat_mem_alloc",
       "omp_default_mem_space:alignment=64,pinned=true,fallback=allocator_fb,fb_data=omp_low_lat_mem_alloc"},
      {"OMP_PROC_BIND", "false", "FALSE"},
      {"OMP_PROC_BIND", "true", "TRUE"},
      {"OMP_PROC_BIND", "Master", "PRIMARY"},
      {"OMP_PROC_BIND", "spread, close,primary", "SPREAD,CLOSE,PRIMARY"},
      {"GOMP_SPINCOUNT", "300000", "300000"},
      {"GOMP_SPINCOUNT", "0", "0"},
      {"GOMP_SPINCOUNT", "3k", "3000"},
      {"GOMP_SPINCOUNT", "2 M", "2000000"},
      {"GOMP_SPINCOUNT", "1G", "1000000000"},
      {"GOMP_SPINCOUNT", "1t", "1000000000000"},
      {"GOMP_SPINCOUNT", "INFINITY", "INFINITE"},
      {"GOMP_SPINCOUNT", "infinite", "INFINITE"},
      {"KMP_BLOCKTIME", "200", "200"},
      {"KMP_BLOCKTIME", "0", "0"},
      {"KMP_BLOCKTIME", "30 ms", "30"},
      {"KMP_BLOCKTIME", "1001us", "2"},
      {"KMP_BLOCKTIME", "Infinite", "INFINITE"},
      {"WEIR_BARRIER", "Sense", "sense"},
      {"WEIR_BARRIER", "dissemination", "dissemination"},
      {"WEIR_BARRIER", "Levels:8by6down6-96packed12flag-exchange4", "levels:8by6down6-96packed12flag-exchange4"},
      {"WEIR_TEST_FORK_BARRIER", "Tree", "tree"},
      {"WEIR_TEST_JOIN_BARRIER", "AUTO", "auto"},
      {"WEIR_TEST_REDUCTION_BARRIER", "sense", "sense"},
      {"WEIR_ADAPT", "False", "FALSE"},
      {"WEIR_ADAPT", "1", "TRUE"},
      {"WEIR_EXPLAIN", "true", "TRUE"},
      {"WEIR_DEADLOCKS", "ignore", "IGNORE"},
      {"WEIR_DEADLOCKS", "Report", "REPORT"},
      {"WEIR_DEADLOCKS", " end", "END"},
      {"WEIR_THREADS", "Kernel", "KERNEL"},
      {"WEIR_THREADS", "user ", "USER"},
      {"WEIR_THREADS", "auto", "AUTO"},
      {"WEIR_SHARE", "Node", "NODE"},
      {"WEIR_SHARE", "off", "OFF"},
      {"WEIR_WEIGHT", "1", "1"},
      {"WEIR_WEIGHT", "100", "100"},
  };
  for (const auto& form : forms) {
    const settings s = read({{form.name, form.value}});
    EXPECT_EQ(shown(s, form.name), form.shows) << form.name << "=" << form.value;
    EXPECT_EQ(s.warnings, strings{}) << form.name << "=" << form.value;
  }
}

// Variables of other runtimes that have the effect of one of the specification.
TEST(Settings, GoodFormsOfOthers) {
  struct form {
    std::string name, value, sets, shows;
  };
  const std::vector<form> forms = {
      {"GOMP_STACKSIZE", "512", "OMP_STACKSIZE", "512K"},
      {"KMP_STACKSIZE", "65536", "OMP_STACKSIZE", "64K"},
      {"KMP_STACKSIZE", "4m", "OMP_STACKSIZE", "4M"},
      {"KMP_ALL_THREADS", "7", "OMP_THREAD_LIMIT", "7"},
      {"KMP_ALL_THREADS", "ALL", "OMP_THREAD_LIMIT", "8"},
      {"KMP_DEVICE_THREAD_LIMIT", "6", "OMP_THREAD_LIMIT", "6"},
      {"KMP_TEAMS_THREAD_LIMIT", "3", "OMP_TEAMS_THREAD_LIMIT", "3"},
      {"KMP_LIBRARY", "turnaround", "OMP_WAIT_POLICY", "ACTIVE"},
      {"KMP_LIBRARY", "throughput", "OMP_WAIT_POLICY", ""},
      {"KMP_LIBRARY", "serial", "OMP_THREAD_LIMIT", "1"},
      {"KMP_SETTINGS", "1", "OMP_DISPLAY_ENV", "VERBOSE"},
      {"OMP_NUM_THREADS_ALL", "3,2", "OMP_NUM_THREADS", "3,2"},
      {"OMP_SCHEDULE_ALL", "guided", "OMP_SCHEDULE", "GUIDED"},
  };
  for (const auto& form : forms) {
    const settings s = read({{form.name, form.value}});
    EXPECT_EQ(shown(s, form.sets), form.shows) << form.name << "=" << form.value;
    EXPECT_EQ(s.warnings, strings{}) << form.name << "=" << form.value;
  }
}

TEST(Settings, DisplayIsAskedFor) {
  EXPECT_EQ(read({}).display_env, display::no);
  EXPECT_EQ(read({{"OMP_DISPLAY_ENV", "FALSE"}}).display_env, display::no);
  EXPECT_EQ(read({{"OMP_DISPLAY_ENV", "true"}}).display_env, display::yes);
  EXPECT_EQ(read({{"OMP_DISPLAY_ENV", "1"}}).display_env, display::yes);
  EXPECT_EQ(read({{"OMP_DISPLAY_ENV", " Verbose"}}).display_env, display::verbose);
}

// ---- Malformed values: one warning each; everything else is as if the variable were not set.

TEST(Settings, BadForms) {
  struct bad {
    std::string expected;
    std::vector<std::string> names, values;
  };
  const std::string natural = "an integer from 0 to 2147483647", positive = "an integer from 1 to 2147483647";
  const std::vector<bad> forms = {
      {"integers from 1 to 2147483647, one for each level, such as 4 or 4,2",
       {"OMP_NUM_THREADS"},
       {"0", "-1", "four", "4,", ",4", "4,,2", "4 2", "2147483648", "99999999999999999999", "4,0", "4x"}},
      {"true or false",
       {"OMP_DYNAMIC", "OMP_NESTED", "OMP_CANCELLATION", "OMP_DISPLAY_AFFINITY", "KMP_SETTINGS", "KMP_WARNINGS"},
       {"maybe", "true false", "2", "tru", "true,"}},
      {natural,
       {"OMP_MAX_ACTIVE_LEVELS", "OMP_DEFAULT_DEVICE", "OMP_MAX_TASK_PRIORITY"},
       {"-1", "x", "1.5", "2147483648", "1,2"}},
      {positive,
       {"OMP_THREAD_LIMIT", "OMP_NUM_TEAMS", "OMP_TEAMS_THREAD_LIMIT", "KMP_TEAMS_THREAD_LIMIT"},
       {"0", "-1", "all", "4 4"}},
      {"all or " + positive, {"KMP_ALL_THREADS", "KMP_DEVICE_THREAD_LIMIT"}, {"0", "some", "all 4"}},
      {"[monotonic:|nonmonotonic:]static|dynamic|guided|auto[,chunk], the chunk an integer from 1",
       {"OMP_SCHEDULE"},
       {"fast", "dynamic,0", "dynamic,", "dynamic,-1", "dynamic 4", "bitonic:dynamic", "monotonic", "monotonic:", "static,1,2",
        ",4", ":static"}},
      {"a size such as 512K, with B, K, M, G or T (K where there is none)",
       {"OMP_STACKSIZE", "GOMP_STACKSIZE"},
       {"0", "-4", "4X", "4KB", "K", "4 4", "1.5M", "18446744073709551615", "99999999999G"}},
      {"a size such as 512K, with B, K, M, G or T (B where there is none)", {"KMP_STACKSIZE"}, {"4Q", "big"}},
      {"active or passive", {"OMP_WAIT_POLICY"}, {"lazy", "active,passive"}},
      {"throughput, turnaround or serial", {"KMP_LIBRARY"}, {"fast"}},
      {"a number of spins with or without k, M, G or T, or infinite",
       {"GOMP_SPINCOUNT"},
       {"-1", "many", "3x", "infinite 3", "20000000t"}},
      {"a number of milliseconds, with or without ms or us, or infinite", {"KMP_BLOCKTIME"}, {"-1", "2s", "2147483648", "ms"}},
      {"mandatory, disabled or default", {"OMP_TARGET_OFFLOAD"}, {"true"}},
      {"enabled or disabled", {"OMP_TOOL", "OMP_DEBUG"}, {"true", "0"}},
      {"a predefined allocator, or a memory space with or without traits, such as omp_default_mem_alloc or "
       "omp_default_mem_space:alignment=64,pinned=true",
       {"OMP_ALLOCATOR"},
       {"malloc", "omp_default_mem_alloc:pinned=true", "omp_default_mem_space:", "omp_default_mem_space:alignment=3",
        "omp_default_mem_space:pinned", "omp_default_mem_space:colour=red", "omp_default_mem_space:pool_size=0"}},
      {"true, false, or a list of primary, close and spread such as spread,close",
       {"OMP_PROC_BIND"},
       {"near", "true,close", "close,", "close,false", "close spread"}},
      {"true, false or verbose", {"OMP_DISPLAY_ENV"}, {"loud"}},
      {"one of auto, sense, dissemination, or a plan by levels such as levels:8by6down6-pairs",
       {"WEIR_BARRIER"},
       {"wall", "sense,sense", "levels:", "levels:8by6down6", "levels:8by6down6-7by2down2-pairs"}},
      {"one of auto, sense, tree",
       {"WEIR_TEST_FORK_BARRIER", "WEIR_TEST_JOIN_BARRIER", "WEIR_TEST_REDUCTION_BARRIER"},
       {"wall", "sense,tree", "dissemination", "levels:8by6down6-pairs"}},
      {"ignore, report or end", {"WEIR_DEADLOCKS"}, {"true", "report,end"}},
      {"kernel, user, auto or all", {"WEIR_THREADS"}, {"true", "posix", "user,kernel"}},
      {"off or node", {"WEIR_SHARE"}, {"true", "machine", "node,off"}},
      {"an integer from 1 to 100", {"WEIR_WEIGHT"}, {"0", "101", "-1", "1.5", "two"}},
      {"auto, machine or a number of processors", {"WEIR_PROCESSORS"}, {"Auto", "0", "-1", "3x", "1.5"}},
  };
  const std::string untouched = show(read({}));
  for (const auto& form : forms)
    for (const auto& name : form.names)
      for (const auto& value : form.values) {
        const settings s = read({{name, value}});
        EXPECT_EQ(s.warnings, strings{not_understood(name, value, form.expected)});
        EXPECT_EQ(show(s), untouched) << name << "=" << value;
      }
}

TEST(Settings, AMalformedValueLeavesOtherVariablesInForce) {
  const settings s = read({{"OMP_STACKSIZE", "big"}, {"KMP_STACKSIZE", "8M"}});
  EXPECT_EQ(s.stack_bytes, 8u << 20);
  EXPECT_EQ(s.warnings.size(), 1u);
}

TEST(Settings, UnsupportedVariablesAreReported) {
  EXPECT_EQ(read({{"KMP_FORKJOIN_BARRIER_PATTERN", "tree,tree"}}).warnings,
            strings{"KMP_FORKJOIN_BARRIER_PATTERN is not supported; it is ignored (WEIR_BARRIER and its like choose "
                    "barriers)"});
}

TEST(Settings, WarningsCanBeTurnedOff) {
  EXPECT_EQ(read({{"OMP_DYNAMIC", "x"}, {"KMP_WARNINGS", "off"}}).warnings, strings{});
  EXPECT_EQ(read({{"OMP_DYNAMIC", "x"}, {"KMP_WARNINGS", "on"}}).warnings.size(), 1u);
}

TEST(Settings, AnyValueCanBeRead) {
  for (const char* name : {"OMP_NUM_THREADS", "OMP_SCHEDULE", "OMP_PLACES", "OMP_STACKSIZE", "GOMP_CPU_AFFINITY",
                           "KMP_AFFINITY", "OMP_ALLOCATOR", "GOMP_SPINCOUNT", "OMP_PROC_BIND"})
    for (const char* value : {",", ":", "{", "}", "!", "[", "(", "-", "+", "=", "\x80\xff", "\n\t,",
                              "{{{{", "}}}}", "proclist=[",
                              "{0:", "{0}:", "cores(", "0-", "1-0", "{0:1000000000}", "{0}:2147483647:2147483647"})
      EXPECT_EQ(read({{name, value}}).warnings.size(), 1u) << name << "=" << value;
}

// ---- Precedence.

TEST(Settings, Precedence) {
  const auto field = [](const environment& variables, auto settings::*member) { return read(variables).*member; };
  const environment stacks = {{"OMP_STACKSIZE", "1M"}, {"GOMP_STACKSIZE", "2M"}, {"KMP_STACKSIZE", "3M"}};
  environment less = stacks;
  EXPECT_EQ(field(less, &settings::stack_bytes), 1u << 20);
  less.erase("OMP_STACKSIZE");
  EXPECT_EQ(field(less, &settings::stack_bytes), 2u << 20);
  less.erase("GOMP_STACKSIZE");
  EXPECT_EQ(field(less, &settings::stack_bytes), 3u << 20);

  environment limits = {{"OMP_THREAD_LIMIT", "1"}, {"KMP_DEVICE_THREAD_LIMIT", "2"}, {"KMP_ALL_THREADS", "3"}};
  EXPECT_EQ(field(limits, &settings::thread_limit), 1);
  limits.erase("OMP_THREAD_LIMIT");
  EXPECT_EQ(field(limits, &settings::thread_limit), 2);
  limits.erase("KMP_DEVICE_THREAD_LIMIT");
  EXPECT_EQ(field(limits, &settings::thread_limit), 3);

  EXPECT_EQ(field({{"OMP_WAIT_POLICY", "passive"}, {"KMP_LIBRARY", "turnaround"}}, &settings::waiting),
            wait_policy::passive);
  EXPECT_EQ(field({{"OMP_THREAD_LIMIT", "9"}, {"KMP_LIBRARY", "serial"}}, &settings::thread_limit), 1);
  EXPECT_EQ(field({{"OMP_DISPLAY_ENV", "false"}, {"KMP_SETTINGS", "true"}}, &settings::display_env), display::no);
  EXPECT_EQ(field({{"OMP_NUM_THREADS", "2"}, {"OMP_NUM_THREADS_ALL", "3"}}, &settings::num_threads),
            std::vector<int>{2});
}

// ---- Levels and numbers of threads.

TEST(Settings, ActiveLevels) {
  struct row {
    environment variables;
    int levels;
  };
  const std::vector<row> rows = {
      {{}, 1},
      {{{"OMP_NUM_THREADS", "4"}}, 1},
      {{{"OMP_NUM_THREADS", "4,2"}}, supported_active_levels},
      {{{"OMP_PROC_BIND", "spread,close"}}, supported_active_levels},
      {{{"OMP_PROC_BIND", "spread"}}, 1},
      {{{"OMP_NESTED", "true"}}, supported_active_levels},
      {{{"OMP_NESTED", "false"}, {"OMP_NUM_THREADS", "4,2"}}, 1},
      {{{"OMP_MAX_ACTIVE_LEVELS", "2"}, {"OMP_NUM_THREADS", "4,2"}}, 2},
      {{{"OMP_MAX_ACTIVE_LEVELS", "2"}, {"OMP_NESTED", "false"}}, 2},
      {{{"OMP_MAX_ACTIVE_LEVELS", "0"}, {"OMP_NESTED", "true"}}, 0},
  };
  for (const auto& row : rows) EXPECT_EQ(read(row.variables).max_active_levels, row.levels);
}

TEST(Settings, ThreadsAreTheUsableProcessorsRoundedUp) {
  auto machine = eight_processors();
  for (const auto& [usable, threads] : {std::pair{8.0, 8}, {1.5, 2}, {2.0, 2}, {0.01, 1}, {0.0, 1}}) {
    machine.usable = usable;
    const settings s = read({}, machine);
    EXPECT_EQ(s.num_threads, std::vector<int>{});
    EXPECT_EQ(threads_at(s, 0), threads) << usable;
    EXPECT_EQ(threads_at(s, 3), threads) << usable;
    EXPECT_EQ(threads_at(read({{"KMP_ALL_THREADS", "all"}}, machine), 0), threads) << usable;
  }
}

TEST(Settings, TheLastOfAListHoldsForDeeperLevels) {
  const settings s = read({{"OMP_NUM_THREADS", "4,3,2"}});
  EXPECT_EQ(threads_at(s, 0), 4);
  EXPECT_EQ(threads_at(s, 1), 3);
  EXPECT_EQ(threads_at(s, 2), 2);
  EXPECT_EQ(threads_at(s, 9), 2);
}

// ---- The display.

TEST(Settings, DisplayOfTheDefaults) {
  EXPECT_EQ(show(read({})), R"(
OPENMP DISPLAY ENVIRONMENT BEGIN
  _OPENMP='202111'
  [host] OMP_AFFINITY_FORMAT='level %L thread %n of %N, native %i, on processors %A'
  [host] OMP_ALLOCATOR='omp_default_mem_alloc'
  [host] OMP_CANCELLATION='FALSE'
  [host] OMP_DEBUG='DISABLED'
  [host] OMP_DEFAULT_DEVICE='0'
  [host] OMP_DISPLAY_AFFINITY='FALSE'
  [host] OMP_DISPLAY_ENV='FALSE'
  [host] OMP_DYNAMIC='FALSE'
  [host] OMP_MAX_ACTIVE_LEVELS='1'
  [host] OMP_MAX_TASK_PRIORITY='0'
  [host] OMP_NESTED='FALSE'
  [host] OMP_NUM_TEAMS='0'
  [host] OMP_NUM_THREADS='8'
  [host] OMP_PLACES=''
  [host] OMP_PROC_BIND='FALSE'
  [host] OMP_SCHEDULE='STATIC'
  [host] OMP_STACKSIZE='0'
  [host] OMP_TARGET_OFFLOAD='DEFAULT'
  [host] OMP_TEAMS_THREAD_LIMIT='0'
  [host] OMP_THREAD_LIMIT='2147483647'
  [host] OMP_TOOL='ENABLED'
  [host] OMP_TOOL_LIBRARIES=''
  [host] OMP_TOOL_VERBOSE_INIT='DISABLED'
  [host] OMP_WAIT_POLICY=''
OPENMP DISPLAY ENVIRONMENT END
)");
}

TEST(Settings, VerboseDisplayAddsTheVendors) {
  const std::string text = show(read({{"OMP_DISPLAY_ENV", "verbose"}, {"GOMP_SPINCOUNT", "5"}}));
  EXPECT_NE(text.find(R"(  [host] OMP_WAIT_POLICY=''
  [host] GOMP_SPINCOUNT='5'
  [host] KMP_BLOCKTIME=''
  [host] KMP_DETERMINISTIC_REDUCTION='FALSE'
  [host] WEIR_ADAPT='TRUE'
  [host] WEIR_BARRIER='auto'
  [host] WEIR_DEADLOCKS='IGNORE'
  [host] WEIR_EXPLAIN='FALSE'
  [host] WEIR_PROFILE=''
  [host] WEIR_SHARE='OFF'
  [host] WEIR_TEST_FORK_BARRIER='auto'
  [host] WEIR_TEST_JOIN_BARRIER='auto'
  [host] WEIR_TEST_REDUCTION_BARRIER='auto'
  [host] WEIR_THREADS='KERNEL'
  [host] WEIR_WEIGHT='1'
OPENMP DISPLAY ENVIRONMENT END
)"),
            std::string::npos)
      << text;
  EXPECT_EQ(show(read({{"OMP_DISPLAY_ENV", "true"}})).find("GOMP_SPINCOUNT"), std::string::npos);
}

TEST(Settings, WhoSharesTheNodeHasTeamsThatCanFollow) {
  EXPECT_EQ(read({{"WEIR_SHARE", "node"}}).threads, threads_of::automatic);
  EXPECT_EQ(read({{"WEIR_SHARE", "node"}, {"WEIR_THREADS", "kernel"}}).threads, threads_of::kernel);
  EXPECT_EQ(read({{"WEIR_SHARE", "off"}}).threads, threads_of::kernel);
}

TEST(Settings, PlacesAreShownShort) {
  EXPECT_EQ(shown(read({{"OMP_PLACES", "{0,1,2,3},{4,6},{5:3:1}"}}), "OMP_PLACES"), "{0:4},{4,6},{5:3}");
}

}  // namespace
}  // namespace weir::openmp
