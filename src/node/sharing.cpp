#include "node/sharing.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/environment.h"

namespace weir::node {

namespace {

// Programs look more often (openmp/placing/share.cpp). One that does not is stopped, or gets no processor: the others take its
// share until it comes back.
constexpr std::uint64_t stopped_after = 250'000'000;
/// A time to come is one of another time name space: the program is taken to run.
bool asks(const program& p, std::uint64_t now) { return p.is_busy && (p.seen > now || now - p.seen < stopped_after); }

}  // namespace

std::string named_place() {
  const char* const said = secure_getenv(weir_name_of(WEIR_SHARE_DIR));
  return said != nullptr ? said : "";
}

std::string place_of_table() {
  const std::string named = named_place();
  return !named.empty() ? named : table::usual_place();
}

void make_place_of_table(const std::string& place) {
  if (place == table::usual_place()) mkdir(place.c_str(), 0700);
}

std::uint64_t until_turn(std::uint64_t now) { return turn_ns - now % turn_ns; }

sharing::sharing(std::string folder, unsigned weight) : table_(std::move(folder)) {
  mine_.asks.weight = std::clamp(weight, 1u, most_weight);
  mine_.process = getpid();
  mine_.name = program_invocation_short_name;
}

grant sharing::look(const demand& wanted, std::uint64_t now) {
  if (mine_.joined == 0) mine_.joined = now;
  mine_.seen = now;
  mine_.is_busy = wanted.is_busy;
  mine_.asks.may_use = wanted.may_use;
  mine_.asks.wants = std::clamp(wanted.wants, 1u, processor_set::most);
  grant granted{wanted.may_use};
  why_not_.clear();
  if (const auto others = table_.others()) {
    std::vector<claim> claims;
    std::size_t at = 0, before = 0;
    for (const program& p : *others) {
      if (comes_before(p, mine_)) ++before;
      if (!asks(p, now)) continue;
      if (comes_before(p, mine_)) ++at;
      claims.push_back(p.asks);
    }
    claims.insert(claims.begin() + static_cast<std::ptrdiff_t>(at), mine_.asks);
    // Only the first `most_of_user` programs are counted. Each further one would take what is left for one.
    if (before < table::most_of_user)
      granted = grants(claims, now / turn_ns)[at];
    else
      why_not_ = "more than " + std::to_string(table::most_of_user) + " programs of this user run";
  }
  mine_.asks.holds = granted.processors;
  return table_.publish(mine_) ? granted : grant{wanted.may_use};
}

std::vector<grant> grants_now(const std::vector<program>& programs, std::uint64_t now) {
  std::vector<claim> claims;
  for (const program& p : programs)
    if (asks(p, now)) claims.push_back(p.asks);
  std::vector<grant> granted(programs.size()), of_those = grants(claims, now / turn_ns);
  for (std::size_t i = 0, k = 0; i < programs.size(); ++i)
    if (asks(programs[i], now)) granted[i] = of_those[k++];
  return granted;
}

}  // namespace weir::node
