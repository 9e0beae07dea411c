// The profile of a machine: what a file may say, what it says about a team, and files that are damaged or of another machine.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <weir/machine/topology.hpp>
#include <weir/profile.hpp>
#include <weir/team_barrier.hpp>

#include "../machine/fake_system.hpp"

namespace weir {
namespace {

namespace files = std::filesystem;

const std::string whole = R"(weir profile 1
# written by a test
machine 4 processors in 2 groups
processors 4
measured 2026-11-25
sizes unbound 2 4 8 16
sizes bound 2 4 8 16
barrier unbound 2 sense 90.5 distributed 120
barrier bound 8 combination 812 combination-dissemination 1034
barrier bound 16 combination 1612 combination-dissemination 2034
machine 64 processors
processors 64
simulated 2026-11-26
sizes unbound 2
end
)";

const std::string with_plans = R"(weir profile 2
machine 16 processors in 4 groups in 2 groups
processors 16
simulated 2026-11-26
sizes unbound 8 16
sizes bound 8 16
barrier unbound 16 mcs 90 exchange-nodes 120
barrier bound 8 levels:4by4down3-pairs 60 dissemination 90
barrier bound 16 levels:4by4down3-pairs 80 exchange-nodes 120
end
)";

std::string replaced(std::string text, const std::string& from, const std::string& by) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), by);
}

TEST(Profile, SaysWhatWasFoundOnEachMachine) {
  const auto machines = parsed_profile(whole);
  ASSERT_EQ(machines.size(), 2u);
  EXPECT_EQ(machines[0].signature, "4 processors in 2 groups");
  EXPECT_EQ(machines[0].processors, 4u);
  EXPECT_EQ(machines[0].date, "2026-11-25");
  EXPECT_FALSE(machines[0].simulated);
  EXPECT_EQ(machines[0].sizes[true], (std::vector<unsigned>{2, 4, 8, 16}));
  ASSERT_EQ(machines[0].findings.size(), 3u);
  EXPECT_EQ(machines[0].findings[0].barrier, "sense");
  EXPECT_EQ(machines[0].findings[0].ns, 90.5);
  EXPECT_EQ(machines[0].findings[0].usual, "distributed");
  EXPECT_TRUE(machines[1].simulated && machines[1].findings.empty());
  const auto both = parsed_profile(replaced(whole, "barrier bound 8", "barrier unbound 8 sense 1 mcs 2\nbarrier bound 8"));
  EXPECT_EQ(both[0].findings.size(), 4u) << "a size of teams that are bound and of those that are not";
}

TEST(Profile, HoldsForTheSizesThatWereTriedAndBetweenTwoThatAgree) {
  const auto known = parsed_profile(whole).front();
  EXPECT_EQ(found_in(known, 2, false)->barrier, "sense");
  EXPECT_EQ(found_in(known, 2, true), nullptr) << "of teams that are not bound only";
  EXPECT_EQ(found_in(known, 3, false), nullptr) << "with 4 threads the usual one was as good";
  EXPECT_EQ(found_in(known, 8, true)->barrier, "combination");
  EXPECT_EQ(found_in(known, 12, true)->members, 8u);
  EXPECT_EQ(found_in(known, 6, true), nullptr);
  EXPECT_EQ(found_in(known, 17, true), nullptr) << "beyond what was tried";
  EXPECT_EQ(found_in(known, 1, true), nullptr);
}

TEST(Profile, HoldsForNoSizeBetweenTeamsWithAndWithoutProcessorsOfTheirOwn) {
  auto known = parsed_profile(whole).front();
  known.sizes[false] = {2, 8};
  known.findings = {{2, false, "sense", "distributed", 1, 2}, {8, false, "sense", "distributed", 1, 2}};
  EXPECT_EQ(found_in(known, 3, false), nullptr);
  known.processors = 8;
  EXPECT_NE(found_in(known, 3, false), nullptr);
  known.findings.back().barrier = "mcs";
  EXPECT_EQ(found_in(known, 3, false), nullptr) << "another one is the faster there";
}

