// Barriers by name: the registry over the native machine.
#include <weir/team_barrier.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "learning.hpp"
#include "nodes.hpp"
#include "native_registry.hpp"

template class weir::registry<weir::native>;

namespace weir {

std::vector<algorithm> algorithms() {
  std::vector<algorithm> known;
  for (const auto& e : registry<native>::algorithms())
    known.push_back({{e.name, e.about}, e.halves(), e.logarithmic, e.by_messages(), e.placed});
  return known;
}

std::vector<named> waitings() {
  std::vector<named> known;
  for (const auto& p : registry<native>::waitings()) known.push_back({p.name, p.about});
  return known;
}

std::optional<central_phases> central_phases_of(std::string_view algorithm) {
  for (const auto& e : registry<native>::algorithms())
    if (e.name == algorithm) return e.phases;
  return std::nullopt;
}

team_barrier<>::team_barrier(unsigned members, team_options options) : members_(members) {
  team t = team_here(members, options.placement);
  t.awake_us = options.awake_us;
  t.kernel_threads = options.kernel_threads;
  t.work = options.work;
  if (options.processors != 0) {
    t.usable = std::min<double>(t.usable, options.processors);
    t.processors = std::min(t.processors, options.processors);
  }
  choices_ = {{options.algorithm, options.waiting, "as asked"}};
  if (options.algorithm == "auto") choices_ = candidates(t);
  if (!options.learns || options.work != nullptr) choices_.resize(1);
  std::vector<std::unique_ptr<any_barrier>> barriers;
  for (weir::choice& c : choices_) {
    c.waiting = options.waiting;
    plans::shape shape{.radix = options.radix, .fan_in = options.fan_in, .fan_out = options.fan_out};
    // Otherwise the machine's files are not read.
    if (members > most_in_one_memory && goes_by_nodes(c.algorithm)) shape = shape_by_nodes(t, topology_here(), shape);
    barriers.push_back(registry<native>::make(c.algorithm, c.waiting, t, shape));
  }
  if (barriers.size() == 1) {
    barrier_ = std::move(barriers.front());
  } else {
    auto learns = std::make_unique<learning<native>>(members, std::move(barriers));
    judge_ = &learns->found();
    barrier_ = std::move(learns);
  }
  pass_ = barrier_->arrive_and_wait;
}

team_barrier<>::~team_barrier() {
#ifdef WEIR_CHECKED
  // relaxed: a program that destroys a barrier in use is in error whatever order it sees.
  if (const unsigned left = barrier_->inside.load(std::memory_order_relaxed); left != 0) {
    std::fprintf(stderr, "weir: a team_barrier is destroyed while %u of its %u members wait at it\n", left, members_);
    std::abort();
  }
#endif
}

void team_barrier<>::arrive_and_wait_completing(unsigned member, const completion_call& completion, completed_by who) {
  if (member >= members_) refuse(member);
  barrier_->arrive_and_wait_completing(member, completion, who);
}

void team_barrier<>::refuse(unsigned member) const {
  throw std::out_of_range("weir: member " + std::to_string(member) + " arrives at a barrier of " +
                          std::to_string(members_) + " members, numbered 0 to " + std::to_string(members_ - 1));
}

const choice& team_barrier<>::choice() const { return choices_[judge_ != nullptr ? judge_->chosen() : 0]; }

trial_record team_barrier<>::tried() const {
  if (judge_ == nullptr) return {};
  return {judge_->episodes(), judge_->lost_us()};
}

std::size_t team_barrier<>::bytes() const { return sizeof(*this) + barrier_->bytes(); }

}  // namespace weir
