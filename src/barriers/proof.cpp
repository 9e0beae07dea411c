#include <weir/barriers/proof.hpp>

#include <algorithm>
#include <optional>

namespace weir {

namespace {

// A set of events as bits.
class knowledge {
 public:
  knowledge() = default;
  explicit knowledge(std::size_t events) : bits_((events + 63) / 64) {}
  void add(std::size_t event) { bits_[event / 64] |= std::uint64_t{1} << (event % 64); }
  bool has(std::size_t event) const { return (bits_[event / 64] >> (event % 64)) & 1u; }
  void add_all(const knowledge& other) {
    for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] |= other.bits_[i];
  }

 private:
  std::vector<std::uint64_t> bits_;
};

struct flag {
  std::optional<unsigned> signalled;  // the latest episode
  knowledge carried;                  // by the signaller, when it signalled
  unsigned depth = 0;                 // signals on the longest chain to here
};

class closure {
 public:
  explicit closure(const plan& p) : plan_(p), participants_(p.participants()) {
    for (const auto& script : p.scripts) {
      scripts_.push_back(script.arrival);
      scripts_.back().insert(scripts_.back().end(), script.release.begin(), script.release.end());
    }
  }

  proof run() {
    if (participants_ == 0) return failure("the plan has no participants");
    if (plan_.parities != 1 && plan_.parities != 2) return failure("a plan has 1 or 2 parities");
    if (const auto why = malformed()) return failure(*why);
    // The flags of episode 0 are written again in episode `parities`, so that is the last one needed.
    const unsigned episodes = plan_.parities + 1;
    const std::size_t events = participants_ + awaits_;
    flags_.assign(std::size_t{plan_.slots()} * plan_.parities, flag{});
    known_.assign(participants_, knowledge(events));
    depth_.assign(participants_, 0);
    for (unsigned e = 0; e < episodes; ++e)
      if (const auto why = run_episode(e)) return failure(*why);
    return {true, "", critical_path_};
  }

 private:
  static proof failure(std::string why) { return {false, std::move(why), 0}; }
  std::string who(unsigned i) const { return plan_.name + ": participant " + std::to_string(i); }

  std::optional<std::string> malformed() {
    std::vector<unsigned> writers(plan_.slots(), 0);
    readers_.assign(plan_.slots(), {});
    for (unsigned i = 0; i < participants_; ++i)
      for (const step& s : scripts_[i]) {
        if (s.slot >= plan_.slots()) return who(i) + " uses slot " + std::to_string(s.slot) + ", which does not exist";
        if (s.act == step::action::signal)
          ++writers[s.slot];
        else
          readers_[s.slot].push_back(participants_ + awaits_++);
      }
    for (std::uint32_t slot = 0; slot < plan_.slots(); ++slot)
      if (writers[slot] != 1)
        return plan_.name + ": slot " + std::to_string(slot) + " has " + std::to_string(writers[slot]) +
               " signallers, not one";
    return std::nullopt;
  }

  // Each participant goes as far as it can; whoever is stopped at a slot is taken up again when it is
  // signalled. Knowledge only grows, so the order in which they go does not matter.
  std::optional<std::string> run_episode(unsigned episode) {
    std::vector<std::size_t> position(participants_, 0);
    std::vector<std::vector<unsigned>> stopped_at(plan_.slots());
    std::vector<unsigned> ready;
    for (unsigned i = participants_; i-- > 0;) ready.push_back(i);
    unsigned finished = 0;
    start_events(episode);
    while (!ready.empty()) {
      const unsigned i = ready.back();
      ready.pop_back();
      while (position[i] < scripts_[i].size()) {
        const step& s = scripts_[i][position[i]];
        flag& f = flags_[std::size_t{s.slot} * plan_.parities + episode % plan_.parities];
        if (s.act == step::action::signal) {
          if (const auto why = overwrites(i, s.slot, episode)) return why;
          f = {episode, known_[i], depth_[i] + 1};
          for (const unsigned waiter : stopped_at[s.slot]) ready.push_back(waiter);
          stopped_at[s.slot].clear();
        } else {
          if (f.signalled != episode) {
            stopped_at[s.slot].push_back(i);
            break;
          }
          known_[i].add_all(f.carried);
          depth_[i] = std::max(depth_[i], f.depth);
          if (episode == 0) known_[i].add(await_event(i, position[i]));
        }
        ++position[i];
      }
      if (position[i] == scripts_[i].size()) {
        ++finished;
        for (unsigned other = 0; other < participants_; ++other)
          if (!known_[i].has(other))
            return who(i) + " leaves without knowing that participant " + std::to_string(other) + " has arrived";
      }
    }
    if (finished == participants_) {
      if (episode == 0) critical_path_ = *std::max_element(depth_.begin(), depth_.end());
      return std::nullopt;
    }
    for (unsigned i = 0; i < participants_; ++i)
      if (position[i] < scripts_[i].size())
        return who(i) + " waits for ever at slot " + std::to_string(scripts_[i][position[i]].slot);
    return plan_.name + ": does not end";
  }

  // Arrivals are counted afresh in each episode; the awaits of episode 0 stay known.
  void start_events(unsigned episode) {
    for (unsigned i = 0; i < participants_; ++i) {
      if (episode > 0) {
        knowledge awaits_only(participants_ + awaits_);
        for (std::size_t a = participants_; a < participants_ + awaits_; ++a)
          if (known_[i].has(a)) awaits_only.add(a);
        known_[i] = std::move(awaits_only);
      }
      known_[i].add(i);
    }
  }

  // The writes of episode `parities` go to the flags of episode 0: have all its readers read?
  std::optional<std::string> overwrites(unsigned i, std::uint32_t slot, unsigned episode) const {
    if (episode != plan_.parities) return std::nullopt;
    for (const std::size_t read : readers_[slot])
      if (!known_[i].has(read))
        return who(i) + " may overwrite slot " + std::to_string(slot) + " before it is read: it needs " +
               std::to_string(plan_.parities + 1) + " parities or an acknowledgement";
    return std::nullopt;
  }

  // Awaits were numbered in the order of the scripts.
  std::size_t await_event(unsigned i, std::size_t position) {
    if (first_await_.empty()) {
      std::size_t next = participants_;
      for (const auto& script : scripts_) {
        first_await_.push_back(next);
        next += static_cast<std::size_t>(
            std::count_if(script.begin(), script.end(), [](const step& s) { return s.act == step::action::await; }));
      }
    }
    const auto& script = scripts_[i];
    return first_await_[i] + static_cast<std::size_t>(std::count_if(
                                 script.begin(), script.begin() + static_cast<std::ptrdiff_t>(position),
                                 [](const step& s) { return s.act == step::action::await; }));
  }

  const plan& plan_;
  const unsigned participants_;
  std::vector<std::vector<step>> scripts_;
  std::vector<std::vector<std::size_t>> readers_;  // of each slot: the events "has read it"
  std::vector<std::size_t> first_await_;
  std::size_t awaits_ = 0;
  std::vector<flag> flags_;
  std::vector<knowledge> known_;
  std::vector<unsigned> depth_;
  unsigned critical_path_ = 0;
};

}  // namespace

proof prove(const plan& p) { return closure(p).run(); }

}  // namespace weir