struct damage {
  const char *from, *by, *says;
};
class DamagedProfile : public testing::TestWithParam<damage> {};
TEST_P(DamagedProfile, IsRefusedWithTheLine) {
  try {
    (void)parsed_profile(replaced(whole, GetParam().from, GetParam().by));
    FAIL() << GetParam().by << " was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().says), std::string::npos) << error.what();
  }
}
INSTANTIATE_TEST_SUITE_P(
    Each, DamagedProfile,
    testing::Values(
        damage{"weir profile 1", "weir profile 3", "line 1: expected version 1 or 2, which this Weir reads"},
        damage{"weir profile 1", "weir profile 1 2", "line 1: expected weir profile 1"},
        damage{"weir profile 1\n", "", "line 2: expected weir profile 1"},
        damage{"machine 4 processors in 2 groups\n", "", "line 3: expected a machine's signature first"},
        damage{"machine 4 processors in 2 groups", "machine", "line 3: expected a machine's signature"},
        damage{"machine 4 processors in 2 groups", "machine \033[31m", "line 3: expected a machine's signature"},
        damage{"machine 64 processors", "machine 4 processors in 2 groups", "each machine once"},
        damage{"processors 4\n", "processors 0\n", "line 4: expected a number of processors"},
        damage{"processors 4\n", "processors 4x\n", "line 4: expected a number of processors"},
        damage{"processors 4\nmeasured", "measured", "line 10: expected the machine's processors"},
        damage{"simulated 2026-11-26\n", "", "the day of measuring"},
        damage{"measured 2026-11-25", "measured 2026-11-2", "a date"}, damage{"measured 2026-11-25", "measured today", "a date"},
        damage{"measured 2026-11-25", "mesured 2026-11-25", "line 5: expected machine, processors"},
        damage{"sizes bound 2 4 8 16", "sizes bound 2 8 4 16", "numbers that ascend"},
        damage{"sizes bound 2 4 8 16", "sizes bound 2 4 8 65537", "a number of threads from 2 to 65536"},
        damage{"sizes bound", "sizes tied", "bound or unbound"},
        damage{"unbound 2 sense", "unbound 1 sense", "a number of threads from 2"},
        damage{"unbound 2 sense", "unbound 3 sense", "a size of those that were tried"},
        damage{"unbound 2 sense", "unbound 2 auto", "a barrier that this Weir has"},
        damage{"unbound 2 sense", "unbound 2 combination", "for teams that are not bound"},
        damage{"unbound 2 sense", "unbound 2 levels:pairs", "for teams that are not bound"},
        damage{"bound 8 combination ", "bound 8 levels: ", "line 9: expected the size of a group"},
        damage{"bound 8 combination ", "bound 8 levels:4by4down3 ", "line 9: expected - and a further level"},
        damage{"bound 8 combination ", "bound 8 levels:3by2down2-4by2down2-pairs ", "a multiple of the one below, 3"},
        damage{"bound 8 combination ", "bound 8 levels:8by4down3-pairs ", "line 9: expected groups that are smaller"},
        damage{"bound 8 combination ", "bound 8 levels:99999999999by4down3-pairs ", "from 2 to 1024"},
        damage{"bound 8 combination ", "bound 8 levels:\033[31m ", "line 9: expected the size of a group"},
        damage{"combination-dissemination 1034", "levels:pairs 1034", "line 9: expected a barrier that this Weir has"},
        damage{"sizes bound 2 4 8 16\nbarrier unbound 2 sense 90.5 distributed 120\nbarrier bound 8 combination ",
               "sizes bound 2 2048\nbarrier bound 2048 levels:pairs ", "line 8: expected a plan by levels for at most 1024"},
        damage{"90.5", "-1", "a time in nanoseconds"}, damage{"90.5", "90.", "a time in nanoseconds"},
        damage{"90.5", ".5", "a time in nanoseconds"}, damage{"90.5", "90.55", "a time in nanoseconds"},
        damage{"90.5", "90.-", "a time in nanoseconds"}, damage{"90.5", "9999999999999999", "a time in nanoseconds"},
        damage{"90.5", "nan", "a time in nanoseconds"}, damage{"90.5", "1e300", "a time in nanoseconds"},
        damage{"distributed 120", "distributed", "barrier bound|unbound"},
        damage{"bound 16 combination 1612", "bound 8 combination 1612", "one barrier for a size"},
        damage{"end\n", "", "line 15: expected end: the file is cut off"},
        damage{"end\n", "end\nend\n", "nothing after the end"}));

