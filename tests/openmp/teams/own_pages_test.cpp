// Room for objects that threads make themselves: a page belongs to one object, and is nobody's before that object is made.
#include "openmp/teams/own_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

namespace {

using weir::openmp::own_pages;

struct alignas(128) thing {
  char bytes[640];
};

const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

/// Has anybody written there?
bool is_there(const thing& t) {
  auto* const at = reinterpret_cast<unsigned char*>(reinterpret_cast<std::uintptr_t>(&t) / page * page);
  unsigned char found = 0;
  EXPECT_EQ(mincore(at, page, &found), 0);
  return (found & 1) != 0;
}

TEST(OwnPages, AreTouchedFirstByWhoMakesTheObject) {
  constexpr unsigned things = 20;
  const own_pages<thing> objects(things, true);
  for (unsigned made = 0; made < things; ++made) {
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(&objects[made]) % page, 0u);
    for (unsigned i = 0; i < things; ++i) ASSERT_EQ(is_there(objects[i]), i < made) << i << " after " << made;
    new (&objects[made]) thing{};
  }
}

TEST(OwnPages, AreNotTakenWhereObjectsFollowEachOther) {
  const own_pages<thing> objects(3, false);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&objects[0]) % alignof(thing), 0u);
  EXPECT_EQ(&objects[2], &objects[0] + 2);
}

}  // namespace
