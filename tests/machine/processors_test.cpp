// The processors that a process may use: affinity, and quotas that are read from simulated file systems.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>
#include <weir/machine/processors.hpp>
#include <weir/team.hpp>

namespace {

namespace fs = std::filesystem;

class Quota : public testing::Test {
 protected:
  Quota() : root_(fs::temp_directory_path() / ("weir-quota-" + std::to_string(getpid()))) { fs::create_directories(root_); }
  ~Quota() override { fs::remove_all(root_); }

  void file(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void v1(const std::string& group, const std::string& shown_root = "/") {
    file("proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:" + group + "\n0::/\n");
    file("proc/self/mountinfo", "30 25 0:26 " + shown_root + " /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  }
  void v2(const std::string& group, const std::string& shown_root = "/") {
    file("proc/self/cgroup", "0::" + group + "\n");
    file("proc/self/mountinfo",
         "24 1 8:1 / / rw - ext4 /dev/sda rw\n30 25 0:26 " + shown_root + " /sys/fs/cgroup rw shared:4 - cgroup2 cgroup rw\n");
  }
  std::optional<weir::cpu_quota> seen() const { return weir::quota_below(root_.string()); }

  fs::path root_;
};

TEST_F(Quota, NoneWithoutCgroups) { EXPECT_FALSE(seen()); }

TEST_F(Quota, NoneWhereVersion1SaysMinusOne) {
  v1("/box");
  file("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "-1\n");
  file("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(seen());
}

TEST_F(Quota, Version1) {
  v1("/box");
  file("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "150000\n");
  file("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
  ASSERT_TRUE(seen());
  EXPECT_DOUBLE_EQ(seen()->processors, 1.5);
  EXPECT_TRUE(seen()->source.ends_with("cpu.cfs_quota_us"));
}

TEST_F(Quota, NoneWhereVersion2SaysMax) {
  v2("/box");
  file("sys/fs/cgroup/box/cpu.max", "max 100000\n");
  EXPECT_FALSE(seen());
}

TEST_F(Quota, TheTightestOfAllAncestors) {
  v2("/slice/box/inner");
  file("sys/fs/cgroup/slice/cpu.max", "50000 100000\n");
  file("sys/fs/cgroup/slice/box/cpu.max", "max 100000\n");
  file("sys/fs/cgroup/slice/box/inner/cpu.max", "300000 100000\n");
  ASSERT_TRUE(seen());
  EXPECT_DOUBLE_EQ(seen()->processors, 0.5);
}

TEST_F(Quota, OfAContainerThatSeesItsOwnGroupAsTheRoot) {
  v1("/docker/abc", "/docker/abc");
  file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  ASSERT_TRUE(seen());
  EXPECT_DOUBLE_EQ(seen()->processors, 2);
}

TEST_F(Quota, OfAGroupWithinTheOneThatAContainerSeesAsTheRoot) {
  v2("/docker/abc/inner", "/docker/abc");
  file("sys/fs/cgroup/cpu.max", "300000 100000\n");
  file("sys/fs/cgroup/inner/cpu.max", "100000 100000\n");
  ASSERT_TRUE(seen());
  EXPECT_DOUBLE_EQ(seen()->processors, 1);
}

TEST_F(Quota, AGroupWhoseNameBeginsAlikeIsAnother) {
  v2("/docker/abcd", "/docker/abc");
  file("sys/fs/cgroup/d/cpu.max", "100000 100000\n");
  file("sys/fs/cgroupd/cpu.max", "100000 100000\n");
  EXPECT_FALSE(seen());
}

TEST_F(Quota, NonsenseIsNoQuota) {
  v2("/box");
  file("sys/fs/cgroup/box/cpu.max", "plenty\n");
  EXPECT_FALSE(seen());
  file("proc/self/cgroup", "garbage\n\n:::\n");
  EXPECT_FALSE(seen());
}

TEST(Processors, AreThoseThatThisProcessMayUse) {
  ASSERT_FALSE(weir::affinity().empty());
  EXPECT_TRUE(std::is_sorted(weir::affinity().begin(), weir::affinity().end()));
  EXPECT_GT(weir::usable_processors(), 0);
  EXPECT_LE(weir::usable_processors(), static_cast<double>(weir::affinity().size()));
}

TEST(Team, KnowsWhoSharesAProcessor) {
  weir::team t;
  t.members = 3;
  t.processors = 2;
  EXPECT_TRUE(t.oversubscribed(0)) << "more members than processors, and not known where";
  t.placement = {0, 1, 1};
  EXPECT_FALSE(t.oversubscribed(0));
  EXPECT_TRUE(t.oversubscribed(1));
}

}  // namespace
