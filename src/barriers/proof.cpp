#include <weir/barriers/proof.hpp>

#include <algorithm>
#include <stdexcept>

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
  /// `end` is a multiple of 64.
  void forget_before(std::size_t end) { std::fill_n(bits_.begin(), end / 64, 0); }

 private:
  std::vector<std::uint64_t> bits_;
};

struct flag {
  std::optional<unsigned> signalled;  // the latest episode
  knowledge carried;                  // by the signaller, when it signalled, until all have read it
  std::size_t unread = 0;
  unsigned depth = 0;  // signals on the longest chain to here
};

std::string participant(const plan& p, unsigned i) { return p.name + ": participant " + std::to_string(i); }

// The events are the arrivals of all participants, the event that participant 0 has gathered them, and the awaits. All events
// except the awaits are new in each episode.
class closure {
 public:
  explicit closure(const plan& p)
      : plan_(p), participants_(p.participants()), gathered_(participants_), first_await_((participants_ / 64 + 1) * 64) {
    readers_.resize(p.slots());
    std::size_t event = first_await_;
    for (const auto& script : p.scripts) {
      auto& steps = scripts_.emplace_back(script.arrival);
      steps.insert(steps.end(), script.release.begin(), script.release.end());
      auto& events = events_.emplace_back(steps.size());
      for (std::size_t k = 0; k < steps.size(); ++k)
        if (steps[k].act == step::action::await) readers_[steps[k].slot].push_back(events[k] = event++);
    }
    flags_.resize(std::size_t{p.slots()} * p.parities);
    known_.assign(participants_, knowledge(event));
    depth_.assign(participants_, 0);
  }

  proof run() {
    if (plan_.halves)
      if (const auto why = waits_for_a_release()) return failure(*why);
    // The flags of episode 0 are written again in episode `parities`, so that is the last one needed.
    for (unsigned e = 0; e <= plan_.parities; ++e)
      if (const auto why = run_episode(e)) return failure(*why);
    return {true, "", critical_path_};
  }

  static proof failure(std::string why) { return {false, std::move(why), 0}; }

 private:
  std::string who(unsigned i) const { return participant(plan_, i); }

  std::optional<std::string> waits_for_a_release() const {
    std::vector<char> by_arrival(plan_.slots(), 0);
    for (const auto& script : plan_.scripts)
      for (const step& s : script.arrival)
        if (s.act == step::action::signal) by_arrival[s.slot] = 1;
    for (unsigned i = 0; i < participants_; ++i)
      for (const step& s : plan_.scripts[i].arrival)
        if (s.act == step::action::await && !by_arrival[s.slot])
          return who(i) + " awaits slot " + std::to_string(s.slot) +
                 " of a release half in its arrival half: the plan has no two halves";
    return std::nullopt;
  }

