// The places that the threads of a team get, and the affinity format.
#include <gtest/gtest.h>

#include "openmp/places/affinity_format.hpp"
#include "openmp/places/place_partition.hpp"

namespace weir::openmp {
namespace {

// A member's place, and the first place and the number of places of its partition.
using bindings = std::vector<thread_binding>;

void expect(const thread_binding& primary, bind how, const bindings& expected) {
  EXPECT_EQ(bindings_of(primary, how, static_cast<unsigned>(expected.size())), expected);
}

TEST(PlacePartition, PrimaryKeepsThemTogether) {
  expect({2, 0, 4}, bind::primary, {{2, 0, 4}, {2, 0, 4}, {2, 0, 4}});
  expect({2, 2, 1}, bind::primary, {{2, 2, 1}});
}

TEST(PlacePartition, CloseGoesAroundFromThePrimary) {
  for (const bind how : {bind::close, bind::true_}) {
    expect({0, 0, 4}, how, {{0, 0, 4}, {1, 0, 4}, {2, 0, 4}});
    expect({2, 0, 4}, how, {{2, 0, 4}, {3, 0, 4}, {0, 0, 4}, {1, 0, 4}});
    expect({5, 4, 3}, how, {{5, 4, 3}, {6, 4, 3}, {4, 4, 3}});
  }
}

TEST(PlacePartition, CloseSharesPlacesAmongNeighbours) {
  expect({1, 0, 2}, bind::close, {{1, 0, 2}, {1, 0, 2}, {0, 0, 2}, {0, 0, 2}});
  expect({1, 0, 3}, bind::close, {{1, 0, 3}, {1, 0, 3}, {2, 0, 3}, {2, 0, 3}, {0, 0, 3}});
  expect({7, 7, 1}, bind::close, {{7, 7, 1}, {7, 7, 1}, {7, 7, 1}});
}

TEST(PlacePartition, SpreadDividesThePartition) {
  expect({0, 0, 8}, bind::spread, {{0, 0, 4}, {4, 4, 4}});
  expect({0, 0, 8}, bind::spread, {{0, 0, 2}, {2, 2, 2}, {4, 4, 2}, {6, 6, 2}});
  expect({0, 0, 8}, bind::spread, {{0, 0, 3}, {3, 3, 3}, {6, 6, 2}});
  expect({0, 0, 8}, bind::spread, {{0, 0, 8}});
}

TEST(PlacePartition, SpreadBeginsWithThePartOfThePrimaryWhichStays) {
  expect({5, 0, 8}, bind::spread, {{5, 4, 4}, {0, 0, 4}});
  expect({5, 4, 4}, bind::spread, {{5, 4, 2}, {6, 6, 2}});
  expect({7, 0, 8}, bind::spread, {{7, 6, 2}, {0, 0, 3}, {3, 3, 3}});
}

TEST(PlacePartition, SpreadOfMoreThreadsThanPlaces) {
  expect({1, 0, 2}, bind::spread, {{1, 1, 1}, {1, 1, 1}, {0, 0, 1}});
  expect({3, 2, 2}, bind::spread, {{3, 3, 1}, {3, 3, 1}, {2, 2, 1}, {2, 2, 1}});
}

TEST(PlacePartition, EveryTeamSharesAsEvenlyAsItCan) {
  for (int places = 1; places <= 9; ++places)
    for (int own = 0; own < places; ++own)
      for (int team = 1; team <= 20; ++team)
        for (const bind how : {bind::close, bind::spread}) {
          std::vector<int> on(static_cast<std::size_t>(places));
          const bindings members = bindings_of({own + 3, 3, places}, how, static_cast<unsigned>(team));
          EXPECT_EQ(members.front().place, own + 3);
          for (const thread_binding& s : members) {
            ASSERT_TRUE(s.first <= s.place && s.place < s.first + s.count && s.first >= 3 && s.first + s.count <= places + 3);
            ++on[static_cast<std::size_t>(s.place - 3)];
          }
          for (const int threads : on) EXPECT_TRUE(threads >= team / places && threads <= (team + places - 1) / places);
        }
}

TEST(PlacePartition, AnUnboundThreadHasAnUnboundTeam) { expect({}, bind::spread, {{}, {}, {}}); }

std::string shown(std::string_view format) {
  return in_format(format, {.team = 1, .teams = 2, .level = 3, .thread = 4, .threads = 15, .ancestor = -1, .host_name = "here",
                            .process = 77, .native_thread = 78, .processors = "0-3,7"});
}

TEST(AffinityFormat, Fields) {
  EXPECT_EQ(shown("%t %T %L %n %N %a %H %P %i %A"), "1 2 3 4 15 -1 here 77 78 0-3,7");
  EXPECT_EQ(shown("%{team_num} %{num_teams} %{nesting_level} %{thread_num} %{num_threads} %{ancestor_tnum}"), "1 2 3 4 15 -1");
  EXPECT_EQ(shown("%{host} %{process_id} %{native_thread_id} %{thread_affinity}"), "here 77 78 0-3,7");
}

TEST(AffinityFormat, Widths) {
  EXPECT_EQ(shown("[%5N] [%.5N] [%0.5N] [%1N] [%0.1N]"), "[15   ] [   15] [00015] [15] [15]");
  EXPECT_EQ(shown("[%6H] [%.6H] [%0.6H] [%0.7A]"), "[here  ] [  here] [  here] [  0-3,7]");
  EXPECT_EQ(shown("[%0.4a] [%.4{ancestor_tnum}] [%4a]"), "[-001] [  -1] [-1  ]");
  EXPECT_EQ(shown("[%05N]"), "[15   ]");
}

TEST(AffinityFormat, OtherText) {
  EXPECT_EQ(shown(""), "");
  EXPECT_EQ(shown("as it is"), "as it is");
  EXPECT_EQ(shown("100%% of %N%%"), "100% of 15%");
  EXPECT_EQ(shown("%q %{what} %5{no} %"), "undefined undefined undefined undefined");
  EXPECT_EQ(shown("%{host"), "undefinedhost");
  EXPECT_EQ(shown("%99999999999999999999n").size(), 4096U);
}

}  // namespace
}  // namespace weir::openmp
