#include "program.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>
#include <sstream>
#include <stdexcept>

#include <weir/machine/native.hpp>

#include "../number.hpp"
#include "rota.hpp"

namespace bench {

namespace {

constexpr double most_compute_ns = 1e9, least_slot_us = 10, most_slot_us = 1e6;
constexpr unsigned most_members = 1024;

const std::array<std::pair<const char*, program::policies>, 3> policy_names = {{
    {"shared", program::policies::shared},
    {"partition", program::policies::partition},
    {"coscheduling", program::policies::coscheduling},
}};

[[noreturn]] void refuse(const std::string& key, const std::string& value, const char* takes) {
  throw std::invalid_argument(key + " takes " + takes + ", not \"" + value + '"');
}

void set(program& p, const std::string& key, const std::string& value) {
  if (key == "members") {
    p.members = whole_number_in(key, value, 1, most_members);
  } else if (key == "processors") {
    p.processors = whole_number_in(key, value, 1, most_members);
  } else if (key == "compute_ns") {
    p.compute_ns = number_in(key, value, 0, most_compute_ns);
  } else if (key == "applications") {
    p.applications = whole_number_in(key, value, 1, most_members);
  } else if (key == "slot_us") {
    p.slot_us = number_in(key, value, least_slot_us, most_slot_us);
  } else if (key == "policy") {
    const auto named = std::find_if(policy_names.begin(), policy_names.end(), [&](const auto& n) { return value == n.first; });
    if (named == policy_names.end()) refuse(key, value, "shared, partition or coscheduling");
    p.policy = named->second;
  } else if (key == "distribution") {
    if (value != "constant" && value != "exponential") refuse(key, value, "constant or exponential");
    p.exponential = value == "exponential";
  } else {
    throw std::invalid_argument("a program has no \"" + key + '"');
  }
}

/// Times of computing whose mean is one, in the shares of an exponential distribution, taken in a random order.
class uneven {
 public:
  uneven(const delay& work, unsigned members) : states_(members) {
    double sum = 0;
    std::array<double, many> factors{};
    for (std::size_t i = 0; i < many; ++i)
      sum += factors[i] = -std::log(1 - (static_cast<double>(i) + 0.5) / static_cast<double>(many));
    for (const double f : factors) delays_.push_back(work.times(f * static_cast<double>(many) / sum));
    for (unsigned m = 0; m < members; ++m) states_[m].value = 2 * m + 1;
  }
  const delay& next(unsigned member) {
    // A linear congruential generator modulo 2^64 (Knuth's MMIX), whose upper bits are the random ones.
    auto& x = states_[member].value;
    x = x * 6364136223846793005u + 1442695040888963407u;
    return delays_[x >> 58];
  }

 private:
  static constexpr std::size_t many = 64;
  struct alignas(weir::line_bytes) state {
    std::uint64_t value;
  };
  std::vector<delay> delays_;
  std::vector<state> states_;
};

class applications final : public subject {
 public:
  struct seat {
    unsigned application, index;
  };

  applications(std::vector<std::unique_ptr<subject>> barriers, std::vector<seat> seats, const program& p, const delay& work)
      : barriers_(std::move(barriers)), seats_(std::move(seats)) {
    if (p.exponential) uneven_.emplace(work, static_cast<unsigned>(seats_.size()));
    if (p.policy == program::policies::coscheduling) rota_.emplace(p.applications, p.slot_us);
  }

  void run(unsigned m, std::uint64_t episodes, const delay& work) override {
    meet();
    const auto [application, index] = seats_[m];
    const bool first = index == 0;
    if (rota_ && first) rota_->enter(application);
    for (std::uint64_t i = 0; i < episodes; ++i) {
      if (rota_) {
        if (first) rota_->look_at_clock(application);
        rota_->await_turn(application);
      }
      barriers_[application]->run(index, 1, uneven_ ? uneven_->next(m) : work);
    }
    // All other members of the application have arrived at the last barrier, and no longer compute.
    if (rota_ && first) rota_->leave(application);
  }

