// What the workloads check: a right answer passes, one that is a little wrong does not, and neither does what a team computes
// whose barrier does not hold.
#include <gtest/gtest.h>

#include <limits>

#include "cholesky/factor.hpp"
#include "gauss/check.hpp"
#include "intervals/computing.hpp"
#include "paths/check.hpp"
#include "sort/transposition.hpp"

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// A member that does not wait.
class hasty {
 public:
  hasty(long number, long count) : number_(number), count_(count) {}
  long number() const { return number_; }
  long count() const { return count_; }
  void barrier() { barriers++; }

  long barriers = 0;

 private:
  long number_, count_;
};

/// The members of a team, one after the other, as barriers might let them go that do not hold. How many barriers the last of
/// them has passed.
template <class Body>
long hurry(long members, Body body) {
  long barriers = 0;
  for (long m = 0; m < members; m++) {
    hasty me(m, members);
    body(me);
    barriers = me.barriers;
  }
  return barriers;
}

std::vector<double> solved(long size, long members) {
  gauss::system s = gauss::equations(size, 7);
  EXPECT_EQ(size, hurry(members, [&](hasty& me) { gauss::eliminate(me, s); }));
  return gauss::solution(s);
}

TEST(gauss, knows_the_solution) {
  for (const long size : {1, 2, 3, 40}) {
    const std::vector<double> x = solved(size, 1);
    ASSERT_TRUE(gauss::is_solution(x, gauss::equations(size, 7))) << size;
    EXPECT_FALSE(gauss::is_solution(x, gauss::equations(size, 8))) << "of other equations";
    for (std::size_t i = 0; i < x.size(); i++)
      for (const double wrong : {x[i] + 1e-7, no_number}) {
        std::vector<double> perturbed = x;
        perturbed[i] = wrong;
        EXPECT_FALSE(gauss::is_solution(perturbed, gauss::equations(size, 7))) << size << " equations, x" << i;
      }
  }
}

TEST(gauss, finds_a_barrier_that_does_not_hold) {
  EXPECT_FALSE(gauss::is_solution(solved(40, 3), gauss::equations(40, 7)));
}

TEST(gauss, exchanges_rows_in_each_step_but_the_last_ones) {
  gauss::system s = gauss::equations(40, 7);
  hurry(1, [&](hasty& me) { gauss::eliminate(me, s); });
  long exchanges = 0;
  for (long k = 0; k < 40; k++) exchanges += s.pivots[static_cast<std::size_t>(k)] != k;
  EXPECT_GE(exchanges, 20);
}

std::vector<paths::distance> distances(const paths::graph& g, long source, long members) {
  std::vector<paths::distance> found(static_cast<std::size_t>(g.vertices));
  paths::shared shared(members);
  hurry(members, [&](hasty& me) { paths::search(me, g, shared).run(source, found); });
  return found;
}

TEST(paths, knows_the_distances) {
  const paths::graph g(60, 5);
  const paths::boost_graph check(g);
  for (const long source : {0, 31, 59}) {
    const std::vector<paths::distance> found = distances(g, source, 1);
    ASSERT_TRUE(check.are_distances(found, source));
    for (std::size_t v = 0; v < found.size(); v++) {
      std::vector<paths::distance> perturbed = found;
      perturbed[v] += 1;  // what cannot be reached is then at 0
      EXPECT_FALSE(check.are_distances(perturbed, source)) << v;
    }
  }
}

TEST(paths, finds_a_barrier_that_does_not_hold) {
  const paths::graph g(60, 50);
  EXPECT_FALSE(paths::boost_graph(g).are_distances(distances(g, 0, 3), 0));
}

TEST(paths, passes_a_barrier_for_each_vertex_that_it_reaches) {
  for (const auto& [density, barriers] : {std::pair{100L, 60L}, std::pair{0L, 2L}}) {  // the second finds that none is left
    const paths::graph g(60, density);
    std::vector<paths::distance> found(60);
    paths::shared shared(1);
    EXPECT_EQ(barriers, hurry(1, [&](hasty& me) { paths::search(me, g, shared).run(0, found); }));
  }
}

TEST(sort, knows_sorted_keys) {
  for (const long size : {1, 2, 3, 50}) {
    std::vector<sort::key> keys = sort::keys(size);
    EXPECT_EQ(size, hurry(1, [&](hasty& me) { sort::transposition_sort(me, keys); }));
    ASSERT_TRUE(sort::are_sorted_keys(keys, sort::keys(size)));
    for (std::size_t k = 0; k < keys.size(); k++) {
      std::vector<sort::key> perturbed = keys;
      perturbed[k]++;
      EXPECT_FALSE(sort::are_sorted_keys(perturbed, sort::keys(size))) << size << " keys, key " << k;
    }
  }
}

TEST(sort, finds_a_barrier_that_does_not_hold) {
  std::vector<sort::key> keys = sort::keys(50);
  hurry(3, [&](hasty& me) { sort::transposition_sort(me, keys); });
  EXPECT_FALSE(sort::are_sorted_keys(keys, sort::keys(50)));
}

TEST(intervals, finds_a_barrier_that_does_not_hold_and_what_was_not_computed) {
  for (const intervals::length of : {intervals::length{100, 0}, intervals::length{100, 50}}) {
    std::vector<intervals::record> alone(1), hurried(3);
    hurry(1, [&](hasty& me) { intervals::compute(me, alone, of, 10); });
    EXPECT_TRUE(intervals::is_right(alone[0], of, 0, 10));
    alone[0].state++;
    EXPECT_FALSE(intervals::is_right(alone[0], of, 0, 10));
    hurry(3, [&](hasty& me) { intervals::compute(me, hurried, of, 10); });
    EXPECT_FALSE(intervals::is_right(hurried[0], of, 0, 10)) << "it did not wait for the next member";
  }
}

TEST(intervals, are_as_long_as_asked_in_the_mean) {
  constexpr long steps = 1000, episodes = 10'000;
  EXPECT_EQ(steps * episodes, intervals::total({steps, 0}, 1, episodes));
  const intervals::length uneven{steps, 50};
  EXPECT_NEAR(steps, static_cast<double>(intervals::total(uneven, 1, episodes)) / episodes, 20);
  intervals::drawn some(uneven, 1);
  long least = steps, most = steps;
  for (long e = 0; e < episodes; e++) {
    const long one = some.next();
    least = std::min(least, one);
    most = std::max(most, one);
  }
  EXPECT_GE(least, 500);
  EXPECT_LE(least, 510);
  EXPECT_LE(most, 1500);
  EXPECT_GE(most, 1490);
}

TEST(cholesky, knows_the_factor) {
  for (const long tile : {1, 7, 16, 40}) {
    constexpr long size = 40;
    cholesky::matrix a = cholesky::positive_definite(size);
    ASSERT_EQ(0, cholesky::factor(a, tile));
    ASSERT_TRUE(cholesky::is_factor(a, cholesky::positive_definite(size))) << tile;
    for (long r = 0; r < size; r++)
      for (const double wrong : {*a.at(r, r / 2) + 1e-9, no_number}) {
        cholesky::matrix perturbed = a;
        *perturbed.at(r, r / 2) = wrong;
        EXPECT_FALSE(cholesky::is_factor(perturbed, cholesky::positive_definite(size))) << r;
      }
  }
}

TEST(cholesky, says_at_which_row_a_matrix_is_not_positive_definite) {
  cholesky::matrix a = cholesky::positive_definite(40);
  *a.at(20, 20) = -1;
  EXPECT_EQ(21, cholesky::factor(a, 7));
}

}  // namespace