  // Each participant runs as far as it can; one that is stopped at a slot runs on when the slot is
  // signalled. Knowledge only grows, so the order in which they run does not matter.
  std::optional<std::string> run_episode(unsigned episode) {
    std::vector<std::size_t> position(participants_, 0);
    std::vector<std::vector<unsigned>> stopped_at(plan_.slots());
    std::vector<unsigned> ready;
    for (unsigned i = participants_; i-- > 0;) ready.push_back(i);
    unsigned finished = 0;
    for (unsigned i = 0; i < participants_; ++i) {
      known_[i].forget_before(first_await_);
      known_[i].add(i);
    }
    while (!ready.empty()) {
      const unsigned i = ready.back();
      ready.pop_back();
      for (;;) {
        if (i == 0 && position[0] == plan_.scripts[0].arrival.size())
          if (const auto why = gathers()) return why;
        if (position[i] == scripts_[i].size()) {
          ++finished;
          if (const auto why = leaves(i)) return why;
          break;
        }
        const step& s = scripts_[i][position[i]];
        flag& f = flags_[std::size_t{s.slot} * plan_.parities + episode % plan_.parities];
        if (s.act == step::action::signal) {
          if (const auto why = overwrites(i, s.slot, episode)) return why;
          f.signalled = episode;
          f.depth = depth_[i] + 1;
          f.unread = readers_[s.slot].size();
          if (f.unread > 0) f.carried = copy_of(known_[i]);
          ready.insert(ready.end(), stopped_at[s.slot].begin(), stopped_at[s.slot].end());
          stopped_at[s.slot].clear();
        } else {
          if (f.signalled != episode) {
            stopped_at[s.slot].push_back(i);
            break;
          }
          known_[i].add_all(f.carried);
          if (--f.unread == 0) spare_.push_back(std::move(f.carried));
          depth_[i] = std::max(depth_[i], f.depth);
          if (episode == 0) known_[i].add(events_[i][position[i]]);
        }
        ++position[i];
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

  // Keeping the knowledge of all flags at once would take much more memory than that of the flags on their way.
  knowledge copy_of(const knowledge& k) {
    if (spare_.empty()) return k;
    knowledge copy = std::move(spare_.back());
    spare_.pop_back();
    copy = k;
    return copy;
  }

  std::optional<std::string> gathers() {
    if (const auto other = plan_.halves ? unknown_to(0) : std::nullopt)
      return who(0) + " ends its arrival half without knowing that participant " + std::to_string(*other) +
             " has arrived: the plan has no two halves";
    known_[0].add(gathered_);
    return std::nullopt;
  }

  std::optional<std::string> leaves(unsigned i) const {
    if (const auto other = unknown_to(i))
      return who(i) + " leaves without knowing that participant " + std::to_string(*other) + " has arrived";
    if (plan_.halves && !known_[i].has(gathered_))
      return who(i) + " leaves without knowing that participant 0 has gathered all: the plan has no two halves";
    return std::nullopt;
  }

  std::optional<unsigned> unknown_to(unsigned i) const {
    for (unsigned other = 0; other < participants_; ++other)
      if (!known_[i].has(other)) return other;
    return std::nullopt;
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

  const plan& plan_;
  const unsigned participants_;
  const std::size_t gathered_, first_await_;
  std::vector<std::vector<step>> scripts_;
  std::vector<std::vector<std::size_t>> events_;   // of each step of a script that is an await: "has read it"
  std::vector<std::vector<std::size_t>> readers_;  // of each slot: the same
  std::vector<flag> flags_;
  std::vector<knowledge> known_, spare_;
  std::vector<unsigned> depth_;
  unsigned critical_path_ = 0;
};

std::optional<std::string> badly_placed(const plan& p) {
  for (std::uint32_t slot = 0; slot < p.slots(); ++slot)
    if (p.line_of(slot) >= p.lines)
      return p.name + ": slot " + std::to_string(slot) + " lies on line " + std::to_string(p.line_of(slot)) + ", and there are " +
             std::to_string(p.lines);
  // Not counted in a table of all lines, because a plan may claim any number of lines.
  std::vector<std::uint32_t> lines = p.slot_line;
  std::sort(lines.begin(), lines.end());
  for (auto first = lines.begin(); first != lines.end();) {
    const auto end = std::upper_bound(first, lines.end(), *first);
    if (end - first > slots_per_line)
      return p.name + ": line " + std::to_string(*first) + " has " + std::to_string(end - first) + " slots, and " +
             std::to_string(slots_per_line) + " fit";
    first = end;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> malformed(const plan& p) {
  if (p.participants() == 0) return "the plan has no participants";
  if (p.parities != 1 && p.parities != 2) return "a plan has 1 or 2 parities";
  if (auto why = badly_placed(p)) return why;
  std::vector<unsigned> signallers(p.slots(), 0);
  for (unsigned i = 0; i < p.participants(); ++i)
    for (const auto* half : {&p.scripts[i].arrival, &p.scripts[i].release})
      for (const step& s : *half) {
        if (s.slot >= p.slots()) return participant(p, i) + " uses slot " + std::to_string(s.slot) + ", which does not exist";
        if (s.act == step::action::signal) ++signallers[s.slot];
      }
  for (std::uint32_t slot = 0; slot < p.slots(); ++slot)
    if (signallers[slot] != 1)
      return p.name + ": slot " + std::to_string(slot) + " has " + std::to_string(signallers[slot]) + " signallers, not one";
  return std::nullopt;
}

proof prove(const plan& p) {
  if (auto why = malformed(p)) return closure::failure(std::move(*why));
  return closure(p).run();
}

const plan& proven(const plan& p) {
  if (const proof result = prove(p); !result.holds)
    throw std::invalid_argument("weir: this plan is no barrier. " + result.why);
  return p;
}

}  // namespace weir
