#include "simulator/openmp/weirs_team.hpp"

#include <weir/team_barrier.hpp>

namespace weir::simulator::openmp {

namespace release_word = weir::openmp::release_word;
using weir::openmp::half;

namespace {

/// The machine as the files of its kernel describe it: the nearest groups of its file share a cache.
topology described(const machine_model& m) {
  const topology all = topology_of(m);
  topology::division nearest = all.levels().front();
  nearest.name = "cache";
  return {all.processors(), {nearest}};
}

/// As the runtime makes a team's barrier: it does not know where the members of an unbound team run (core/team.cpp).
std::unique_ptr<any_barrier> barrier_for(const machine_model& m, unsigned members) {
  weir::team t;
  t.members = members;
  t.processors = m.processors;
  t.usable = m.processors;
  return registry<simulated>::make(choose(t, described(m)).algorithm, "auto", t);
}

}  // namespace

weirs_team::weirs_team(const machine_model& m, unsigned members)
    : team(members),
      one_release_flag_(half::release("auto", 1).central()),
      release_(half::release("auto", members)),
      arrival_(half::arrival("auto", members, false)),
      workers_(std::make_unique<phases::flags[]>(members - 1)),
      barrier_(barrier_for(m, members)) {}

auto weirs_team::await(experience& learned) {
  return [&learned](const auto& word, auto& gate, auto ready) {
    // As await_with_tasks() in core/crew.cpp.
    if (simulated::spin(word, ready, waiting::automatic_constants::polls_before_clock)) return;
    learned.await(false, word, gate, ready);
  };
}

void weirs_team::parallel(const body& executed) {
  executed_ = &executed;
  phases_.region.run.store(1);
  phases_.region.what.store(episode_);
  phases_.region.of.store(size);
  const std::uint64_t word = release_word::of(++episode_, size);
  if (one_release_flag_)
    phases_.release_all(word);
  else
    phases_.release(release_, 0, word, flags_of());
  executed(0);
  phases_.join(arrival_, episode_, flags_of(), await(at_joins_));
}

void weirs_team::work(unsigned member) {
  auto& flag = one_release_flag_ ? phases_.for_all : workers_[member - 1].release;
  for (std::uint64_t seen = 0;;) {
    seen = phases_.next(flag, seen, await(between_regions_));
    if (release_word::size_in(seen) == release_word::everyone) return;
    if (!one_release_flag_) phases_.release(release_, member, seen, flags_of());
    (void)phases_.region.of.load();
    (void)phases_.region.run.load();
    (void)phases_.region.what.load();
    (*executed_)(member);
    phases_.arrive(arrival_, size, member, workers_[member - 1], release_word::episode_in(seen), flags_of(), await(at_joins_));
  }
}

void weirs_team::dismiss() {
  const std::uint64_t end = release_word::of(episode_ + 1, release_word::everyone);
  if (one_release_flag_)
    phases_.release_all(end);
  else
    for (unsigned m = 1; m < size; ++m) workers_[m - 1].release.set(end);
}

void weirs_team::barrier(unsigned member) { barrier_->arrive_and_wait(*barrier_, member); }

}  // namespace weir::simulator::openmp
