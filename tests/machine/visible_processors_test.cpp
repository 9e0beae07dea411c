// How many processors a program sees, and which.
#include "machine/visible_processors.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using weir::visible::hears_the_truth;
using weir::visible::how_many;
using weir::visible::keep;

TEST(Heard, AsManyAsTheProcessCanUse) {
  EXPECT_EQ(how_many("auto", 8, std::nullopt), 8u);
  EXPECT_EQ(how_many("auto", 8, 2.0), 2u);
  EXPECT_EQ(how_many("auto", 8, 2.1), 3u) << "rounded up";
  EXPECT_EQ(how_many("auto", 8, 0.25), 1u);
  EXPECT_EQ(how_many("auto", 8, 0.0), 1u);
  EXPECT_EQ(how_many("auto", 2, 3.5), 2u) << "the quota may be larger than the mask";
  EXPECT_EQ(how_many("auto", 2, 1e30), 2u);
}

TEST(Heard, ANumberIsAtMostTheMask) {
  EXPECT_EQ(how_many("4", 8, std::nullopt), 4u);
  EXPECT_EQ(how_many("4", 8, 2.0), 4u) << "who gives a number knows better than the quota";
  EXPECT_EQ(how_many("16", 8, std::nullopt), 8u);
}

TEST(Heard, AllElseIsTheTruth) {
  for (const char* said : {"machine", "", "0", "-1", "2x", "Auto", "99999999999999999999"})
    EXPECT_FALSE(how_many(said, 8, 2.0)) << said;
}

TEST(Heard, ToolsThatSetMasksHearTheTruth) {
  for (const char* tool : {"taskset", "numactl", "hwloc-bind", "lstopo-no-graphics", "mpirun", "mpirun.openmpi", "mpiexec",
                           "mpiexec.hydra", "hydra_pmi_proxy", "srun", "slurmstepd"})
    EXPECT_TRUE(hears_the_truth(tool)) << tool;
  for (const char* program : {"python3", "nproc", "ffmpeg", "task", "top-model", "", "mpi"})
    EXPECT_FALSE(hears_the_truth(program));
}

std::set<int> kept(const std::set<int>& processors, unsigned count, int first, std::size_t bytes = 16) {
  alignas(cpu_set_t) unsigned char memory[256] = {};
  auto* const mask = reinterpret_cast<cpu_set_t*>(memory);
  for (const int p : processors) CPU_SET_S(static_cast<std::size_t>(p), bytes, mask);
  keep(bytes, mask, count, first);
  std::set<int> left;
  for (std::size_t p = 0; p < bytes * 8; ++p)
    if (CPU_ISSET_S(p, bytes, mask)) left.insert(static_cast<int>(p));
  return left;
}

TEST(Heard, TheProcessorsFromTheFirstOn) {
  const std::set<int> processors{1, 3, 4, 90};
  EXPECT_EQ(kept(processors, 2, 3), (std::set<int>{3, 4}));
  EXPECT_EQ(kept(processors, 2, 2), (std::set<int>{3, 4}));
  EXPECT_EQ(kept(processors, 2, 90), (std::set<int>{90, 1})) << "after the last comes the first";
  EXPECT_EQ(kept(processors, 2, 127), (std::set<int>{1, 3}));
  EXPECT_EQ(kept(processors, 4, 0), processors);
  EXPECT_EQ(kept(processors, 9, 50), processors);
  EXPECT_EQ(kept(processors, 1, 1000), (std::set<int>{1})) << "a number beyond a short mask";
}

}  // namespace