// Whatever the bytes: a profile, or an exception with a line. Under sanitizers this finds reads beyond the text.
TEST(Profile, OfAnyBytesIsReadOrRefused) {
  std::mt19937 dice(1);
  const auto draw = [&dice](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(dice); };
  const std::string pieces[] = {"weir profile 1\n", "machine 4 processors\n", "sizes bound", "barrier", "levels:2by2flag-pairs",
                                " ", "\n", "0", "1e", "end\n", "-"};
  unsigned taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = i % 4 == 0 ? "" : i % 4 == 1 ? with_plans : whole;
    for (std::size_t changes = draw(6) + 1; changes > 0; --changes) {
      const std::size_t at = draw(text.size() + 1);
      switch (draw(4)) {
        case 0: text.insert(at, 1, static_cast<char>(draw(256))); break;
        case 1: text.insert(at, pieces[draw(std::size(pieces))]); break;
        case 2: text.erase(at, draw(20)); break;
        default:
          if (at < text.size()) text[at] = static_cast<char>(draw(256));
      }
    }
    try {
      for (const machine_profile& profile : parsed_profile(text)) {
        ++taken;
        for (unsigned members = 0; members < 70; ++members) {
          const auto* const found = found_in(profile, members, members % 2 == 0);
          ASSERT_TRUE(found == nullptr || !found->barrier.empty());
        }
      }
    } catch (const std::invalid_argument& error) {
      ASSERT_TRUE(std::string_view(error.what()).starts_with("line ")) << error.what();
      for (const char c : std::string_view(error.what())) ASSERT_TRUE(c >= ' ' && c <= '~') << "a terminal could not show it";
    }
  }
  EXPECT_GT(taken, 100u);
}

team of(unsigned members, unsigned processors, std::vector<int> placement = {}) {
  team t;
  t.members = members;
  t.processors = processors;
  t.usable = processors;
  t.placement = std::move(placement);
  return t;
}

const int four[] = {0, 1, 2, 3};

TEST(ChoiceByProfile, IsTheBarrierThatWasMeasuredWithTheReason) {
  const auto known = parsed_profile(whole).front();
  const auto choice = choose(of(2, 4), known, four);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->algorithm, "sense");
  EXPECT_EQ(choice->waiting, "auto");
  EXPECT_EQ(choice->reason, "measured on this machine on 2026-11-25: 91 ns, where distributed takes 120 ns");
  const auto between = choose(of(12, 4, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}), known, four);
  ASSERT_TRUE(between);
  EXPECT_EQ(between->algorithm, "combination");
  EXPECT_NE(between->reason.find("on 2026-11-25 with 8 threads: 812 ns"), std::string::npos) << between->reason;
}

TEST(ChoiceByProfile, IsForTeamsLikeThoseTriedOnly) {
  const auto known = parsed_profile(whole).front();
  const std::vector<int> in_turn = {0, 1, 2, 3, 0, 1, 2, 3};
  EXPECT_TRUE(choose(of(8, 4, in_turn), known, four));
  EXPECT_TRUE(choose(of(8, 4, {0, 0, 1, 1, 2, 2, 3, 3}), known, four)) << "in another order";
  EXPECT_FALSE(choose(of(8, 4, {0, 0, 0, 1, 1, 2, 2, 3}), known, four)) << "not evenly";
  EXPECT_FALSE(choose(of(8, 4, {0, 1, 2, 9, 0, 1, 2, 9}), known, four)) << "elsewhere";
  EXPECT_TRUE(is_like_those_tried(of(2, 4, {0, 1}), known, four)) << "neighbours";
  EXPECT_FALSE(is_like_those_tried(of(2, 4, {0, 2}), known, four));
  EXPECT_TRUE(is_like_those_tried(of(6, 4, {1, 0, 2, 3, 0, 1}), known, four));
  EXPECT_FALSE(choose(of(2, 2), known, std::span(four).first(2))) << "the process has fewer processors";
  EXPECT_FALSE(choose(of(4, 4), known, four)) << "nothing was found for this size";
  team t = of(2, 4);
  t.usable = 1.5;
  EXPECT_FALSE(choose(t, known, four)) << "under a quota";
  t = of(2, 4);
  t.kernel_threads = false;
  EXPECT_FALSE(choose(t, known, four)) << "members that switch in user space";
}

