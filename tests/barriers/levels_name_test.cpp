// The names of plans by levels: what they say, those that are refused, and that no barrier is made of one without a proof.
#include <gtest/gtest.h>

#include <random>
#include <weir/barriers/plans.hpp>
#include <weir/barriers/proof.hpp>
#include <weir/team_barrier.hpp>

#include "barriers/native_registry.hpp"
#include "mutants.hpp"

namespace weir {
namespace {

using plans::levels_called, plans::name_of, plans::level_shape, plans::levels_shape;

const std::pair<std::string, levels_shape> names[] = {
    {"levels:pairs", {{{}}, 1}},
    {"levels:exchange16", {{{}}, 16}},
    {"levels:by1024down1024", {{{.ways = 1024, .fan_out = 1024}}, 0}},
    {"levels:packed2flag", {{{.ways = 2, .fan_out = 0, .packed = true}}, 0}},
    {"levels:8by6down6-96packed12flag-exchange4",
     {{{.size = 8, .ways = 6, .fan_out = 6}, {.size = 96, .ways = 12, .fan_out = 0, .packed = true}, {}}, 4}},
    {"levels:4by4down3-by2down1", {{{.size = 4, .fan_out = 3}, {.ways = 2, .fan_out = 1}}, 0}},
};

TEST(LevelsName, SaysTheShapeAndTheShapeHasThisName) {
  for (const auto& [name, shape] : names) {
    EXPECT_EQ(levels_called(name), shape) << name;
    EXPECT_EQ(name_of(shape), name);
    EXPECT_TRUE(plans::names_levels(name));
  }
  EXPECT_FALSE(plans::names_levels("exchange-nodes"));
}

TEST(LevelsName, IsThatOfAPlanForAnyTeam) {
  for (const auto& [name, shape] : names)
    for (const unsigned members : {1u, 2u, 7u, 8u, 9u, 95u, 97u, 200u, 1024u}) {
      const plan p = plans::by_name(name, members).value();
      EXPECT_EQ(p.name, name);
      EXPECT_EQ(p.participants(), members);
      EXPECT_EQ(p.halves, shape.exchange_radix == 0);
      if (members <= 200) { EXPECT_TRUE(prove(p).holds) << name << ", " << members << ": " << prove(p).why; }
    }
  EXPECT_EQ(prove(plans::by_name("levels:8by8down8-exchange4", 64).value()).critical_path, 1u + 2 + 1);
}

struct wrong_name {
  const char *name, *says;
};
class WrongLevelsName : public testing::TestWithParam<wrong_name> {};
TEST_P(WrongLevelsName, IsRefusedWithWhatWasExpected) {
  const auto [name, says] = GetParam();
  try {
    (void)levels_called(name);
    FAIL() << name << " was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(std::string("expected ") + says)) << name << ": " << error.what();
  }
}
INSTANTIATE_TEST_SUITE_P(
    Each, WrongLevelsName,
    testing::Values(
        wrong_name{"", "levels:"}, wrong_name{"pairs", "levels:"}, wrong_name{"levels:", "the size of a group from 2 to 1024"},
        wrong_name{"levels:8", "by or packed"}, wrong_name{"levels:8down6", "by or packed"},
        wrong_name{"levels:8by", "the ways of an arrival from 2 to 1024"}, wrong_name{"levels:8by1down2", "the ways"},
        wrong_name{"levels:8by6", "down or flag"}, wrong_name{"levels:8by6down", "the fan-out of a release from 1 to 1024"},
        wrong_name{"levels:8by6down0-pairs", "the fan-out"}, wrong_name{"levels:8by6down6", "- and a further level"},
        wrong_name{"levels:8by6down6-", "the size of a group"}, wrong_name{"levels:8by6down6,pairs", "- and a further level"},
        wrong_name{"levels:8by6down6-8by2down2-pairs", "a size that is a multiple of the one below, 8"},
        wrong_name{"levels:8by6down6-12by2down2-pairs", "a size that is a multiple"},
        wrong_name{"levels:1by2down2-pairs", "the size of a group"},
        wrong_name{"levels:1025by2down2-pairs", "the size of a group"},
        wrong_name{"levels:08by2down2-pairs", "the size of a group"},
        wrong_name{"levels:+8by2down2-pairs", "the size of a group"},
        wrong_name{"levels:-8by2down2-pairs", "the size of a group"},
        wrong_name{"levels:99999999999999999999by2down2-pairs", "the size of a group"},
        wrong_name{"levels:exchange", "a radix from 2 to 16"}, wrong_name{"levels:exchange1", "a radix"},
        wrong_name{"levels:exchange17", "a radix"}, wrong_name{"levels:pairs-", "nothing after the last level"},
        wrong_name{"levels:pairs-8by2down2", "nothing after"}, wrong_name{"levels:by2down2-pairs", "nothing after"},
        wrong_name{"levels:exchange4 ", "nothing after"}, wrong_name{"levels:Pairs", "the size of a group"}));

// Whatever the bytes: a name of a plan that is a barrier, or an exception. No two names are of one plan.
TEST(LevelsName, OfAnyBytesIsTakenOrRefused) {
  std::mt19937 dice(1);
  const auto draw = [&dice](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(dice); };
  const std::string pieces[] = {"levels:", "8by6down6", "-", "pairs", "exchange4", "16packed3flag", "by2down2", "0", "2", "flag"};
  unsigned taken = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text = i % 4 == 0 ? "levels:" : names[draw(std::size(names))].first;
    for (std::size_t changes = draw(5); changes > 0; --changes) {
      const std::size_t at = draw(text.size() + 1);
      switch (draw(4)) {
        case 0: text.insert(at, 1, static_cast<char>(draw(256))); break;
        case 1: text.insert(at, pieces[draw(std::size(pieces))]); break;
        case 2: text.erase(at, draw(9)); break;
        default:
          if (at < text.size()) text[at] = static_cast<char>('0' + draw(10));
      }
    }
    try {
      const levels_shape shape = levels_called(text);
      ASSERT_EQ(name_of(shape), text);
      if (++taken % 8 == 0) {
        const plan p = plans::by_name(text, static_cast<unsigned>(2 + draw(60))).value();
        ASSERT_TRUE(prove(p).holds) << text << ", " << p.participants() << ": " << prove(p).why;
      }
    } catch (const std::invalid_argument& error) {
      for (const char c : std::string_view(error.what())) ASSERT_TRUE(c >= ' ' && c <= '~') << "a terminal could not show it";
    }
  }
  EXPECT_GT(taken, 5'000u);
}

TEST(LevelsName, OfALongTextIsRefusedAtItsFirstFault) {
  std::string deep = "levels:";
  for (unsigned size = 2; size <= 1024; size *= 2) deep += std::to_string(size) + "by2down2-";
  EXPECT_EQ(levels_called(deep + "pairs").levels.size(), 11u) << "sizes are multiples up to 1,024: there are no more";
  EXPECT_THROW(levels_called(deep + "2048by2down2-pairs"), std::invalid_argument);
  EXPECT_THROW(levels_called("levels:" + std::string(1 << 20, '9')), std::invalid_argument);
}

TEST(BarrierByLevels, IsMadeByItsName) {
  EXPECT_EQ(team_barrier<>(9, {.algorithm = "levels:4by4down3-pairs"}).choice().reason, "as asked");
  for (const unsigned members : {2u, 64u})  // in one memory, and spread
    EXPECT_THROW(team_barrier<>(members, {.algorithm = "levels:4by4down3"}), std::invalid_argument);
  try {
    team_barrier<> b(1025, {.algorithm = "levels:4by4down3-pairs"});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "weir: a plan by levels that has a name is for at most 1024 participants, not 1025");
  }
}

// By levels like by any other plan that is not in the table: the registry makes none that is not proven.
TEST(BarrierByLevels, IsProvenFirst) {
  for (const unsigned members : {8u, 64u}) {
    const plan whole = plans::by_name("levels:4by4down3-pairs", members).value();
    team t = team_here(members);
    EXPECT_NO_THROW(registry<native>::of_plan(whole, "auto", t));
    for (const plan& wrong : {mutants::one_parity(whole), mutants::impatient(whole, 0)}) {
      ASSERT_FALSE(prove(wrong).holds);
      EXPECT_THROW(registry<native>::of_plan(wrong, "auto", t), std::invalid_argument) << members;
    }
  }
}

}  // namespace
}  // namespace weir
