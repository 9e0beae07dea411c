#include "run.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "simulated_barriers.hpp"

template class weir::registry<weir::simulator::simulated>;

namespace weir::simulator {

namespace {

/// A mailbox for each pair of members that talk: how many messages have been sent.
struct alignas(128) mailbox {
  simulated::word<std::uint32_t> sent{0};
  simulated::gate gate;
  std::uint32_t received = 0;
};

struct alignas(128) lock_line {
  simulated::mutex mutex;
};

}  // namespace

struct simulation::team_of {
  const application* described = nullptr;
  unsigned index = 0;
  team members;
  std::unique_ptr<any_barrier> barrier;
  std::unique_ptr<any_barrier> released_by;  // at the beginning of a region; null: by the word
  // On the lines of the thread that makes the team. Not the variable of a reduction, which is the program's.
  struct alignas(128) line {
    simulated::word<std::uint32_t> word{0};
  };
  line region, sum;
  std::map<std::pair<unsigned, unsigned>, mailbox> mailboxes;
  std::map<unsigned, lock_line> locks;
  std::vector<std::uint32_t> arrived;  // the number of arrivals in each episode
  application_result result;
  std::string failure;
};

double bytes_needed(const scenario& s) {
  double bytes = 0;
  const double copies = (s.machine.processors + 63) / 64 * 8.0;
  for (const application& a : s.applications) {
    // For each member itself, its seat and its part of shared data; and the flags of a plan.
    const auto plan = plans::by_name(a.barrier, a.members, a.shape);
    const double lines = a.members * 4.0 + (plan ? plan->lines : 0.0);
    bytes += a.members * 16e3 + lines * (128 + 256 + copies) + a.barriers * (sizeof(episode) + 4.0);
  }
  return bytes + s.machine.processors * 400.0;
}

simulation::simulation(scenario s, std::uint64_t seed, bool history)
    : scenario_(std::move(s)),
      seed_(seed),
      history_(history),
      engine_(std::make_unique<engine>(scenario_.machine, scenario_.system)) {
  for (const application& a : scenario_.applications) {
    auto t = std::make_unique<team_of>();
    t->described = &a;
    t->index = static_cast<unsigned>(teams_.size());
    t->result.name = a.name;
    if (a.trace.empty()) {
      t->result.episodes.resize(a.barriers);
      t->arrived.resize(a.barriers, 0);
    }
    team_of* const owner = t.get();
    const auto begin = [this, owner](const job& j) {
      // If the members are bound, the barrier may know their placement.
      owner->members.members = owner->described->members;
      owner->members.processors = static_cast<unsigned>(j.partition.size());
      owner->members.usable = owner->members.processors;
      owner->members.spread = owner->described->own_lines && owner->members.members > most_in_one_memory;
      const bool bound = scenario_.system.by == policy::coscheduling ||
                         (scenario_.system.local_queues && scenario_.system.by != policy::process_control &&
                          scenario_.system.by != policy::shares);
      if (bound)
        for (const thread* m : j.threads) owner->members.placement.push_back(static_cast<int>(m->place));
      owner->result.placement = owner->members.placement;
      const application& of = *owner->described;
      const auto made = [&of, owner] {
        return of.made_of ? registry<simulated>::of_plan(*of.made_of, of.waiting, owner->members)
                          : registry<simulated>::make(of.barrier, of.waiting, owner->members, of.shape);
      };
      owner->barrier = made();
      if (of.what != construct::barrier && of.begins_by == release::barrier) owner->released_by = made();
      owner->result.barrier_bytes = owner->barrier->bytes();
    };
    job& j = engine_->add_job(a.name, a.members, a.arrives, a.processors, begin, [this, owner](unsigned m) { live(*owner, m); });
    j.by_blocks = a.by_blocks;
    teams_.push_back(std::move(t));
  }
}

simulation::~simulation() = default;

void simulation::meet(team_of& team, unsigned member, unsigned e) {
  engine& machine = engine::here();
  thread& self = machine.self();
  if (e >= team.arrived.size()) {
    team.arrived.resize(e + 1, 0);
    team.result.episodes.resize(e + 1);
  }
  episode& passed = team.result.episodes[e];
  const time came = machine.now();
  self.episode = e;
  self.waits_for = "its barrier";
  if (++team.arrived[e] == team.described->members && e + 1 == team.described->warmup) machine.forget_counts();
  passed.first_arrival = std::min(passed.first_arrival, came);
  passed.last_arrival = std::max(passed.last_arrival, came);
  team.barrier->arrive_and_wait(*team.barrier, member);
  const time left = machine.now();
  episode& after = team.result.episodes[e];
  after.first_leaving = std::min(after.first_leaving, left);
  after.last_leaving = std::max(after.last_leaving, left);
  if (team.arrived[e] != team.described->members && team.failure.empty())
    team.failure = team.described->name + ": member " + std::to_string(member) + " left episode " + std::to_string(e) + " when " +
                   std::to_string(team.arrived[e]) + " of " + std::to_string(team.described->members) + " had arrived";
}

// As runtimes do it that have whole barriers alone [paper 001, section 4.1]: no member leaves a region before all have arrived at
// its end, so the primary thread may write the word again.
void simulation::begin_region(team_of& team, unsigned member, std::uint32_t number) {
  engine::here().self().waits_for = "its region";
  if (team.released_by) return team.released_by->arrive_and_wait(*team.released_by, member);
  if (member == 0) return team.region.word.store(number);
  const auto begun = [number](std::uint32_t now) { return now == number; };
  if (!simulated::spin(team.region.word, begun, 100)) simulated::yield_until(team.region.word, begun);
}

void simulation::live(team_of& team, unsigned member) {
  engine& machine = engine::here();
  const application& a = *team.described;
  if (a.trace.empty()) {
    dice d(seed_ * 0x9e3779b97f4a7c15u + (std::uint64_t{team.index} << 32) + member);
    for (unsigned e = 0; e < a.barriers; ++e) {
      if (a.what != construct::barrier) begin_region(team, member, e + 1);
      machine.compute(draw(a, member, d));
      if (a.what == construct::reduction) team.sum.word.fetch_add(1);
      meet(team, member, e);
    }
    return;
  }
  unsigned e = 0;
  for (const program_event& next : a.trace[member]) {
    const auto other = static_cast<unsigned>(next.value);
    switch (next.what) {
      case program_event::kind::compute: machine.compute(static_cast<time>(next.value)); break;
      case program_event::kind::barrier: meet(team, member, e++); break;
      case program_event::kind::send: {
        mailbox& box = team.mailboxes[{member, other}];
        box.sent.fetch_add(1);
        box.gate.open();
        break;
      }
      case program_event::kind::receive: {
        mailbox& box = team.mailboxes[{other, member}];
        const std::uint32_t wanted = ++box.received;
        const auto there = [wanted](std::uint32_t sent) { return static_cast<std::int32_t>(sent - wanted) >= 0; };
        machine.self().waits_for = "a message";
        while (!simulated::spin(box.sent, there, 100))
          box.gate.sleep_unless([&] { return there(box.sent.load()); });
        break;
      }
      case program_event::kind::lock:
        machine.self().waits_for = "a lock";
        team.locks[other].mutex.lock();
        break;
      case program_event::kind::unlock: team.locks[other].mutex.unlock(); break;
    }
  }
}

run_result simulation::run() {
  run_result result;
  if (history_) engine_->keep_history(&result.history);
  const auto start = std::chrono::steady_clock::now();
  engine_->run(scenario_.limit);
  result.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const auto& t : teams_) {
    if (!t->failure.empty()) throw broken_run(t->failure);
    const job& j = engine_->jobs()[t->index];
    t->result.begun = j.begun;
    t->result.finished = j.finished;
    result.end = std::max(result.end, j.finished);
    result.applications.push_back(t->result);
  }
  result.accesses = engine_->memory().accesses();
  result.events = engine_->events();
  return result;
}

}  // namespace weir::simulator
