// The table of programs: who is in it.
#include "node/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <random>

#include <sys/stat.h>
#include <unistd.h>

#include "node/sharing.hpp"
#include "programs.hpp"

namespace weir::node {
namespace {

TEST(Table, ProgramsSeeEachOther) {
  const folder f;
  table a(f.path()), b(f.path());
  ASSERT_EQ(a.why_not(), "");
  ASSERT_TRUE(a.publish(called("a", 2)) && b.publish(called("b", 1)));
  EXPECT_EQ(names(a), strings{"b"});
  const auto seen = a.others()->at(0);
  EXPECT_EQ(seen.asks.weight, 2u);
  EXPECT_EQ(seen.asks.wants, 3u);
  EXPECT_EQ(seen.asks.may_use, processor_set::first(4));
  EXPECT_EQ(seen.asks.holds, processor_set::first(2));
  EXPECT_TRUE(seen.is_busy);
  EXPECT_EQ(seen.seen, 7u);
  const table looks_on(f.path());
  EXPECT_EQ(names(looks_on), (strings{"b", "a"}));
  a.leave();
  EXPECT_EQ(names(looks_on), strings{"b"});
}

TEST(Table, WhoIsKilledIsGone) {
  const folder f;
  const table looks_on(f.path());
  table* t = nullptr;
  child other([&] {
    t = new table(f.path());
    t->publish(called("killed"));
  });
  EXPECT_EQ(names(looks_on), strings{"killed"});
  other.end();
  EXPECT_EQ(names(looks_on), strings{});
  EXPECT_TRUE(f.files().empty());
}

TEST(Table, WhoIsStoppedDelaysNobody) {
  const folder f;
  child other([&] { (new table(f.path()))->publish(called("stopped")); });
  other.stop();
  table own(f.path());
  EXPECT_TRUE(own.publish(called("mine")));
  EXPECT_EQ(names(own), strings{"stopped"});
}

TEST(Table, WhoIsStoppedLendsItsShare) {
  const folder f;
  constexpr std::uint64_t ms = 1'000'000, begin = 1'000'000 * ms;
  sharing a(f.path(), 1), b(f.path(), 1);
  const sharing::demand four{processor_set::first(4), 4, true};
  a.look(four, begin);
  EXPECT_EQ(b.look(four, begin + ms).processors.count(), 2u);
  EXPECT_EQ(a.look(four, begin + 2 * ms).processors.count(), 2u);
  EXPECT_EQ(b.look(four, begin + 900 * ms).processors.count(), 4u);  // a has not looked since
  EXPECT_EQ(a.look(four, begin + 901 * ms).processors.count(), 2u);
  EXPECT_EQ(b.look(four, begin + 902 * ms).processors.count(), 2u);
}

TEST(Table, WhoIsIdleLendsAndIsToldWhatItGetsBack) {
  const folder f;
  sharing a(f.path(), 1), b(f.path(), 3);
  const sharing::demand busy{processor_set::first(4), 4, true}, idle{processor_set::first(4), 4, false};
  a.look(busy, 1000);
  EXPECT_EQ(b.look(busy, 1000).processors.count(), 3u);
  EXPECT_EQ(a.look(idle, 1000).processors.count(), 1u);
  EXPECT_EQ(b.look(busy, 1000).processors.count(), 4u);
  EXPECT_EQ(a.look(busy, 1000).processors.count(), 1u);
  EXPECT_EQ(b.look(busy, 1000).processors.count(), 3u);
}

TEST(Table, AFolderOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make one";
  const folder f;
  ASSERT_EQ(chown(f.path().c_str(), 12345, 12345), 0);
  EXPECT_NE(table(f.path()).why_not().find("belongs to user 12345"), std::string::npos);
}

TEST(Table, AFolderWhereOthersMayRemoveFilesIsRefused) {
  const folder f;
  fs::permissions(f.path(), fs::perms::all);
  EXPECT_NE(table(f.path()).why_not().find("may remove files"), std::string::npos);
  ASSERT_EQ(chmod(f.path().c_str(), 01777), 0);
  EXPECT_EQ(table(f.path()).why_not(), "");
}

TEST(Table, NoFolderIsSaid) {
  const folder f;
  EXPECT_NE(table(f.path() / "none").why_not().find("No such file"), std::string::npos);
  fs::create_directory_symlink(f.path(), f.path() / "link");
  EXPECT_NE(table(f.path() / "link").why_not(), "");
  table refused(f.path() / "none");
  EXPECT_FALSE(refused.publish(called("x")));
  EXPECT_EQ(refused.others(), std::nullopt);
}

TEST(Table, FilesAreReadableByOthersOnlyWhereTheyShareAFolder) {
  const folder f;
  const mode_t before = umask(0077);
  table a(f.path());
  ASSERT_TRUE(a.publish(called("a")));
  umask(before);
  struct stat status;
  ASSERT_EQ(stat(f.files().at(0).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

// ---- nothing is lost

TEST(Table, AThousandDeparturesAndAsManyKillsLoseNoProcessor) {
  const folder f;
  sharing own(f.path(), 1);
  const sharing::demand eight{processor_set::first(8), 8, true};
  std::uint64_t now = 1'000'000'000;
  const auto look = [&] { return own.look(eight, now += 1000); };
  ASSERT_EQ(look().processors.count(), 8u);
  std::mt19937 dice(1);
  int departures = 0, kills = 0;
  while (departures < 1000 || kills < 1000) {
    std::vector<std::unique_ptr<child>> others;
    sharing* s = nullptr;
    for (unsigned i = 0, n = 1 + static_cast<unsigned>(dice() % 3); i < n; ++i)
      others.push_back(std::make_unique<child>([&] { (s = new sharing(f.path(), 1))->look(eight, now); }, [&] { s->leave(); }));
    const unsigned parts = static_cast<unsigned>(others.size()) + 1, has = look().processors.count();
    EXPECT_TRUE(has == 8 / parts || has == (8 + parts - 1) / parts) << has << " of " << parts;
    std::ranges::shuffle(others, dice);
    for (auto& o : others) {
      if (dice() % 2 == 0) {
        o->leave();
        ++departures;
        continue;
      }
      if (dice() % 4 == 0) o->stop();
      o->end(SIGKILL);
      ++kills;
    }
    EXPECT_EQ(look().processors.count(), 8u) << departures << " departures, " << kills << " kills";
  }
  EXPECT_EQ(f.files().size(), 1u);
}

}  // namespace
}  // namespace weir::node