std::vector<int> first(unsigned count) {
  std::vector<int> processors(count);
  std::iota(processors.begin(), processors.end(), 0);
  return processors;
}

TEST(ChoiceByProfile, IsAPlanByLevelsForMembersThatAreBoundInTurn) {
  const auto known = parsed_profile(with_plans).front();
  const std::vector<int> processors = first(16);
  for (const unsigned members : {8u, 12u, 16u}) {
    const auto choice = choose(of(members, 16, first(members)), known, processors);
    ASSERT_TRUE(choice) << members;
    EXPECT_EQ(choice->algorithm, "levels:4by4down3-pairs");
    EXPECT_NE(choice->reason.find("simulated for this machine on 2026-11-26"), std::string::npos) << choice->reason;
  }
  EXPECT_EQ(choose(of(16, 16), known, processors)->algorithm, "mcs") << "not bound";
  std::vector<int> otherwise = first(16);
  std::swap(otherwise[1], otherwise[14]);
  EXPECT_TRUE(is_like_those_tried(of(16, 16, otherwise), known, processors));
  EXPECT_FALSE(choose(of(16, 16, otherwise), known, processors)) << "whose neighbours are not near each other";
}

// A machine of four processors, two to a cache, and homes.
class ProfileFiles : public testing::Test {
 protected:
  ProfileFiles() {
    system_.file("cpu/online", "0-3");
    for (int p = 0; p < 4; ++p) {
      system_.topology(p, std::to_string(p), "0-3");
      system_.cache(p, 0, 3, "Unified", p < 2 ? "0-1" : "2-3");
    }
    said().clear();
  }
  static std::vector<std::string>& said() {
    static std::vector<std::string> lines;
    return lines;
  }
  std::string put(const std::string& path, const std::string& text) const {
    const std::string file = system_.root() + path;
    files::create_directories(files::path(file).parent_path());
    std::ofstream(file) << text;
    return file;
  }
  std::string home() const { return system_.root() + "/home"; }
  profile_in_use find(const char* variable = nullptr, const char* config = nullptr, bool trusted = true) const {
    return find_profile(variable, config, home().c_str(), system_.root(), trusted,
                        [](const std::string& line) { said().push_back(line); });
  }
  const fake::system system_;
};

TEST_F(ProfileFiles, AreLookedForInTheirPlaces) {
  EXPECT_EQ(find().file, "") << "there is none";
  put("/etc/weir/profile", whole);
  EXPECT_EQ(find().file, system_.root() + "/etc/weir/profile");
  put("/home/.config/weir/profile", whole);
  EXPECT_EQ(find().file, home() + "/.config/weir/profile");
  put("/config/weir/profile", whole);
  const std::string config = system_.root() + "/config";
  EXPECT_EQ(find(nullptr, config.c_str()).file, config + "/weir/profile");
  EXPECT_EQ(find(nullptr, "config").file, home() + "/.config/weir/profile") << "a relative name is none";
  const std::string named = put("/named", whole);
  EXPECT_EQ(find(named.c_str(), config.c_str()).file, named);
  EXPECT_TRUE(find(named.c_str()).profile);
  EXPECT_EQ(find("").file, home() + "/.config/weir/profile") << "an empty variable is none";
  EXPECT_EQ(find("none").file, "");
  EXPECT_EQ(find(named.c_str(), config.c_str(), /*trusted=*/false).file, system_.root() + "/etc/weir/profile");
  EXPECT_EQ(said(), std::vector<std::string>{});
  EXPECT_EQ(in_words(find(named.c_str())), named + ", measured on 2026-11-25 for 4 processors in 2 groups");
}

