#include "simulator/openmp/weirs_team.hpp"

#include <algorithm>

#include <weir/team_barrier.hpp>

#include "barriers/nodes.hpp"
#include "simulator/simulated_barriers.hpp"
#include "openmp/reductions/along_tree.hpp"
#include "openmp/worksharing/chunks.hpp"
#include "openmp/worksharing/single_taken.hpp"

namespace weir::simulator::openmp {

namespace release_word = weir::openmp::release_word;
using weir::openmp::half;

namespace {

/// As the runtime describes a team to its barrier: it does not know where the members of an unbound team run (teams/team.cpp).
weir::team described(const machine_model& m, unsigned members) {
  weir::team t;
  t.members = members;
  t.processors = m.processors;
  t.usable = m.processors;
  t.spread = members > most_in_one_memory;
  return t;
}

unsigned near_members(const machine_model& m, unsigned members) {
  return members_of_a_node(described(m, members), as_described(m));
}

std::unique_ptr<any_barrier> barrier_for(const machine_model& m, unsigned members) {
  const weir::team t = described(m, members);
  const topology machine = as_described(m);
  const std::string algorithm = choose(t, machine).algorithm;
  return registry<simulated>::make(algorithm, "auto", t, goes_by_nodes(algorithm) ? shape_by_nodes(t, machine) : plans::shape{});
}

}  // namespace

shared::shared(unsigned members_of_team)
    : size(members_of_team),
      members(std::make_unique<member[]>(size)),
      loops(std::make_unique<weir::openmp::shared_loop<simulated>[]>(weir::openmp::slots_in_turn)),
      reduction(half::arrival("auto", size, false)) {
  for (unsigned m = 0; m < size; ++m) {
    members[m].of = this;
    members[m].number = m;
  }
}

weirs_team::weirs_team(const machine_model& m, unsigned members)
    : team(members),
      arrival_(half::join("auto", members, false, 0, near_members(m, members))),
      workers_(std::make_unique<worker[]>(members - 1)),
      barrier_(barrier_for(m, members)),
      its_(members),
      tasks_(members) {
  // As crew::join_release().
  using tree = phases::release_tree;
  for (unsigned number = 1; number < members; ++number) {
    worker& w = workers_[number - 1];
    w.flags = std::make_unique<phases::flags>();
    w.line = number < tree::in_common ? &phases_.for_all : &w.flags->release;
  }
}

auto weirs_team::await(experience& learned, member& me) {
  return [this, &learned, &me](const auto& word, auto& gate, auto ready) {
    // As await_with_tasks() in forking/crew.cpp.
    if (simulated::spin(word, ready, waiting::automatic_constants::polls_before_clock)) return;
    tasks_.await(learned, me, nullptr, word, gate, ready);
  };
}

void weirs_team::parallel(const body& executed) {
  if (episode_ == 0) {
    for (unsigned i = 0; i < weir::openmp::slots_in_turn; ++i) its_.loops[i].free_for(i);
    for (unsigned m = 0; m < size; ++m)
      its_.members[m].tasks.implicit.executor.store(&its_.members[m], std::memory_order_relaxed);
  }
  executed_ = &executed;
  ++episode_;
  release(release_word::of(episode_, size), {1, episode_, size});
  its_.members[0].left_by_all = its_.members[0].loops;
  executed(0);
  tasks_.finish_tasks(its_.members[0]);
  phases_.join(arrival_, episode_, flags_of(), await(at_joins_, its_.members[0]));
}

void weirs_team::release(std::uint64_t word, const work_of_region& executed) {
  phases_.pass_on(0, size - 1, word, executed, flags_of());
  phases_.release_common(word, executed);
}

void weirs_team::work(unsigned number) {
  member& me = its_.members[number];
  // As teams/team.cpp; in a small team only what lies on the thread's stack is the member's own.
  if (size > most_in_one_memory)
    simulated::has_made(&me, sizeof me);
  else
    simulated::has_made(&me.value, sizeof me.value);
  worker& w = workers_[number - 1];
  // As crew::make_flags().
  if (number >= phases::release_tree::in_common) simulated::has_made(w.flags.get(), sizeof *w.flags);
  for (std::uint64_t seen = 0;;) {
    seen = phases_.next(*w.line, seen, await(between_regions_, me));
    const work_of_region executed = w.line->region.loaded();
    phases_.pass_on(number, size - 1, seen, executed, flags_of());
    if (release_word::size_in(seen) == release_word::everyone) return;
    me.left_by_all = me.loops;
    (*executed_)(number);
    tasks_.finish_tasks(me);
    const std::uint32_t episode = release_word::episode_in(seen);
    phases_.arrive(arrival_, size, number, *w.flags, episode, flags_of(), await(at_joins_, me));
  }
}

void weirs_team::dismiss() { release(release_word::of(episode_ + 1, release_word::everyone), {0, 0, 0}); }

void weirs_team::barrier(unsigned member) {
  its_.members[member].left_by_all = its_.members[member].loops;
  barrier_->arrive_and_wait(*barrier_, member);
}

// The thread that begins regions makes the crew, the team, and the flags of its first workers (crew::join_release).
void weirs_team::made_here() {
  const auto made = [](const auto* first, std::size_t count) { simulated::has_made(first, count * sizeof *first); };
  made(this, 1);
  made(its_.members.get(), size);
  made(its_.loops.get(), weir::openmp::slots_in_turn);
  const unsigned without_own = std::min(size, phases::release_tree::in_common);
  for (unsigned number = 1; number < without_own; ++number) made(workers_[number - 1].flags.get(), 1);
}

bool weirs_team::takes_single(unsigned member) {
  return weir::openmp::takes_turn(its_.singles_taken, its_.members[member].singles++, size);
}

void weirs_team::begin_loop(unsigned member, const weir::openmp::loop_plan& plan) {
  weir::openmp::enter_loop<kind_of_slot>(its_.members[member], plan);
}

weir::openmp::iterations weirs_team::next_chunk(unsigned member) {
  return weir::openmp::next_unordered_chunk(its_.members[member]);
}

void weirs_team::end_loop(unsigned member) { weir::openmp::exit_loop<kind_of_slot>(its_.members[member]); }

void weirs_team::wait_for_turn(const member& me) {
  const auto nobody = [](std::uint64_t) { return false; };  // has left a cancelled region
  const auto wait = [this](const auto& done, auto& passed, auto ready) { its_.learned.await(false, done, passed, ready); };
  weir::openmp::wait_for_turn(me, nobody, [](std::uint64_t) { return std::uint64_t{0}; }, wait);
}

weir::openmp::iterations weirs_team::next_ordered_chunk(unsigned number) {
  member& me = its_.members[number];
  if (me.chunk) {
    wait_for_turn(me);
    weir::openmp::pass_turn(me);
  }
  const weir::openmp::iterations next = weir::openmp::next_unordered_chunk(me);
  me.ordered_after = next.begin;
  return next;
}

void weirs_team::begin_ordered(unsigned number) {
  const member& me = its_.members[number];
  if (me.ordered_after != 0) wait_for_turn(me);
}

// As worksharing/doacross.cpp. The zeros lie where the first post of a page is made, which is iteration 0's.
void weirs_team::begin_doacross(unsigned number, std::uint64_t iterations) {
  nest_.enter<kind_of_slot>(its_.members[number], 0, [&] {
    nest_.iterations.begin(size, true);
    nest_.pages = std::make_unique<nest::page[]>(posts::pages(iterations));
    nest_.iterations.posted = nest_.pages[0].bytes;
  });
}

void weirs_team::wait_for_post(std::uint64_t iteration) {
  nest_.iterations.wait_for(
      iteration, [] { return false; },
      [this](const auto& posted, auto& gate, auto is_posted) { its_.learned.await(false, posted, gate, is_posted); });
}

void weirs_team::reduce(unsigned number, std::uint64_t value) {
  constexpr unsigned most_in_turn = 16;  // teams/team.cpp
  if (size <= most_in_turn) {
    sum_.fetch_add(value);
    return;
  }
  member& me = its_.members[number];
  me.value.store(value);
  const auto add = [](simulated::word<std::uint64_t>* into, const simulated::word<std::uint64_t>* from) {
    into->store(into->load() + from->load());
  };
  const auto await = [this](member& who, const auto& word, std::uint32_t wanted) {
    its_.learned.await(false, word, who.reduction_gate, [wanted](std::uint32_t now) { return now == wanted; });
  };
  if (weir::openmp::combine_along_tree(me, &me.value, add, true, await)) sum_.store(sum_.load() + me.value.load());
}

}  // namespace weir::simulator::openmp
