// Which processors are near each other: on machines made in code, on those of fake file systems, and on damaged ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <weir/machine/processors.hpp>
#include <weir/machine/topology.hpp>

#include "fake_system.hpp"

namespace weir {
namespace {

using groups = std::vector<std::vector<int>>;

std::vector<int> first(int count) {
  std::vector<int> processors(static_cast<std::size_t>(count));
  std::iota(processors.begin(), processors.end(), 0);
  return processors;
}

topology::division by(const std::string& name, int count, int size) {
  topology::division d{name, {}, 0};
  for (int p = 0; p < count; ++p) d.group_of.push_back(static_cast<unsigned>(p / size));
  d.groups = d.group_of.back() + 1;
  return d;
}

std::vector<std::string> names_of_levels(const topology& t) {
  std::vector<std::string> names;
  for (const auto& level : t.levels()) names.push_back(level.name);
  return names;
}

// Whatever it was made of: each processor once, levels within each other, distances that agree with the levels.
void is_sound(const topology& t, const std::vector<int>& processors) {
  std::vector<int> sorted = t.processors();
  std::ranges::sort(sorted);
  ASSERT_EQ(sorted, processors);
  ASSERT_EQ(t.levels().back().groups, 1u);
  for (std::size_t i = 0; i < t.levels().size(); ++i) {
    const auto& level = t.levels()[i];
    ASSERT_EQ(level.group_of.size(), processors.size());
    ASSERT_EQ(*std::ranges::max_element(level.group_of) + 1, level.groups);
    if (i > 0) {
      ASSERT_LT(level.groups, t.levels()[i - 1].groups);
    }
  }
  for (const int a : processors) {
    for (const int b : processors) {
      ASSERT_EQ(t.distance(a, b), t.distance(b, a));
      for (const int c : processors) ASSERT_LE(t.distance(a, c), std::max(t.distance(a, b), t.distance(b, c)));
    }
  }
}

TEST(Topology, HasLevelsWithinEachOther) {
  const topology t(first(16),
                   {by("socket", 16, 8), by("core", 16, 2), by("cache", 16, 4), by("memory", 16, 4), by("alone", 16, 1)});
  EXPECT_EQ(names_of_levels(t), (std::vector<std::string>{"core", "cache", "socket", "machine"}));
  is_sound(t, first(16));
  EXPECT_EQ(t.distance(0, 0), 0u);
  EXPECT_EQ(t.distance(0, 1), 1u);
  EXPECT_EQ(t.distance(1, 2), 2u);
  EXPECT_EQ(t.distance(3, 4), 3u);
  EXPECT_EQ(t.distance(7, 8), 4u);
  EXPECT_EQ(t.distance(0, 99), 4u) << "an unknown processor";
  EXPECT_EQ(t.distance(-1, 0), 4u);
  EXPECT_EQ(t.groups(*t.find("cache"))[1], (std::vector<int>{4, 5, 6, 7}));
  EXPECT_EQ(t.groups(*t.find("memory")).size(), 4u) << "no level of its own, and still there";
  EXPECT_EQ(t.find("cluster"), nullptr);
}

TEST(Topology, LeavesOutGroupsThatCrossSmallerOnes) {
  topology::division crossing{"memory", {0, 0, 0, 1, 1, 1}, 2};
  const topology t(first(6), {crossing, by("cache", 6, 2)});
  EXPECT_EQ(names_of_levels(t), (std::vector<std::string>{"cache", "machine"}));
  EXPECT_NE(t.find("memory"), nullptr);
  is_sound(t, first(6));
}

TEST(Topology, IsFlatWhereNothingIsKnown) {
  const topology t(std::vector<int>{3, 1, 7}, "no reason");
  EXPECT_EQ(t.levels().size(), 1u);
  EXPECT_EQ(t.trouble(), "no reason");
  EXPECT_EQ(t.distance(3, 7), 1u);
  EXPECT_EQ(t.in_order({1, 9, 3, 5}), (std::vector<int>{3, 1, 5, 9}));
  EXPECT_TRUE(topology(std::vector<int>{}).processors().empty());
}

// Two sockets of two caches and memories; a cache has two cores of two threads. Numbers alternate between the sockets.
class Files : public testing::Test {
 protected:
  static std::string list(int start, int step, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i > 0 ? "," : "") + std::to_string(start + i * step);
    return text;
  }
  void describe() const {
    for (int p = 0; p < 16; ++p) {
      system_.topology(p, list(p % 8, 8, 2), list(p % 2, 2, 8));
      system_.file(fake::system::cpu(p, "topology/die_cpus_list"), list(p % 2, 2, 8));
      system_.file(fake::system::cpu(p, "topology/cluster_cpus_list"), list(p % 8, 8, 2));
      system_.cache(p, 0, 1, "Data", list(p % 8, 8, 2));
      system_.cache(p, 1, 1, "Instruction", list(p % 8, 8, 2));
      system_.cache(p, 2, 2, "Unified", list(p % 8, 8, 2));
      system_.cache(p, 3, 3, "Unified", list(p % 4, 4, 4));
    }
    system_.file("node/online", "0-3");
    for (int n = 0; n < 4; ++n) system_.node(n, list(n, 4, 4));
  }
  topology read(const std::vector<int>& processors = first(16)) const { return topology_below(system_.root(), processors); }