TEST_F(ProfileFiles, OfAnotherMachineAreNotUsedAndSaidWhereTheUserNamesThem) {
  const std::string other = replaced(whole, "machine 4 processors in 2 groups", "machine 4 processors");
  const std::string file = put("/home/.config/weir/profile", other);
  EXPECT_FALSE(find().profile);
  EXPECT_EQ(said().size(), 0u) << "not in each process of a job whose nodes share a home";
  const std::string why =
      "it is of a machine with 4 processors, or 64 processors, and this one has 4 processors in 2 groups; weir tune";
  EXPECT_NE(in_words(find()).find(file + " is not used: " + why), std::string::npos) << in_words(find());
  put("/etc/weir/profile", whole);
  EXPECT_TRUE(find().profile) << "on as if the first were not there";
  EXPECT_EQ(find().troubles.size(), 1u);
  EXPECT_FALSE(find(file.c_str()).profile);
  ASSERT_EQ(said().size(), 1u);
  EXPECT_NE(said()[0].find("is not used"), std::string::npos);
}

TEST_F(ProfileFiles, AreOfAnotherMachineOnceProcessorsGoOffline) {
  put("/etc/weir/profile", whole);
  EXPECT_TRUE(find().profile);
  system_.file("cpu/online", "0-2");
  EXPECT_FALSE(find().profile);
  EXPECT_NE(in_words(find()).find("this one has 3 processors in 2 groups"), std::string::npos) << in_words(find());
}

TEST_F(ProfileFiles, ThatAreDamagedAreSaidInAnyPlace) {
  const std::string file = put("/home/.config/weir/profile", "garbage");
  EXPECT_FALSE(find().profile);
  ASSERT_EQ(said().size(), 1u);
  const std::string why = "line 1: expected weir profile 1: this is no profile; weir tune writes a new one";
  EXPECT_EQ(said()[0], "the profile " + file + " is not used: " + why);
  put("/home/.config/weir/profile", std::string(1 << 17, '#'));
  EXPECT_FALSE(find().profile);
  ASSERT_EQ(said().size(), 2u);
  EXPECT_NE(said()[1].find("larger than 64 KiB"), std::string::npos);
}

TEST_F(ProfileFiles, ThatCannotBeReadAreSaidWhereTheUserNamesThem) {
  for (const std::string& name : {system_.root() + "/not/there", std::string("/dev/zero"), system_.root()}) {
    EXPECT_FALSE(find(name.c_str()).profile);
    ASSERT_EQ(said().size(), 1u) << name;
    EXPECT_NE(said()[0].find("the profile " + name + " is not used: "), std::string::npos) << said()[0];
    said().clear();
  }
  const std::string pipe = system_.root() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(in_words(find(pipe.c_str())).find("it is no regular file"), std::string::npos);
  files::create_directories(home() + "/.config/weir/profile");
  said().clear();
  EXPECT_FALSE(find().profile);
  EXPECT_EQ(said().size(), 0u);
}

TEST_F(ProfileFiles, AreNotReadWhereThereIsNone) {
  errno = 77;
  EXPECT_FALSE(find().profile);
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(in_words(find()), "");
}

TEST(Signature, IsTheSameForAMachineAndItsDescription) {
  topology::division cache{"cache", {0, 0, 1, 1}, 2}, whole_machine{"ring", {0, 0, 0, 0}, 1}, alone{"core", {0, 1, 2, 3}, 4};
  const std::vector<int> processors = {0, 1, 2, 3};
  EXPECT_EQ(signature(topology(processors, {cache, whole_machine, alone})), "4 processors in 2 groups");
  cache.name = "chip";
  EXPECT_EQ(signature(topology(processors, {alone, cache})), "4 processors in 2 groups");
  EXPECT_EQ(signature(topology(processors)), "4 processors");
  EXPECT_EQ(signature(topology({0})), "1 processor");
}

}  // namespace
}  // namespace weir
