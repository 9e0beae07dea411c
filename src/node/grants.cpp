#include "node/grants.hpp"

#include <algorithm>

namespace weir::node {

namespace {

constexpr unsigned fraction_bits = 32;
constexpr std::uint64_t one = std::uint64_t{1} << fraction_bits;

unsigned weight_of(const claim& c) { return std::clamp(c.weight, 1u, most_weight); }

/// Some programs' processors while they are divided.
class division {
 public:
  explicit division(std::span<const claim> claims) {
    for (const claim& c : claims) {
      programs_.push_back({.may_use = c.may_use, .holds = c.holds & c.may_use, .wants = c.wants, .weight = weight_of(c)});
      free_ |= c.may_use;
    }
  }

  unsigned size() const { return static_cast<unsigned>(programs_.size()); }
  unsigned wants(unsigned i) const { return programs_[i].wants; }
  unsigned has(unsigned i) const { return programs_[i].count; }
  const processor_set& of(unsigned i) const { return programs_[i].has; }
  const processor_set& may_use(unsigned i) const { return programs_[i].may_use; }

  /// How many processors each program can have: first one each, then each one more in turn, the one with least for its weight
  /// first, until it has its part of `parts`; afterwards what is left over, in the same order.
  void count(std::span<const unsigned> parts) {
    raise([&](unsigned i) { return std::min({1u, parts[i], wants(i)}); });
    raise([&](unsigned i) { return std::min(parts[i], wants(i)); });
    raise([&](unsigned i) { return wants(i); });
  }

  /// Which: each keeps of what it holds, then takes others.
  void place() {
    for (const program& p : programs_) free_ |= p.has;
    for (program& p : programs_) {
      const processor_set kept = p.holds & free_;
      p.has = {};
      unsigned left = p.count;
      kept.for_each([&](unsigned which) {
        if (left == 0) return;
        --left;
        p.has.add(which);
      });
      free_ -= p.has;
    }
    for (unsigned i = 0; i < size(); ++i)
      while (programs_[i].has.count() < programs_[i].count && give_one_more(i)) {
      }
  }

 private:
  struct program {
    processor_set may_use, holds;
    unsigned wants, weight;
    processor_set has{};
    unsigned count = 0;
    bool saturated = false;
  };

  /// Does a have less for its weight than b, counted to the middle of the next processor?
  static bool has_less(const program& a, const program& b) {
    return std::uint64_t{2 * a.count + 1} * b.weight < std::uint64_t{2 * b.count + 1} * a.weight;
  }

  template <class Most>
  void raise(Most most) {
    while (!free_.empty()) {
      program* next = nullptr;
      for (unsigned i = 0; i < size(); ++i)
        if (program& p = programs_[i]; !p.saturated && p.count < most(i) && (next == nullptr || has_less(p, *next))) next = &p;
      if (next == nullptr) return;
      if (give_one_more(static_cast<unsigned>(next - programs_.data())))
        ++next->count;
      else
        next->saturated = true;
    }
  }

  /// A free processor that this program may use; or another program's, which takes a free one instead; or that of a third. The
  /// shortest such chain [augmenting path, Berge 1957]. False: there is none.
  bool give_one_more(unsigned to) {
    constexpr unsigned nobody = ~0u;
    struct step {
      unsigned to = nobody, processor = 0;  // to whom it would give which processor
      bool reached = false;
    };
    std::vector<step> steps(size());
    std::vector<unsigned> reached{to};
    steps[to].reached = true;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const unsigned at = reached[next];
      if (const processor_set found = programs_[at].may_use & free_; !found.empty()) {
        unsigned processor = found.lowest();
        free_.remove(processor);
        for (unsigned i = at; i != nobody; i = steps[i].to) {
          programs_[i].has.add(processor);
          if (steps[i].to == nobody) break;
          processor = steps[i].processor;
          programs_[i].has.remove(processor);
        }
        return true;
      }
      for (unsigned i = 0; i < size(); ++i) {
        if (steps[i].reached) continue;
        const processor_set between = programs_[i].has & programs_[at].may_use;
        if (between.empty()) continue;
        steps[i] = {at, between.lowest(), true};
        reached.push_back(i);
      }
    }
    return false;
  }