  const fake::system system_;
};

TEST_F(Files, DescribeAMachine) {
  describe();
  const topology t = read();
  EXPECT_EQ(t.trouble(), "");
  EXPECT_EQ(names_of_levels(t), (std::vector<std::string>{"core", "cache", "socket", "machine"}));
  EXPECT_EQ(t.groups(t.levels()[1]), (groups{{0, 8, 4, 12}, {2, 10, 6, 14}, {1, 9, 5, 13}, {3, 11, 7, 15}}));
  EXPECT_EQ(t.distance(0, 8), 1u);
  EXPECT_EQ(t.distance(0, 4), 2u);
  EXPECT_EQ(t.distance(0, 2), 3u);
  EXPECT_EQ(t.distance(0, 1), 4u);
  EXPECT_EQ(t.thread(9), 1u);
  EXPECT_EQ(t.thread(1), 0u);
  is_sound(t, first(16));
}

TEST_F(Files, OfAMaskKnowThoseOutsideOfIt) {
  describe();
  const topology t = read({9, 4, 8, 12});
  EXPECT_EQ(t.processors(), (std::vector<int>{8, 4, 12, 9}));
  EXPECT_EQ(t.thread(9), 1u);
}

TEST_F(Files, ThatAreAbsentMakeAFlatMachineWithoutComplaint) {
  const topology t = read({1, 2, 5});
  EXPECT_EQ(t.levels().size(), 1u);
  EXPECT_EQ(t.trouble(), "");
  is_sound(t, {1, 2, 5});
  EXPECT_TRUE(topology_below("/nonexistent", {}).processors().empty());
}

TEST_F(Files, WithoutClustersNameTheSecondLevelCache) {
  for (int p = 0; p < 8; ++p) {
    system_.topology(p, std::to_string(p), "0-7");
    system_.cache(p, 0, 1, "Data", std::to_string(p));
    system_.cache(p, 1, 2, "Unified", p < 4 ? "0-3" : "4-7");
    system_.cache(p, 2, 3, "Unified", "0-7");
  }
  const topology t = read(first(8));
  EXPECT_EQ(names_of_levels(t), (std::vector<std::string>{"cluster", "machine"}));
  EXPECT_EQ(t.groups(t.levels()[0]), (groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

TEST_F(Files, ThatDescribeSomeProcessorsLeaveTheOthersTogether) {
  system_.topology(0, "0-1", "0-3");
  system_.topology(2, "2-3", "0-3");
  system_.cache(1, 0, 3, "Unified", "1,4");
  const topology t = read(first(5));
  EXPECT_EQ(t.trouble(), "");
  EXPECT_EQ(t.groups(*t.find("core")), (groups{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(t.groups(*t.find("socket")), (groups{{0, 1, 2, 3}, {4}}));
  is_sound(t, first(5));
}

struct damage {
  const char *path, *text, *says;
};
class DamagedFiles : public Files, public testing::WithParamInterface<damage> {};
TEST_P(DamagedFiles, MakeAFlatMachineAndAreNamed) {
  describe();
  system_.file(GetParam().path, GetParam().text);
  const topology t = read();
  EXPECT_EQ(t.levels().size(), 1u);
  EXPECT_NE(t.trouble().find(GetParam().says), std::string::npos) << t.trouble();
  is_sound(t, first(16));
}
INSTANTIATE_TEST_SUITE_P(
    Each, DamagedFiles,
    testing::Values(damage{"cpu/cpu3/topology/core_cpus_list", "garbage", "cpu3/topology/core_cpus_list holds no list"},
                    damage{"cpu/cpu3/topology/core_cpus_list", "3;11", "holds no list"},
                    damage{"cpu/cpu3/topology/core_cpus_list", "11-3", "do not ascend"},
                    damage{"cpu/cpu3/topology/core_cpus_list", "3,3", "do not ascend"},
                    damage{"cpu/cpu3/topology/core_cpus_list", "0-2147483647", "holds no list"},
                    damage{"cpu/cpu3/topology/core_cpus_list", "99999999999", "holds no list"},
                    damage{"cpu/cpu3/topology/core_cpus_list", "11", "processor 3 is not in its own core"},
                    damage{"cpu/cpu1/topology/package_cpus_list", "0-15", "processor 0 is in two groups of kind socket"},
                    damage{"cpu/cpu2/cache/index3/shared_cpu_list", "2,4", "processor 4 is in two groups of kind cache"},
                    damage{"cpu/cpu2/cache/index3/level", "three", "holds no list"},
                    damage{"node/node1/cpulist", "0-3", "in two groups of kind memory"},
                    damage{"node/online", "0-", "node/online holds no list"}));

// Files are lost, cut, overwritten and exchanged: whatever is left, the answer is sound, and flat where it has a complaint.
TEST_F(Files, DamagedByChanceStillGiveAMachine) {
  describe();
  std::vector<fake::fs::path> files;
  for (const auto& entry : fake::fs::recursive_directory_iterator(system_.devices()))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  std::mt19937 random(1);
  const auto any = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  const auto text_of = [](const fake::fs::path& path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  unsigned flat = 0, whole = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<std::pair<fake::fs::path, std::string>> before;
    for (std::size_t hits = 1 + any(3); hits > 0; --hits) {
      const fake::fs::path& path = files[any(files.size())];
      if (!fake::fs::is_regular_file(path)) continue;
      const std::string text = text_of(path);
      before.emplace_back(path, text);
      std::string changed = text;
      switch (any(6)) {
        case 0: fake::fs::remove(path); continue;
        case 1: changed = text.substr(0, any(text.size())); break;
        case 2: changed[any(text.size())] = static_cast<char>(random()); break;
        case 3: changed = text_of(files[any(files.size())]); break;
        case 4: changed.clear(); break;
        case 5: fake::fs::remove(path); fake::fs::create_directory(path); continue;
      }
      std::ofstream(path) << changed;
    }
    const topology t = read();
    is_sound(t, first(16));
    if (testing::Test::HasFatalFailure()) FAIL() << "trial " << trial;
    (t.levels().size() == 1 ? flat : whole) += 1;
    EXPECT_TRUE(t.trouble().empty() || t.levels().size() == 1) << t.trouble();
    std::ranges::reverse(before);
    for (const auto& [path, text] : before) {
      fake::fs::remove_all(path);
      std::ofstream(path) << text;
    }
  }
  EXPECT_GT(flat, 50u);
  EXPECT_GT(whole, 50u);
  EXPECT_EQ(read().levels().size(), 4u) << "it was repaired";
}

TEST(TopologyHere, HasTheProcessorsOfTheAffinityMask) {
  const topology& t = topology_here();
  is_sound(t, affinity());
  EXPECT_EQ(&t, &topology_here());
}

}  // namespace
}  // namespace weir
