// The places that each variable names, and how threads are bound to them.
#include <algorithm>
#include <gtest/gtest.h>

#include "environment.hpp"
#include "openmp/places/hw_subset.hpp"

namespace weir::openmp {
namespace {

using places = std::vector<std::vector<int>>;

constexpr auto places_expected =
    "threads, cores, ll_caches, numa_domains or sockets, with a count as in cores(4), or a list of places such as "
    "{0,1},{2:4:2}";

struct form {
  std::string value;
  places expected;
};

void expect_places(const std::string& name, const std::vector<form>& forms) {
  for (const auto& [value, expected] : forms) {
    const settings s = read({{name, value}});
    EXPECT_EQ(s.places, expected) << name << "=" << value;
    EXPECT_EQ(s.warnings, strings{}) << name << "=" << value;
  }
}

TEST(Places, NamedByWhatTheyAre) {
  expect_places("OMP_PLACES", {
      {"threads", {{0}, {4}, {1}, {5}, {2}, {6}, {3}, {7}}},
      {"Cores", {{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
      {" cores ( 3 ) ", {{0, 4}, {1, 5}, {2, 6}}},
      {"cores(99)", {{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
      {"sockets", {{0, 1, 4, 5}, {2, 3, 6, 7}}},
      {"sockets(1)", {{0, 1, 4, 5}}},
      {"ll_caches", {{0, 1, 4, 5}, {2, 3, 6, 7}}},
      {"numa_domains", {{0, 1, 2, 3, 4, 5, 6, 7}}},
  });
}

TEST(Places, WrittenOut) {
  expect_places("OMP_PLACES", {
      {"{0}", {{0}}},
      {"{0,1},{2,3}", {{0, 1}, {2, 3}}},
      {" { 1 , 0 } , { 2 } ", {{0, 1}, {2}}},
      {"{0:4},{4:4}", {{0, 1, 2, 3}, {4, 5, 6, 7}}},
      {"{1:3:2}", {{1, 3, 5}}},
      {"{7:4:-2}", {{1, 3, 5, 7}}},
      {"{0:2}:3:2", {{0, 1}, {2, 3}, {4, 5}}},
      {"{0:2}:4", {{0, 1}, {1, 2}, {2, 3}, {3, 4}}},
      {"{6,7}:4:-2", {{6, 7}, {4, 5}, {2, 3}, {0, 1}}},
      {"{0:8,!3}", {{0, 1, 2, 4, 5, 6, 7}}},
      {"{0:8,!3,!7}", {{0, 1, 2, 4, 5, 6}}},
      {"{0}:8,!{3}", {{0}, {1}, {2}, {4}, {5}, {6}, {7}}},
      {"{0,1},{2:2:2},{0:2}:3:2,!{3},!{2,4}", {{0, 1}, {0, 1}, {2, 3}, {4, 5}}},
      {"3,5", {{3}, {5}}},
      {"0:4:2", {{0}, {2}, {4}, {6}}},
  });
}

TEST(Places, Malformed) {
  for (const char* value : {"{}", "{0", "0}", "{0},", "{0}{1}", "{0:0}", "{-1}", "{a}", "{0}:0", "{0}:2:", "{0,!0}", "hills",
                            "cores(0)", "cores()", "cores(2", "cores 2", "cores,threads", "!", "{0:2000000}",
                            "{0:1024}:1025"}) {
    const settings s = read({{"OMP_PLACES", value}});
    EXPECT_EQ(s.warnings, strings{not_understood("OMP_PLACES", value, places_expected)});
    EXPECT_EQ(s.places, places{}) << value;
    EXPECT_EQ(s.proc_bind, std::vector{bind::false_}) << value;
  }
}

TEST(Places, ProcessorsThatMayNotBeUsedAreLeftOut) {
  auto machine = eight_processors();
  machine.processors = {1, 2, 5};
  const settings some = read({{"OMP_PLACES", "{0,1},{2,3,4},{6:2},{9},{5}"}}, machine);
  EXPECT_EQ(some.places, (places{{1}, {2}, {5}}));
  EXPECT_EQ(some.warnings, strings{"OMP_PLACES names processors that this program may not use (0,3-4,6-7,9); they are "
                                     "left out"});
  const settings none = read({{"OMP_PLACES", "{0}"}}, machine);
  EXPECT_EQ(none.places, places{});
  EXPECT_EQ(none.proc_bind, std::vector{bind::false_});
  EXPECT_EQ(none.warnings, strings{"OMP_PLACES names no processor that this program may use; it is ignored"});
  EXPECT_EQ(read({{"OMP_PLACES", "cores"}}, machine).places, (places{{1, 5}, {2}}));
}

TEST(Places, AMachineThatDoesNotSayHasCoresOfOneThread) {
  machine_view machine{{0, 1, 6}, 3, {}};
  EXPECT_EQ(read({{"OMP_PLACES", "cores"}}, machine).places, (places{{0}, {1}, {6}}));
  EXPECT_EQ(read({{"OMP_PLACES", "sockets"}}, machine).places, (places{{0, 1, 6}}));
}

TEST(Places, OfThisMachineCoverItsProcessors) {
  const machine_view machine = this_machine();
  for (const char* kind : {"threads", "cores", "ll_caches", "numa_domains", "sockets"}) {
    const settings s = read({{"OMP_PLACES", kind}}, machine);
    std::vector<int> covered;
    for (const auto& place : s.places) covered.insert(covered.end(), place.begin(), place.end());
    std::sort(covered.begin(), covered.end());
    EXPECT_EQ(covered, machine.processors) << kind;
    EXPECT_EQ(s.warnings, strings{});
  }
}

TEST(Binding, GompCpuAffinity) {
  expect_places("GOMP_CPU_AFFINITY", {
      {"0-3:2 7", {{0}, {2}, {7}}},
      {"3", {{3}}},
      {"2,1 , 0", {{2}, {1}, {0}}},
      {"4-6", {{4}, {5}, {6}}},
      {" 0 3 1-2 4-7:2 ", {{0}, {3}, {1}, {2}, {4}, {6}}},
  });
  EXPECT_EQ(read({{"GOMP_CPU_AFFINITY", "0"}}).proc_bind, std::vector{bind::true_});
  for (const char* value : {"a", "3-1", "0-3:0", "0-", "-1", "0,", "0-9999999", "{0}"})
    EXPECT_EQ(read({{"GOMP_CPU_AFFINITY", value}}).warnings,
              strings{not_understood("GOMP_CPU_AFFINITY", value, "processors and ranges of them such as 0 3 4-15:2")});
}

TEST(Binding, KmpAffinity) {
  const places cores = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  expect_places("KMP_AFFINITY", {
      {"none", {}},
      {"disabled", {}},
      {"granularity=fine", {}},
      {"balanced", cores},
      {"compact", {{0, 4}, {0, 4}, {1, 5}, {1, 5}, {2, 6}, {2, 6}, {3, 7}, {3, 7}}},
      {"granularity=fine,compact", {{0}, {4}, {1}, {5}, {2}, {6}, {3}, {7}}},
      {"Granularity=Thread , Compact , 1 , 0", {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}},
      {"granularity=fine,compact,0,3", {{5}, {2}, {6}, {3}, {7}, {0}, {4}, {1}}},
      {"granularity=fine,scatter", {{0}, {2}, {1}, {3}, {4}, {6}, {5}, {7}}},
      {"granularity=fine,scatter,1", {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}},
      {"granularity=fine,scatter,2", {{0}, {4}, {1}, {5}, {2}, {6}, {3}, {7}}},
      {"granularity=core,scatter,0,9", {{2, 6}, {1, 5}, {3, 7}, {0, 4}, {2, 6}, {1, 5}, {3, 7}, {0, 4}}},
      {"granularity=fine,balanced,respect,noreset,nowarnings,noverbose", {{0}, {4}, {1}, {5}, {2}, {6}, {3}, {7}}},
      {"granularity=socket,balanced", {{0, 1, 4, 5}, {2, 3, 6, 7}}},
      {"explicit,proclist=[3,0,{1,5},4-6:2]", {{3}, {0}, {1, 5}, {4}, {6}}},
      {"proclist=[2,{0-2}],explicit", {{2}, {0, 1, 2}}},
      {"proclist=[6]", {{6}}},
  });
  EXPECT_EQ(read({{"KMP_AFFINITY", "none"}}).proc_bind, std::vector{bind::false_});
  EXPECT_EQ(read({{"KMP_AFFINITY", "compact"}}).proc_bind, std::vector{bind::close});
  EXPECT_EQ(read({{"KMP_AFFINITY", "scatter"}}).proc_bind, std::vector{bind::close});
  EXPECT_EQ(read({{"KMP_AFFINITY", "balanced"}}).proc_bind, std::vector{bind::spread});
  EXPECT_EQ(read({{"KMP_AFFINITY", "proclist=[1]"}}).proc_bind, std::vector{bind::close});
}

TEST(Binding, MalformedKmpAffinity) {
  for (const char* value : {"dense", "compact,", "compact,1,2,3", "compact,-1", "granularity=", "granularity", "explicit",
                            "proclist=[0,2", "proclist=0", "explicit,proclist=[x]",
                            "verbose,norespect,proclist=[3-1]", "compact,proclist=[0]", "compact 1"})
    EXPECT_EQ(read({{"KMP_AFFINITY", value}}).warnings,
              strings{not_understood("KMP_AFFINITY", value,
                                     "[modifier,...]type[,permute][,offset] such as granularity=fine,compact,1,0 or "
                                     "explicit,proclist=[0,2], the type being none, disabled, compact, scatter, balanced "
                                     "or explicit")});
}

TEST(Binding, UnsupportedWordsOfKmpAffinityAreReported) {
  EXPECT_EQ(read({{"KMP_AFFINITY", "norespect,granularity=tile,scatter"}}).warnings,
            (strings{"KMP_AFFINITY: norespect is not supported; it is ignored",
                     "KMP_AFFINITY: granularity=tile is not supported; it is ignored"}));
  EXPECT_EQ(read({{"KMP_AFFINITY", "logical"}}).warnings,
            strings{"KMP_AFFINITY: logical is not supported; it is ignored"});
  EXPECT_EQ(read({{"KMP_AFFINITY", "nowarnings,norespect,proclist=[0,99]"}}).warnings, strings{});
  EXPECT_EQ(read({{"KMP_AFFINITY", "proclist=[0,99]"}}).warnings,
            strings{"KMP_AFFINITY names processors that this program may not use (99); they are left out"});
}

std::vector<int> subset(std::string_view text) {
  const auto layers = parse_hw_subset(text);
  if (!layers) return {-1};
  return processors_of(*layers, eight_processors().locations()).value_or(std::vector{-2});
}

TEST(HwSubset, TakesPartsOfParts) {
  EXPECT_EQ(subset("1s"), (std::vector{0, 1, 4, 5}));
  EXPECT_EQ(subset("1s@1"), (std::vector{2, 3, 6, 7}));
  EXPECT_EQ(subset("1s,1c"), (std::vector{0, 4}));
  EXPECT_EQ(subset("1C,2Sockets"), (std::vector{0, 2, 4, 6}));  // whatever their order
  EXPECT_EQ(subset("*s,1c@1,1t@1"), (std::vector{5, 7}));
  EXPECT_EQ(subset("3c"), (std::vector{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(subset("1t"), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(subset(":s,1ll,c@1"), (std::vector{1, 3, 5, 7}));
  EXPECT_EQ(subset(" 1n , 4c "), (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(HwSubset, MoreThanThereIsOrMalformed) {
  for (const char* const text : {"3s", "1s,3c", "5c", "1c@4", "3t", "*t@2"}) EXPECT_EQ(subset(text), std::vector{-2}) << text;
  for (const char* const text : {"", "1", "1q", "0c", "-1c", "1c,", "1c,1c", "1c@", "1c@-1", "1c:intel_core", "1 c c"})
    EXPECT_EQ(subset(text), std::vector{-1}) << text;
  EXPECT_EQ(read({{"KMP_HW_SUBSET", "1q"}}).warnings,
            strings{not_understood(
                "KMP_HW_SUBSET", "1q",
                "[N|*]kind[@offset],... such as 1s,4c@2,1t, a kind being s (socket), n (numa_domain), ll (ll_cache), "
                "c (core) or t (thread)")});
}

TEST(Binding, VerboseAffinityIsDisplayed) {
  EXPECT_TRUE(read({{"KMP_AFFINITY", "verbose,compact"}}).display_affinity);
  EXPECT_TRUE(read({{"KMP_AFFINITY", "verbose"}}).display_affinity);
  EXPECT_FALSE(read({{"KMP_AFFINITY", "compact"}}).display_affinity);
  EXPECT_FALSE(read({{"KMP_AFFINITY", "verbose"}, {"OMP_DISPLAY_AFFINITY", "false"}}).display_affinity);
}

TEST(Binding, Precedence) {
  environment variables = {{"OMP_PLACES", "{0}"}, {"GOMP_CPU_AFFINITY", "1"}, {"KMP_AFFINITY", "proclist=[2]"}};
  EXPECT_EQ(read(variables).places, (places{{0}}));
  EXPECT_EQ(read(variables).proc_bind, std::vector{bind::true_});
  variables.erase("OMP_PLACES");
  EXPECT_EQ(read(variables).places, (places{{1}}));
  variables.erase("GOMP_CPU_AFFINITY");
  EXPECT_EQ(read(variables).places, (places{{2}}));
  variables["OMP_PROC_BIND"] = "spread";
  EXPECT_EQ(read(variables).places, (places{{2}}));
  EXPECT_EQ(read(variables).proc_bind, std::vector{bind::spread});
}

TEST(Binding, FalseUnbindsWhateverThePlaces) {
  for (const char* name : {"OMP_PLACES", "KMP_AFFINITY", "GOMP_CPU_AFFINITY"}) {
    const std::string value = name == std::string("OMP_PLACES") ? "cores" : name[0] == 'K' ? "compact" : "0-3";
    const settings s = read({{"OMP_PROC_BIND", "false"}, {name, value}});
    EXPECT_EQ(s.places, places{}) << name;
    EXPECT_EQ(s.proc_bind, std::vector{bind::false_}) << name;
  }
}

TEST(Binding, WithoutPlacesItIsToCores) {
  const places cores = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  for (const char* how : {"true", "close", "spread,close", "primary"})
    EXPECT_EQ(read({{"OMP_PROC_BIND", how}}).places, cores) << how;
  EXPECT_EQ(read({}).places, places{});
}

}  // namespace
}  // namespace weir::openmp