  std::vector<program> programs_;
  processor_set free_;
};

/// Whole numbers of processors: the shares one after the other on a line, which is cut at every whole number, from a point that
/// moves with the turn. Each count is its share rounded up or down, and over the turns the share on average [systematic sampling,
/// Madow 1949]. The point moves by the golden ratio, so that few turns come near the average.
std::vector<unsigned> whole(std::span<const std::uint64_t> shares, std::uint64_t turn) {
  constexpr std::uint64_t golden = 2654435769;  // of 2^32
  std::uint64_t at = turn * golden % one;
  std::vector<unsigned> counts;
  for (const std::uint64_t share : shares) {
    const std::uint64_t end = at + share;
    counts.push_back(static_cast<unsigned>((end >> fraction_bits) - (at >> fraction_bits)));
    at = end;
  }
  return counts;
}

/// Of these processors, one that the fewest programs have; the search begins at another one in each turn.
unsigned least_shared(const processor_set& among, std::span<const grant> granted, std::uint64_t turn) {
  std::vector<unsigned> numbers;
  among.for_each([&](unsigned p) { numbers.push_back(p); });
  if (numbers.empty()) return processor_set::none;
  std::ranges::rotate(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(turn % numbers.size()));
  return *std::ranges::min_element(numbers, {}, [&](unsigned p) {
    return std::ranges::count_if(granted, [p](const grant& g) { return g.processors.has(p); });
  });
}

}  // namespace

std::vector<std::uint64_t> shares(std::span<const claim> claims, unsigned processors) {
  std::vector<std::uint64_t> parts(claims.size());
  std::vector<bool> has_enough(claims.size());
  std::uint64_t left = processors * one, weights = 0;
  for (const claim& c : claims) weights += weight_of(c);
  // Those that want less than their share first; the others then have more.
  for (bool again = true; again;) {
    again = false;
    const std::uint64_t to_divide = left, by = weights;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const std::uint64_t wants = claims[i].wants * one;
      if (has_enough[i] || by == 0 || wants > to_divide / by * weight_of(claims[i])) continue;
      parts[i] = wants;
      left -= std::min(left, wants);
      weights -= weight_of(claims[i]);
      has_enough[i] = again = true;
    }
  }
  for (std::size_t i = 0; i < claims.size(); ++i)
    if (!has_enough[i]) {
      parts[i] = left * weight_of(claims[i]) / weights;  // what is rounded off goes to the last ones
      left -= parts[i];
      weights -= weight_of(claims[i]);
    }
  return parts;
}

std::vector<grant> grants(std::span<const claim> claims, std::uint64_t turn) {
  processor_set there;
  std::vector<claim> limited(claims.begin(), claims.end());
  for (claim& c : limited) {
    c.wants = std::min(std::max(c.wants, 1u), c.may_use.count());
    there |= c.may_use;
  }
  const auto share = shares(limited, there.count());
  const auto parts = whole(share, turn);
  std::vector<unsigned> small;  // programs whose share is less than a processor
  for (unsigned i = 0; i < share.size(); ++i)
    if (limited[i].wants != 0 && share[i] < one) small.push_back(i);

  division shares(limited);
  shares.count(parts);
  shares.place();
  std::vector<grant> granted(claims.size());
  for (unsigned i = 0; i < shares.size(); ++i) granted[i].processors = shares.of(i);
  processor_set of_small;
  for (const unsigned i : small) of_small |= shares.of(i);
  for (unsigned i = 0; i < shares.size(); ++i) {
    if (shares.has(i) != 0 || shares.wants(i) == 0) continue;
    // Masks may leave it none of those.
    const processor_set together = shares.may_use(i) & of_small;
    const unsigned p = least_shared(together.empty() ? shares.may_use(i) : together, granted, turn + i);
    granted[i].processors.add(p);
    granted[i].waits = share[i] < one;
    granted[i].alone = false;
    for (grant& g : granted)
      if (!granted[i].waits && g.processors.has(p)) g.alone = false;
  }
  return granted;
}

}  // namespace weir::node