 private:
  /// All members of all applications meet, so that none has passed episodes before the measured time.
  void meet() {
    // acq_rel and acquire: everything before the meeting, for the members that go on.
    const unsigned members = static_cast<unsigned>(seats_.size()), number = met_.fetch_add(1, std::memory_order_acq_rel);
    const unsigned last = number / members * members + members;
    const auto complete = [&] { return met_.load(std::memory_order_acquire) >= last; };
    if (complete()) gate_.open();
    while (!complete()) gate_.sleep_unless(complete);
  }

  std::vector<std::unique_ptr<subject>> barriers_;
  std::vector<seat> seats_;
  std::atomic<unsigned> met_{0};
  weir::gate gate_;
  std::optional<uneven> uneven_;
  std::optional<rota> rota_;
};

applications::seat seat_of(const program& p, unsigned member) {
  if (p.policy != program::policies::partition) return {member / p.members, member % p.members};
  const unsigned own = p.processors / p.applications, processor = member % p.processors;
  return {processor / own, member / p.processors * own + processor % own};
}

/// The processors of an application's members 0, 1, ...
std::vector<int> processors_of(const program& p, unsigned application, const std::vector<int>& processors) {
  std::vector<int> turned = processors;
  if (p.policy == program::policies::partition) {
    const auto own = static_cast<std::ptrdiff_t>(p.processors / p.applications);
    return {processors.begin() + application * own, processors.begin() + (application + 1) * own};
  }
  std::rotate(turned.begin(), turned.begin() + application * p.members % p.processors, turned.end());
  return turned;
}

}  // namespace

program parse_program(const std::string& id) {
  program p;
  std::istringstream parts(id);
  std::string threads, barrier, word;
  std::getline(parts, threads, ':');
  std::getline(parts, barrier, ':');
  if (threads != "user" && threads != "kernel") refuse("threads", threads, "user or kernel");
  p.user_level = threads == "user";
  const auto slash = barrier.find('/');
  if (slash == std::string::npos) refuse("barrier", barrier, "a barrier and how it waits, such as mcs/share");
  p.barrier = barrier.substr(0, slash);
  p.waiting = barrier.substr(slash + 1);
  while (std::getline(parts, word, ':')) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("a program has no \"" + word + '"');
    set(p, word.substr(0, equals), word.substr(equals + 1));
  }
  if (p.members == 0 || p.processors == 0) throw std::invalid_argument("a program needs members= and processors=");
  if (p.policy == program::policies::coscheduling && p.slot_us == 0)
    throw std::invalid_argument("coscheduling needs slot_us=");
  if (p.policy == program::policies::partition &&
      (p.processors % p.applications != 0 || p.members % (p.processors / p.applications) != 0))
    throw std::invalid_argument("partitions are of equal size, and their processors of as many members");
  return p;
}

std::unique_ptr<subject> make_program(const program& p, const std::vector<int>& processors, const catalogue& barriers,
                                      const delay& work) {
  const std::string name = "weir:" + p.barrier + "/" + p.waiting;
  const auto known = std::find_if(barriers.begin(), barriers.end(), [&](const entry& e) { return e.about.id == name; });
  if (known == barriers.end()) throw std::invalid_argument("no barrier is called \"" + name + "\" here");
  const auto make = [&](unsigned application) {
    return known->make({p.members, processors_of(p, application, processors), /*pinned=*/true}, known->about);
  };
  // The loop of this subject contains the barrier's call itself.
  if (p.applications == 1 && !p.exponential && p.policy == program::policies::shared) return make(0);
  std::vector<std::unique_ptr<subject>> subjects;
  for (unsigned a = 0; a < p.applications; ++a) subjects.push_back(make(a));
  std::vector<applications::seat> seats;
  for (unsigned m = 0; m < p.all_members(); ++m) seats.push_back(seat_of(p, m));
  return std::make_unique<applications>(std::move(subjects), std::move(seats), p, work);
}

}  // namespace bench
