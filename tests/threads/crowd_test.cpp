// Members on virtual processors: each is a thread of its own, in all that a program can see of it.
#include <array>
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <pthread.h>
#include <sched.h>

#include <weir/locks.hpp>
#include <weir/machine/processors.hpp>
#include <weir/team_barrier.hpp>

#include "members.hpp"

namespace {

thread_local unsigned number_here = 0;

TEST(Crowd, EachMemberRunsOnce) {
  for (const unsigned members : {0u, 1u, 2u, 3u, 17u}) {
    std::vector<std::atomic<int>> ran(members);
    weir::crowd c(members, [&](unsigned m) { ++ran[m]; });
    c.join();
    for (const auto& times : ran) EXPECT_EQ(times, 1);
  }
}

TEST(Crowd, AMemberKeepsItsThreadLocalVariablesItsErrorNumberAndItsIdentity) {
  std::mutex guard;
  std::set<pthread_t> identities;
  std::atomic<int> wrong{0}, begun{0};
  weir::crowd c(16, [&](unsigned m) {
    // An identity may be another thread's as soon as the member has ended.
    for (++begun; begun < 16;) yields(1);
    const pthread_t me = pthread_self();
    number_here = m;
    for (int i = 0; i < 2000; ++i) {
      errno = static_cast<int>(m) + 1;
      yields(1);
      // An idle yield may be a system call, which does not fail.
      if (number_here != m || errno != static_cast<int>(m) + 1 || !pthread_equal(me, pthread_self())) ++wrong;
    }
    const std::lock_guard lock(guard);
    identities.insert(me);
  });
  c.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(identities.size(), 16u);
}

TEST(Crowd, AMemberKeepsItsRoundingOfNumbers) {
  static constexpr std::array modes{FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  std::atomic<int> wrong{0};
  weir::crowd c(8, [&](unsigned m) {
    std::fesetround(modes[m % modes.size()]);
    for (int i = 0; i < 500; ++i) {
      yields(1);
      if (std::fegetround() != modes[m % modes.size()]) ++wrong;
    }
  });
  c.join();
  EXPECT_EQ(wrong, 0);
}

#if defined(__x86_64__)
// Each of the two control words alone, with modes that rounding does not change: what C sets, it sets in both.
TEST(Crowd, AMemberKeepsItsModesOfEachFloatingPointUnit) {
  constexpr unsigned flush_to_zero = 0x8000, plain_precision = 0x300, low_precision = 0x000;
  std::atomic<int> wrong{0};
  weir::crowd c(6, [&](unsigned m) {
    const unsigned sse = (_mm_getcsr() & ~flush_to_zero) | (m % 3 == 1 ? flush_to_zero : 0);
    unsigned short x87 = 0;
    asm volatile("fnstcw %0" : "=m"(x87));
    x87 = static_cast<unsigned short>((x87 & ~plain_precision) | (m % 3 == 2 ? low_precision : plain_precision));
    _mm_setcsr(sse);
    asm volatile("fldcw %0" : : "m"(x87));
    for (int i = 0; i < 500; ++i) {
      yields(1);
      unsigned short now = 0;
      asm volatile("fnstcw %0" : "=m"(now));
      if (now != x87 || ((_mm_getcsr() ^ sse) & flush_to_zero) != 0) ++wrong;
    }
  }, {.processors = 1});
  c.join();
  EXPECT_EQ(wrong, 0);
}
#endif

TEST(Crowd, BarriersHoldMembersBack) {
  for (const unsigned members : {2u, 3u, 8u, 33u})
    for (const char* algorithm : {"auto", "counter", "sense", "dissemination", "combination"}) {
      weir::team_options how;
      how.algorithm = algorithm;
      weir::team_barrier<> barrier(members, how);
      std::atomic<unsigned> arrived{0};
      std::atomic<int> early{0};
      weir::crowd c(members, [&](unsigned m) {
        for (unsigned episode = 1; episode <= 100; ++episode) {
          ++arrived;
          barrier.arrive_and_wait(m);
          if (arrived < members * episode) ++early;
          barrier.arrive_and_wait(m);
        }
      });
      c.join();
      EXPECT_EQ(early, 0) << members << " members, " << algorithm;
    }
}

TEST(Crowd, ExceptionsReachTheirOwnMembersHandlers) {
  std::atomic<int> caught{0};
  weir::crowd c(8, [&](unsigned m) {
    for (int i = 0; i < 50; ++i) try {
        yields(1);
        try {
          throw std::runtime_error(std::to_string(m));
        } catch (...) {
          yields(2);  // others throw while this one handles its own
          throw;
        }
      } catch (const std::runtime_error& e) {
        if (e.what() == std::to_string(m)) ++caught;
      }
  });
  c.join();
  EXPECT_EQ(caught, 8 * 50);
}

// Without quanta neither of these would end.
TEST(Crowd, AMemberThatSpinsLosesItsProcessorInTheEnd) {
  std::atomic<unsigned> turn{0};
  weir::crowd c(6, [&](unsigned m) {
    for (unsigned round = 0; round < 5; ++round) {
      while (turn != 6 * round + m) {
      }
      ++turn;
    }
  });
  c.join();
  EXPECT_EQ(turn, 30u);
}

// Members stop while they sleep, while they yield and while they are interrupted; each goes on as it was.
TEST(Crowd, QuantaEndAlsoWhereMembersHaveSlept) {
  constexpr unsigned members = 4, rounds = 3;
  std::vector<std::unique_ptr<weir::semaphore>> may_begin;
  for (unsigned m = 0; m < members; ++m) may_begin.push_back(std::make_unique<weir::semaphore>(0));
  std::atomic<unsigned> turn{0};
  weir::crowd c(members, [&](unsigned m) {
    for (unsigned round = 0; round < rounds; ++round) {
      if (m != 0) {
        may_begin[m]->acquire();
      } else {
        yields(200);  // until the others sleep
        for (auto& each : may_begin) each->release();
        yields(3);
      }
      while (turn != members * round + m) {
      }
      ++turn;
    }
  }, {.processors = 1});
  c.join();
  EXPECT_EQ(turn, members * rounds);
}

// A processor looks for bodies for a while, then its thread sleeps: here others come earlier, later, and at that moment.
TEST(Crowd, AnIdleProcessorHearsOfEachBody) {
  constexpr unsigned rounds = 20'000;
  weir::semaphore there(0), back(0);
  unsigned heard = 0;
  weir::crowd c(2, [&](unsigned m) {
    for (unsigned i = 0; i < rounds; ++i) {
      if (m == 1) {
        there.acquire();
        ++heard;
        back.release();
        continue;
      }
      for (unsigned pause = 0, most = i * 7 % 1000; pause < most; ++pause) weir::native::pause();
      there.release();
      back.acquire();
    }
  }, {.processors = 2});
  c.join();
  EXPECT_EQ(heard, rounds);
}

TEST(Crowd, AMemberThatHoldsAMutexWhileOthersWaitForItRunsAgain) {
  EXPECT_EQ(entries_of_five_by_a_mutex({}), 25);
}

TEST(Crowd, MembersComputeRightThoughTheyAreInterrupted) {
  std::array<double, 6> sums{};
  weir::crowd c(6, [&](unsigned m) {
    double sum = 0;
    for (int i = 1; i < 4'000'000; ++i) sum += 1.0 / (i + m);
    sums[m] = sum;
  });
  c.join();
  for (unsigned m = 0; m < 6; ++m) {
    double sum = 0;
    for (int i = 1; i < 4'000'000; ++i) sum += 1.0 / (i + m);
    EXPECT_EQ(sums[m], sum);
  }
}

TEST(Crowd, AMemberMayMakeACrowd) {
  std::atomic<int> ran{0};
  weir::crowd c(3, [&](unsigned) {
    weir::crowd inner(3, [&](unsigned) {
      yields(5);
      ++ran;
    });
    inner.join();
    ++ran;
  });
  c.join();
  EXPECT_EQ(ran, 12);
}

TEST(Crowd, SeveralThreadsMayHaveCrowds) {
  std::atomic<int> ran{0};
  std::vector<std::thread> owners;
  for (int i = 0; i < 4; ++i)
    owners.emplace_back([&] {
      for (int times = 0; times < 5; ++times) {
        weir::team_barrier<> barrier(5);
        weir::crowd c(5, [&](unsigned m) {
          for (int k = 0; k < 20; ++k) barrier.arrive_and_wait(m);
          ++ran;
        });
      }
    });
  for (auto& t : owners) t.join();
  EXPECT_EQ(ran, 100);
}

TEST(Crowd, AThousandMembersMeet) {
  constexpr unsigned members = 1000;
  weir::team_barrier<> barrier(members);
  std::atomic<unsigned> arrived{0};
  std::atomic<int> early{0};
  weir::crowd c(members, [&](unsigned m) {
    for (unsigned episode = 1; episode <= 3; ++episode) {
      ++arrived;
      barrier.arrive_and_wait(m);
      if (arrived < members * episode) ++early;
      barrier.arrive_and_wait(m);
    }
  }, {.processors = 0, .stack_bytes = 65536});
  c.join();
  EXPECT_EQ(early, 0);
}

TEST(Crowd, AMemberIsToldWhereItRuns) {
  const auto& allowed = weir::affinity();
  std::atomic<int> elsewhere{0};
  weir::crowd c(8, [&](unsigned) {
    for (int i = 0; i < 100; ++i) {
      yields(1);
      if (!std::ranges::binary_search(allowed, sched_getcpu())) ++elsewhere;
    }
  });
  c.join();
  EXPECT_EQ(elsewhere, 0);
}

// But for a member that another program has kept from the processor for so long that a tick has come.
TEST(Crowd, OneProcessorRunsItsMembersInTurn) {
  const auto are_in_turn = [] {
    std::string order;
    std::atomic<int> begun{0};
    weir::crowd c(3, [&](unsigned m) {
      for (++begun; begun < 3;) yields(1);
      for (int i = 0; i < 3; ++i) {
        order += static_cast<char>('a' + m);
        yields(1);
      }
    }, {.processors = 1});
    c.join();
    EXPECT_EQ(order.size(), 9u);
    return std::set<char>(order.begin(), order.begin() + 3).size() == 3 && order.substr(0, 3) == order.substr(3, 3);
  };
  int times = 0;
  for (int i = 0; i < 9; ++i) times += are_in_turn();
  EXPECT_GT(times, 4);
}

}  // namespace
