// What others put into the table of programs, or take from it.
#include "node/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/sharing.hpp"
#include "programs.hpp"

namespace weir::node {
namespace {

TEST(Table, WhatIsNoEntryIsPassedOver) {
  const folder f;
  table a(f.path());
  ASSERT_TRUE(a.publish(called("a")));
  std::ofstream(f.path() / "program-1-garbage") << "garbage";
  std::ofstream(f.path() / "notes") << "garbage";
  std::ofstream(f.path() / "program-6-7-8") << "garbage";
  fs::create_directory(f.path() / "program-2-folder");
  fs::create_symlink("/dev/zero", f.path() / "program-3-link");
  ASSERT_EQ(mkfifo((f.path() / "program-4-pipe").c_str(), 0600), 0);
  std::ofstream(f.path() / "program-5-empty");
  const table looks_on(f.path());
  EXPECT_EQ(names(looks_on), strings{"a"});
  EXPECT_TRUE(fs::exists(f.path() / "notes"));
  EXPECT_TRUE(fs::exists(f.path() / "program-5-empty"));  // its program may just have begun
  EXPECT_TRUE(fs::exists(f.path() / "program-1-garbage"));  // it may be anybody's
  EXPECT_TRUE(fs::exists(f.path() / "program-6-7-8"));
}

/// A file of a living program with these bytes.
class locked_file {
 public:
  locked_file(const fs::path& path, const std::vector<char>& bytes)
      : file_(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600)) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    EXPECT_EQ(fcntl(file_, F_OFD_SETLK, &lock), 0);
    EXPECT_EQ(write(file_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  ~locked_file() { close(file_); }
  locked_file(const locked_file&) = delete;

 private:
  int file_;
};

std::vector<char> bytes_of(const entry& e) {
  std::vector<char> bytes(sizeof e);
  std::memcpy(bytes.data(), &e, sizeof e);
  return bytes;
}

TEST(Table, AFileThatIsShorterOrLongerIsPassedOver) {
  const folder f;
  const table looks_on(f.path());
  auto bytes = bytes_of(to_entry(called("x")));
  { const locked_file whole(f.path() / "program-1", bytes); EXPECT_EQ(names(looks_on), strings{"x"}); }
  bytes.pop_back();
  { const locked_file shorter(f.path() / "program-1", bytes); EXPECT_EQ(names(looks_on), strings{}); }
  bytes.resize(1 << 20);
  { const locked_file longer(f.path() / "program-1", bytes); EXPECT_EQ(names(looks_on), strings{}); }
}

TEST(Table, AReadersLockKeepsNobodyAlive) {
  const folder f;
  const auto bytes = bytes_of(to_entry(called("dead")));
  { const locked_file it(f.path() / "program-1", bytes); }
  const int file = open((f.path() / "program-1").c_str(), O_RDONLY);
  struct flock lock {};
  lock.l_type = F_RDLCK;
  ASSERT_EQ(fcntl(file, F_OFD_SETLK, &lock), 0);
  const table looks_on(f.path());
  EXPECT_EQ(names(looks_on), strings{});
  close(file);
}

// As systemd does with a user's shared memory when the user logs out.
TEST(Table, WhoseFolderIsEmptiedComesAgain) {
  const folder f;
  const fs::path place = f.path() / "table";
  fs::create_directory(place);
  constexpr std::uint64_t now = 1'000'000'000;
  const sharing::demand four{processor_set::first(4), 4, true};
  sharing a(place, 1), b(place, 1);
  a.look(four, now);
  EXPECT_EQ(b.look(four, now).processors.count(), 2u);
  fs::remove_all(place);
  EXPECT_EQ(a.look(four, now).processors.count(), 4u);
  EXPECT_NE(a.why_not(), "");
  fs::create_directory(place);
  a.look(four, now);
  EXPECT_EQ(a.why_not(), "");
  EXPECT_EQ(b.look(four, now).processors.count(), 2u);
  EXPECT_EQ(a.look(four, now).processors.count(), 2u);
}

TEST(Table, TheUsualFolderIsMadeAgain) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can";
  const child other([] {
    if (seteuid(54321) != 0) return;
    make_place_of_table(table::usual_place());
    table t(table::usual_place());
    t.publish(called("a"));
    fs::remove_all(table::usual_place());
    t.publish(called("a"));
    t.leave();
  });
  EXPECT_TRUE(fs::is_empty("/dev/shm/weir-share-54321"));
  fs::remove("/dev/shm/weir-share-54321");
}

// A thread of the process may look once more while it ends.
TEST(Table, WhoHasLeftDoesNotComeAgain) {
  const folder f;
  sharing a(f.path(), 1);
  const sharing::demand four{processor_set::first(4), 4, true};
  a.look(four, 1000);
  ASSERT_EQ(f.files().size(), 1u);
  a.leave();
  EXPECT_EQ(a.look(four, 1000).processors.count(), 4u);
  EXPECT_TRUE(f.files().empty());
}

TEST(Table, ProcessorsThatGoAwayAreAskedForNoMore) {
  const folder f;
  sharing a(f.path(), 1), b(f.path(), 1);
  const sharing::demand four{processor_set::first(4), 4, true}, three{processor_set::first(3), 3, true};
  a.look(four, 999);  // it has come first
  for (int i = 0; i < 2; ++i) b.look(four, 1000), a.look(four, 1000);
  const auto look = [](sharing& s, const sharing::demand& d) { return s.look(d, 1000).processors; };
  EXPECT_EQ(look(a, four).count(), 2u);
  look(a, three);
  look(b, three);
  const processor_set own = look(a, three), others = look(b, three);
  EXPECT_EQ(own | others, processor_set::first(3));
  EXPECT_TRUE((own & others).empty());
}

TEST(Table, AFileThatIsSpoiledIsMendedByItsProgram) {
  const folder f;
  table a(f.path());
  const table looks_on(f.path());
  ASSERT_TRUE(a.publish(called("a")));
  fs::resize_file(f.files().at(0), 10);
  EXPECT_EQ(names(looks_on), strings{});
  ASSERT_TRUE(a.publish(called("a")));
  EXPECT_EQ(names(looks_on), strings{"a"});
  std::ofstream(f.files().at(0)) << std::string(5000, 'x');
  EXPECT_EQ(names(looks_on), strings{});
  ASSERT_TRUE(a.publish(called("a")));
  EXPECT_EQ(names(looks_on), strings{"a"});
  fs::remove(f.files().at(0));
  EXPECT_EQ(names(looks_on), strings{});
  ASSERT_TRUE(a.publish(called("a")));
  EXPECT_EQ(names(looks_on), strings{"a"});
}

TEST(Table, AProgramThatClosesAllItsFilesKeepsItsOwn) {
  const folder f;
  const fs::path notes = f.path() / "notes";
  const pid_t id = fork();
  if (id == 0) {
    auto* const a = new table(f.path());
    a->publish(called("a"));
    close_range(3, ~0u, 0);
    // The program's own file now has the table's numbers.
    const int file = open(notes.c_str(), O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 8; ++i) (void)!dup(file);
    a->publish(called("a"));
    delete a;
    _exit(lseek(file, 0, SEEK_END) == 0 && fs::file_size(notes) == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(id, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Table, AHostileEntryIsClampedOrPassedOver) {
  entry e = to_entry(called("x"));
  const auto believed = [](const entry& given) { return from_bytes(std::as_bytes(std::span(&given, 1))); };
  ASSERT_TRUE(believed(e));
  std::mt19937 dice(1);
  const auto bytes = bytes_of(e);
  for (std::size_t i = 0; i < bytes.size(); ++i)  // every byte counts
    for (const int flip : {1, 128}) {
      auto other = bytes;
      other[i] = static_cast<char>(other[i] ^ flip);
      EXPECT_FALSE(from_bytes(std::as_bytes(std::span(other)))) << i;
    }
  program p = called("\x1b[2J\n\xff");
  EXPECT_EQ(believed(to_entry(p))->name, "?[2J??");
  p.name = std::string(100, 'n');
  EXPECT_EQ(believed(to_entry(p))->name.size(), 31u);
  for (const unsigned weight : {0u, most_weight + 1, ~0u}) {
    p = called("x");
    p.asks.weight = weight;
    EXPECT_FALSE(believed(to_entry(p)));
  }
  for (const unsigned wants : {0u, processor_set::most + 1, ~0u}) {
    p = called("x");
    p.asks.wants = wants;
    EXPECT_FALSE(believed(to_entry(p)));
  }
}

TEST(Table, RandomBytesHarmNobody) {
  const folder f;
  sharing own(f.path(), 1);
  std::mt19937 dice(1);
  const auto valid = bytes_of(to_entry(called("x")));
  for (int trial = 0; trial < 300; ++trial) {
    auto bytes = valid;
    switch (dice() % 4) {
      case 0: bytes.resize(dice() % (2 * sizeof(entry))); [[fallthrough]];
      case 1: std::ranges::generate(bytes, [&] { return static_cast<char>(dice()); }); break;
      case 2: bytes[dice() % bytes.size()] = static_cast<char>(dice()); break;
      default: {  // well formed, of a program that says anything
        program p = called("x");
        p.asks.weight = 1 + static_cast<unsigned>(dice() % most_weight);
        p.asks.wants = 1 + static_cast<unsigned>(dice() % processor_set::most);
        p.is_busy = dice() % 2 == 0;
        p.joined = dice();
        p.seen = (std::uint64_t{dice()} << 32) | dice();
        for (auto* set : {&p.asks.may_use, &p.asks.holds})
          for (auto& w : set->words) w = (std::uint64_t{dice()} << 32) | dice();
        bytes = bytes_of(to_entry(p));
      }
    }
    const locked_file it(f.path() / "program-1", bytes);
    const grant g = own.look({processor_set::first(4), 4, true}, 1'000'000'000);
    EXPECT_EQ(own.why_not(), "");
    EXPECT_GE(g.processors.count(), 1u);
    EXPECT_TRUE((g.processors - processor_set::first(4)).empty());
  }
}

TEST(Table, ManyFilesOfOneUserCountAsFew) {
  const folder f;
  std::vector<table> many;
  for (int i = 0; i < 40; ++i) {
    many.emplace_back(f.path().string());
    ASSERT_TRUE(many.back().publish(called("many", static_cast<std::uint64_t>(i))));
  }
  EXPECT_EQ(table(f.path()).others()->size(), 32u);
  // A program that comes behind them does not share: each such program would have what is left for one.
  sharing own(f.path(), 1);
  EXPECT_EQ(own.look({processor_set::first(8), 8, true}, 1'000'000'000).processors.count(), 8u);
  EXPECT_NE(own.why_not(), "");
}

}  // namespace
}  // namespace weir::node
