// Threads of the program without the functions of the C library that create them.
#include "threads/program/program_threads.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "threads/threads.hpp"

namespace {

using namespace weir::threads;

/// More than there are processors, and so many of them poll that all may be members.
void threads_poll(unsigned processors, bool adapts) {
  make_all_members(processors, adapts, seats_for::some_that_poll);
  std::vector<known_thread*> others(processors + 1);
  for (known_thread*& each : others) ASSERT_NE(each = expect_thread({}), nullptr);
  expect_another();
  while (!program_threads_are_members()) note_running_thread(true);
  for (known_thread* const each : others) forget_thread(*each);
}

// They are watched from the beginning on, for who polls.
TEST(ProgramThreads, LeaveProcessorsToOtherProgramsOnlyIfTheyAdapt) {
  threads_poll(2, false);
  EXPECT_FALSE(are_watched());
  threads_poll(2, true);
  EXPECT_TRUE(are_watched());
}

}  // namespace
