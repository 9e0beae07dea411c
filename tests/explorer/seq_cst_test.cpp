// Sequentially consistent operations and fences under weak memory: which outcomes C++20 allows [atomics.order; P0668].
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulator/explorer/explored.hpp"
#include "simulator/explorer/explorer.hpp"

namespace {

using namespace weir::explorer;
using word = explored::word<std::uint32_t>;
using enum std::memory_order;

enum variable { x, y, z };

/// One operation of a member; a load and an addition must read `value` for the outcome.
struct step {
  enum class kind { load, store, add, fence } what;
  variable of;
  std::uint32_t value;
  std::memory_order how;
};
step R(variable of, std::uint32_t value, std::memory_order how = relaxed) { return {step::kind::load, of, value, how}; }
step W(variable of, std::uint32_t value, std::memory_order how = relaxed) { return {step::kind::store, of, value, how}; }
step Add(variable of, std::uint32_t value, std::memory_order how) { return {step::kind::add, of, value, how}; }
step F(std::memory_order how = seq_cst) { return {step::kind::fence, x, 0, how}; }

enum class outcome { allowed, forbidden };
using enum outcome;

struct litmus {
  std::string name;
  outcome expected;
  std::vector<std::vector<step>> members;
  std::vector<std::uint32_t> last = {};  // of x, y, z; empty: any
};

struct run {
  word words[3]{}, as_said{0}, ended{0}, never{0};
  void pass(const litmus& l, unsigned member) {
    const bool right = execute(l, member);
    if (right) as_said.fetch_add(1, relaxed);
    if (ended.fetch_add(1, acq_rel) + 1 < l.members.size()) return;
    for (std::size_t v = 0; v < l.last.size(); ++v)
      if (words[v].load(relaxed) != l.last[v]) return;
    // The search reports a member that waits for ever.
    if (as_said.load(relaxed) == l.members.size()) explored::spin(never, [](std::uint32_t) { return false; });
  }
  /// Has the member read what it should?
  bool execute(const litmus& l, unsigned member) {
    bool right = true;
    for (const step& s : l.members[member]) switch (s.what) {
        case step::kind::load: right &= words[s.of].load(s.how) == s.value; break;
        case step::kind::store: words[s.of].store(s.value, s.how); break;
        case step::kind::add: right &= words[s.of].fetch_add(1, s.how) == s.value; break;
        case step::kind::fence: explored::fence(s.how); break;
      }
    return right;
  }
};

bool is_possible(const litmus& l, memory_model memory, bool reduce) {
  subject s;
  s.members = static_cast<unsigned>(l.members.size());
  s.build = [&l]() -> subject::body {
    return [r = new run, &l](unsigned member) { r->pass(l, member); };
  };
  const verdict v = explore(s, {.memory = memory, .reduce = reduce});
  EXPECT_TRUE(!v.holds || v.complete) << l.name;
  return !v.holds;
}

const litmus store_buffering[] = {
    {"accesses", forbidden, {{W(x, 1, seq_cst), R(y, 0, seq_cst)}, {W(y, 1, seq_cst), R(x, 0, seq_cst)}}},
    {"a release store", allowed, {{W(x, 1, release), R(y, 0, seq_cst)}, {W(y, 1, seq_cst), R(x, 0, seq_cst)}}},
    {"an acquire load", allowed, {{W(x, 1, seq_cst), R(y, 0, acquire)}, {W(y, 1, seq_cst), R(x, 0, seq_cst)}}},
    {"fences", forbidden, {{W(x, 1), F(), R(y, 0)}, {W(y, 1), F(), R(x, 0)}}},
    {"one fence", allowed, {{W(x, 1), F(), R(y, 0)}, {W(y, 1), R(x, 0)}}},
    {"an acq_rel fence", allowed, {{W(x, 1), F(), R(y, 0)}, {W(y, 1), F(acq_rel), R(x, 0)}}},
    {"a fence and accesses", forbidden, {{W(x, 1), F(), R(y, 0)}, {W(y, 1, seq_cst), R(x, 0, seq_cst)}}},
    {"a fence and a release store", allowed, {{W(x, 1), F(), R(y, 0)}, {W(y, 1, release), R(x, 0, seq_cst)}}},
    {"a fence and an acquire load", allowed, {{W(x, 1), F(), R(y, 0)}, {W(y, 1, seq_cst), R(x, 0, acquire)}}},
    {"additions", forbidden, {{Add(x, 0, seq_cst), R(y, 0, seq_cst)}, {Add(y, 0, seq_cst), R(x, 0, seq_cst)}}},
    {"an acq_rel addition", allowed, {{Add(x, 0, acq_rel), R(y, 0, seq_cst)}, {Add(y, 0, seq_cst), R(x, 0, seq_cst)}}},
};

/// Two members read what two others write, in opposite orders.
litmus readers(const char* name, outcome expected, std::memory_order write, std::memory_order read, std::memory_order last,
               bool fenced = false) {
  litmus l{name, expected, {{W(x, 1, write)}, {W(y, 1, write)}, {R(x, 1, read), R(y, 0, read)}, {R(y, 1, read), R(x, 0, last)}}};
  if (fenced)
    for (const unsigned member : {2, 3}) l.members[member].insert(l.members[member].begin() + 1, F());
  return l;
}
const litmus independent_reads[] = {
    readers("accesses", forbidden, seq_cst, seq_cst, seq_cst),
    readers("loads", forbidden, relaxed, seq_cst, seq_cst),
    readers("an acquire load", allowed, seq_cst, seq_cst, acquire),
    readers("acquire loads", allowed, seq_cst, acquire, acquire),
    readers("fences", forbidden, relaxed, relaxed, relaxed, true),
    {"one fence", allowed, {{W(x, 1)}, {W(y, 1)}, {R(x, 1), F(), R(y, 0)}, {R(y, 1, acquire), R(x, 0)}}},
    {"an acq_rel fence", allowed, {{W(x, 1)}, {W(y, 1)}, {R(x, 1), F(), R(y, 0)}, {R(y, 1), F(acq_rel), R(x, 0)}}},
};

const litmus messages[] = {
    {"relaxed", allowed, {{W(x, 1), W(y, 1)}, {R(y, 1), R(x, 0)}}},
    {"fences", forbidden, {{W(x, 1), F(release), W(y, 1)}, {R(y, 1), F(acquire), R(x, 0)}}},
    {"a release fence", forbidden, {{W(x, 1), F(release), W(y, 1)}, {R(y, 1, acquire), R(x, 0)}}},
    {"an acquire fence", forbidden, {{W(x, 1), W(y, 1, release)}, {R(y, 1), F(acquire), R(x, 0)}}},
    {"seq_cst fences", forbidden, {{W(x, 1), F(), W(y, 1)}, {R(y, 1), F(), R(x, 0)}}},
    {"a relaxed load", allowed, {{W(x, 1), F(release), W(y, 1)}, {R(y, 1), R(x, 0)}}},
    {"a relaxed store", allowed, {{W(x, 1), W(y, 1)}, {R(y, 1), F(acquire), R(x, 0)}}},
    {"a release fence that acquires nothing", allowed, {{W(x, 1), F(release), W(y, 1)}, {R(y, 1), F(release), R(x, 0)}}},
    {"a fence too early", allowed, {{W(x, 1), F(release), W(y, 1)}, {F(acquire), R(y, 1), R(x, 0)}}},
    {"a fence too late", allowed, {{W(x, 1), W(y, 1), F(release)}, {R(y, 1), F(acquire), R(x, 0)}}},
    {"a fence's release that an addition continues", forbidden,
     {{W(x, 1), F(release), W(y, 1)}, {Add(y, 1, relaxed)}, {R(y, 2), F(acquire), R(x, 0)}}},
    // The order of sequentially consistent operations transfers nothing by itself.
    {"a seq_cst load, behind a relaxed one", allowed, {{W(x, 1), F(), W(y, 1)}, {R(y, 1), R(x, 0, seq_cst)}}},
};

/// Whose store was last (2+2W); left_out has the weaker variant.
const litmus last_stores[] = {
    {"accesses", forbidden, {{W(x, 1, seq_cst), W(y, 2, seq_cst)}, {W(y, 1, seq_cst), W(x, 2, seq_cst)}}, {1, 1}},
    {"fences", forbidden, {{W(x, 1), F(), W(y, 2)}, {W(y, 1), F(), W(x, 2)}}, {1, 1}},
};

const litmus three_members[] = {
    // A read is passed on, against a store that is buffered (RWC).
    {"RWC, fences", forbidden, {{W(x, 1)}, {R(x, 1), F(), R(y, 0)}, {W(y, 1), F(), R(x, 0)}}},
    {"RWC, an acq_rel fence", allowed, {{W(x, 1)}, {R(x, 1), F(acq_rel), R(y, 0)}, {W(y, 1), F(), R(x, 0)}}},
    {"RWC, accesses", forbidden,
     {{W(x, 1, seq_cst)}, {R(x, 1, seq_cst), R(y, 0, seq_cst)}, {W(y, 1, seq_cst), R(x, 0, seq_cst)}}},
    {"RWC, an acquire load", allowed,
     {{W(x, 1, seq_cst)}, {R(x, 1, acquire), R(y, 0, seq_cst)}, {W(y, 1, seq_cst), R(x, 0, seq_cst)}}},
    {"RWC, a fence and accesses", forbidden, {{W(x, 1)}, {R(x, 1), F(), R(y, 0)}, {W(y, 1, seq_cst), R(x, 0, seq_cst)}}},
    // A message in its place (W+RWC): the releasing store between makes the first one precede.
    {"W+RWC, accesses", forbidden,
     {{W(x, 1, seq_cst), W(y, 1, release)}, {R(y, 1, acquire), R(z, 0, seq_cst)}, {W(z, 1, seq_cst), R(x, 0, seq_cst)}}},
    {"W+RWC, a relaxed message", allowed,
     {{W(x, 1, seq_cst), W(y, 1)}, {R(y, 1), R(z, 0, seq_cst)}, {W(z, 1, seq_cst), R(x, 0, seq_cst)}}},
    // P0668's example (Z6.U): the first store happens before the addition, but not strongly.
    {"Z6.U", allowed,
     {{W(x, 1, seq_cst), W(y, 1, release)}, {Add(y, 1, seq_cst), R(y, 3)}, {W(y, 3, seq_cst), R(x, 0, seq_cst)}}},
    {"Z6.U, all seq_cst", forbidden,
     {{W(x, 1, seq_cst), W(y, 1, seq_cst)}, {Add(y, 1, seq_cst), R(y, 3)}, {W(y, 3, seq_cst), R(x, 0, seq_cst)}}},
    // A store that overwrites one of the order, and says so to a fence.
    {"overwritten", forbidden,
     {{W(x, 1, seq_cst), W(y, 1, seq_cst)}, {R(y, 1), W(y, 2)}, {R(y, 2), F(), R(x, 0)}}},
    {"overwritten, not seq_cst", allowed,
     {{W(x, 1, seq_cst), W(y, 1, release)}, {R(y, 1), W(y, 2)}, {R(y, 2), F(), R(x, 0)}}},
};

/// What C++20 allows and the explorer leaves out: stores that overtake other operations of their member.
const litmus left_out[] = {
    {"2+2W", forbidden, {{W(x, 1), W(y, 2)}, {W(y, 1), W(x, 2)}}, {1, 1}},
    {"load buffering", forbidden, {{R(x, 1), W(y, 1)}, {R(y, 1), W(x, 1)}}},
    {"a store between two fences", forbidden, {{W(x, 1), F(), W(y, 1)}, {R(y, 1), W(z, 1)}, {R(z, 1), F(), R(x, 0)}}},
};

template <std::size_t Size>
void compare(const litmus (&tests)[Size]) {
  for (const litmus& l : tests)
    for (const bool reduce : {false, true}) {
      EXPECT_FALSE(is_possible(l, memory_model::sc, reduce)) << l.name;
      EXPECT_EQ(is_possible(l, memory_model::weak, reduce), l.expected == allowed) << l.name << (reduce ? ", reduced" : "");
    }
}

/// Every value that a member may read is still read.
void expect_equal_reads(const litmus& l) {
  subject s;
  s.members = static_cast<unsigned>(l.members.size());
  s.join = false;
  s.build = [&l]() -> subject::body {
    return [r = new run, &l](unsigned member) { r->execute(l, member); };
  };
  const verdict whole = explore(s, {.memory = memory_model::weak, .reduce = false});
  const verdict reduced = explore(s, {.memory = memory_model::weak});
  EXPECT_TRUE(whole.complete && reduced.complete) << l.name;
  EXPECT_EQ(reduced.reached.local_states, whole.reached.local_states) << l.name;
  EXPECT_LE(reduced.reached.states, whole.reached.states) << l.name;
}

TEST(SeqCst, TheReductionLeavesOutSchedulesAndNothingElse) {
  for (const litmus& l : store_buffering) expect_equal_reads(l);
  for (const litmus& l : independent_reads) expect_equal_reads(l);
  for (const litmus& l : messages) expect_equal_reads(l);
  for (const litmus& l : last_stores) expect_equal_reads(l);
  for (const litmus& l : three_members) expect_equal_reads(l);
}

TEST(SeqCst, StoreBuffering) { compare(store_buffering); }
TEST(SeqCst, IndependentReads) { compare(independent_reads); }
TEST(SeqCst, Messages) { compare(messages); }
TEST(SeqCst, LastStores) { compare(last_stores); }
TEST(SeqCst, ThreeMembers) { compare(three_members); }
TEST(SeqCst, LeftOut) { compare(left_out); }

}  // namespace
