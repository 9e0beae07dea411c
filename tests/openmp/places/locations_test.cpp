// The locations of processors, read from the files of simulated machines.
#include <gtest/gtest.h>
#include <weir/machine/topology.hpp>

#include "../../machine/fake_system.hpp"
#include "openmp/places/places.hpp"

namespace weir::openmp {
namespace {

class Locations : public testing::Test, protected fake::system {
 protected:
  std::vector<place> places(const std::string& word, const std::vector<int>& processors) const {
    return places_named(word, read(processors));
  }
  std::vector<location> read(const std::vector<int>& processors) const {
    return locations_in(topology_below(root(), processors));
  }
};

using all_places = std::vector<place>;

// Two sockets, each with two third-level caches and two memories. Two cores with two threads each share a cache and a memory. The
// numbers alternate between the sockets, as on many machines: cores 0, 4, 2, 6 are in the first socket.
class TwoSockets : public Locations {
 protected:
  TwoSockets() {
    for (int p = 0; p < 16; ++p) {
      const int core = p % 8;
      const auto pair = std::to_string(core) + "," + std::to_string(core + 8);
      topology(p, pair, core % 2 == 0 ? "0,2,4,6,8,10,12,14" : "1,3,5,7,9,11,13,15");
      cache(p, 0, 3, "Unified", quarter(core % 4));
    }
    file("node/online", "0-3");
    for (int n = 0; n < 4; ++n) node(n, quarter(n));
  }
  const std::vector<int> all_of_it = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  static std::string quarter(int first) {
    return std::to_string(first) + "," + std::to_string(first + 4) + "," + std::to_string(first + 8) + "," +
           std::to_string(first + 12);
  }
};

TEST_F(TwoSockets, NeighboursComeTogether) {
  EXPECT_EQ(places("cores", all_of_it), (all_places{{0, 8}, {4, 12}, {2, 10}, {6, 14}, {1, 9}, {5, 13}, {3, 11}, {7, 15}}));
  EXPECT_EQ(places("ll_caches", all_of_it), (all_places{{0, 4, 8, 12}, {2, 6, 10, 14}, {1, 5, 9, 13}, {3, 7, 11, 15}}));
  EXPECT_EQ(places("numa_domains", all_of_it), places("ll_caches", all_of_it));
  EXPECT_EQ(places("sockets", all_of_it), (all_places{{0, 2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13, 15}}));
  EXPECT_EQ(places("threads", {0, 1, 4, 8}), (all_places{{0}, {8}, {4}, {1}}));
}

TEST_F(TwoSockets, ProcessorsOutsideOfTheMaskAreLeftOut) {
  EXPECT_EQ(places("cores", {4, 8, 9, 12}), (all_places{{8}, {4, 12}, {9}}));
  EXPECT_EQ(places("sockets", {1}), (all_places{{1}}));
  const auto second = read({9});
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].thread, 1) << "of its core, all of which the kernel knows";
}

TEST_F(Locations, WithoutDescriptionsEachIsACoreAndAllAreASocket) {
  const std::vector<int> some = {1, 2, 5};
  EXPECT_EQ(places("threads", some), (all_places{{1}, {2}, {5}}));
  EXPECT_EQ(places("cores", some), (all_places{{1}, {2}, {5}}));
  for (const char* word : {"sockets", "ll_caches", "numa_domains"}) EXPECT_EQ(places(word, some), (all_places{some})) << word;
}

TEST_F(Locations, UndescribedProcessorsAreInTheSocketOfTheOthers) {
  topology(0, "0-1", "0-3");
  topology(2, "2-3", "0-3");
  EXPECT_EQ(places("cores", {0, 1, 2, 3, 4}), (all_places{{0, 1}, {2, 3}, {4}}));
}

TEST_F(Locations, FilesOfOldKernels) {
  for (int p = 0; p < 4; ++p) {
    file(cpu(p, "topology/thread_siblings_list"), p < 2 ? "0-1" : "2-3");
    file(cpu(p, "topology/core_siblings_list"), p < 2 ? "0-1" : "2-3");
  }
  EXPECT_EQ(places("cores", {0, 1, 2, 3}), (all_places{{0, 1}, {2, 3}}));
  EXPECT_EQ(places("sockets", {0, 1, 2, 3}), (all_places{{0, 1}, {2, 3}}));
}

TEST_F(Locations, TheLastCacheIsEachProcessorsOwn) {
  for (int p = 0; p < 3; ++p) {  // the first two have a third level, the last has none
    topology(p, std::to_string(p), "0-2");
    cache(p, 0, 1, "Data", std::to_string(p));
    cache(p, 1, 1, "Instruction", std::to_string(p));
    cache(p, 2, 2, "Unified", std::to_string(p));
    cache(p, 3, 2, "Instruction", std::to_string(p));
    if (p < 2) cache(p, 4, 3, "Unified", "0-1");
  }
  EXPECT_EQ(places("ll_caches", {0, 1, 2}), (all_places{{0, 1}, {2}}));
}

TEST_F(Locations, MemoriesWithoutProcessorsChangeNothing) {
  topology(0, "0", "0-1");
  topology(1, "1", "0-1");
  file("node/online", "0,2-3");
  node(0, "0");
  node(2, "");
  node(3, "1");
  EXPECT_EQ(places("numa_domains", {0, 1}), (all_places{{0}, {1}}));
}

TEST_F(Locations, AMalformedListCountsAsNone) {
  topology(0, "garbage", "");
  topology(1, "5-2", "-");
  EXPECT_EQ(places("cores", {0, 1}), (all_places{{0}, {1}}));
  EXPECT_EQ(places("sockets", {0, 1}), (all_places{{0, 1}}));
}

}  // namespace
}  // namespace weir::openmp
