// Concurrency Kit's five barriers, each set up as its manual page says. All of them spin.
extern "C" {
// ck_barrier.h needs one spinlock; ck_spinlock.h includes all of them, and some are C but not C++.
#define CK_SPINLOCK_H
#include <spinlock/fas.h>

#include <ck_barrier.h>
}

#include "subject.hpp"

namespace bench {

namespace {

template <class State>
struct alignas(128) own_line {
  State state;
};

std::unique_ptr<subject> centralized(const setting& s, const description&) {
  struct team {
    explicit team(unsigned members) : states(members, {CK_BARRIER_CENTRALIZED_STATE_INITIALIZER}) {}
    alignas(128) ck_barrier_centralized_t barrier = CK_BARRIER_CENTRALIZED_INITIALIZER;
    std::vector<own_line<ck_barrier_centralized_state_t>> states;
  };
  auto t = std::make_shared<team>(s.members);
  return make_subject([t, n = s.members](unsigned m) { ck_barrier_centralized(&t->barrier, &t->states[m].state, n); });
}

std::unique_ptr<subject> combining(const setting& s, const description&) {
  // Groups of at most four members, one above another as the library arranges them.
  constexpr unsigned group_size = 4;
  struct team {
    explicit team(unsigned members)
        : groups((members + group_size - 1) / group_size),
          states(members, {{~0u}}) {  // CK_BARRIER_COMBINING_STATE_INITIALIZER, unsigned
      ck_barrier_combining_init(&barrier, &root);
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto left = members - static_cast<unsigned>(g) * group_size;
        ck_barrier_combining_group_init(&barrier, &groups[g], left < group_size ? left : group_size);
      }
    }
    alignas(128) ck_barrier_combining_t barrier;
    ck_barrier_combining_group_t root{};
    std::vector<ck_barrier_combining_group_t> groups;
    std::vector<own_line<ck_barrier_combining_state_t>> states;
  };
  auto t = std::make_shared<team>(s.members);
  return make_subject(
      [t](unsigned m) { ck_barrier_combining(&t->barrier, &t->groups[m / group_size], &t->states[m].state); });
}

std::unique_ptr<subject> dissemination(const setting& s, const description&) {
  struct team {
    explicit team(unsigned members) : barriers(members), flags(members), rows(members), states(members) {
      const unsigned size = ck_barrier_dissemination_size(members);
      for (unsigned m = 0; m < members; ++m) {
        flags[m].resize(size + 1);
        rows[m] = flags[m].data();
      }
      ck_barrier_dissemination_init(barriers.data(), rows.data(), members);
      for (auto& state : states) ck_barrier_dissemination_subscribe(barriers.data(), &state.state);
    }
    std::vector<ck_barrier_dissemination_t> barriers;
    std::vector<std::vector<ck_barrier_dissemination_flag_t>> flags;
    std::vector<ck_barrier_dissemination_flag_t*> rows;
    std::vector<own_line<ck_barrier_dissemination_state_t>> states;
  };
  auto t = std::make_shared<team>(s.members);
  return make_subject([t](unsigned m) { ck_barrier_dissemination(t->barriers.data(), &t->states[m].state); });
}

std::unique_ptr<subject> tournament(const setting& s, const description&) {
  struct team {
    explicit team(unsigned members) : rounds(members), rows(members), states(members) {
      const unsigned size = ck_barrier_tournament_size(members);
      for (unsigned m = 0; m < members; ++m) {
        rounds[m].resize(size);
        rows[m] = rounds[m].data();
      }
      ck_barrier_tournament_init(&barrier, rows.data(), members);
      for (auto& state : states) ck_barrier_tournament_subscribe(&barrier, &state.state);
    }
    alignas(128) ck_barrier_tournament_t barrier;
    std::vector<std::vector<ck_barrier_tournament_round_t>> rounds;
    std::vector<ck_barrier_tournament_round_t*> rows;
    std::vector<own_line<ck_barrier_tournament_state_t>> states;
  };
  auto t = std::make_shared<team>(s.members);
  return make_subject([t](unsigned m) { ck_barrier_tournament(&t->barrier, &t->states[m].state); });
}

std::unique_ptr<subject> mcs(const setting& s, const description&) {
  struct team {
    explicit team(unsigned members) : barriers(members), states(members) {
      ck_barrier_mcs_init(barriers.data(), members);
      for (auto& state : states) ck_barrier_mcs_subscribe(barriers.data(), &state.state);
    }
    std::vector<ck_barrier_mcs_t> barriers;
    std::vector<own_line<ck_barrier_mcs_state_t>> states;
  };
  auto t = std::make_shared<team>(s.members);
  return make_subject([t](unsigned m) { ck_barrier_mcs(t->barriers.data(), &t->states[m].state); });
}

}  // namespace

void add_concurrency_kit(catalogue& entries) {
  const auto add = [&entries](const std::string& kind, auto make) {
    entries.push_back({{"peer:ck_barrier_" + kind, "peer", "ck_barrier_" + kind, "own", CK_VERSION}, make});
  };
  add("centralized", centralized);
  add("combining", combining);
  add("dissemination", dissemination);
  add("tournament", tournament);
  add("mcs", mcs);
}

}  // namespace bench
