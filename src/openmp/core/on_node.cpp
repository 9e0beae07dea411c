#include "openmp/core/on_node.hpp"

#include <algorithm>
#include <ctime>

#include "machine/raw_call.hpp"
#include "openmp/core/seats.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/support/stop.hpp"
#include "threads/threads.hpp"

namespace weir::openmp {

namespace {
std::uint64_t now_by(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}
}  // namespace

static_assert(most_weight == node::most_weight);

bool shares_node() { return initial_settings().share == share_with::node; }

void on_node::check() {
  if (!shares_node()) return;
  node::make_place_of_table();
  const node::table there(node::place_of_table());
  if (!there.why_not().empty())
    warn("WEIR_SHARE=node: the processors are not shared: %s", there.why_not().c_str());
  else if (!may_have_seats())
    warn("WEIR_SHARE=node: teams are kernel threads here, and take more processors than the program is granted");
}

void on_node::begin() {
  if (!shares_node()) return;
  constexpr unsigned unshare_first = 2;  // CLOSE_RANGE_UNSHARE, of Linux 5.9
  has_own_files_ = raw_call(SYS_close_range, 0, static_cast<long>(~0u), unshare_first) == 0;
  node_.emplace(node::place_of_table(), static_cast<unsigned>(initial_settings().weight));
  has_complained_ = !node_->why_not().empty();  // check() has
}

void on_node::begin_in_child() {
  if (node_) node_->abandon(!has_own_files_);
  node_.reset();
  most_members_ = 0;
}

unsigned on_node::wanted(std::size_t members, unsigned processors) {
  constexpr unsigned lately = 16;  // looks
  looks_with_fewer_ = members >= most_members_ ? 0 : looks_with_fewer_ + 1;
  if (looks_with_fewer_ == 0 || looks_with_fewer_ > lately) most_members_ = members;
  return most_members_ == 0 ? processors : static_cast<unsigned>(std::min<std::size_t>(most_members_, processors));
}

bool on_node::computes(std::uint64_t now) {
  const std::uint64_t used = now_by(CLOCK_PROCESS_CPUTIME_ID);
  const bool so = looked_ != 0 && 2 * (used - used_) > now - looked_;
  looked_ = now;
  used_ = used;
  return so;
}

unsigned on_node::look(const std::vector<int>& mask, unsigned processors, std::size_t members, bool in_region) {
  if (!node_) return processors;
  node::processor_set may_use;
  for (const int p : mask) may_use.add(static_cast<unsigned>(p));
  const std::uint64_t now = now_by(CLOCK_MONOTONIC);
  const bool alone = computes(now) && !in_region;
  const unsigned wants = alone ? 1 : wanted(members, processors);
  const node::grant its = node_->look({may_use, wants, in_region || alone}, now);
  if (in_region) threads::prefer(its.processors.words);
  return std::clamp(its.processors.count(), 1u, processors);
}

long on_node::until_next_look() const {
  constexpr std::uint64_t at_most = 20'000'000;
  return static_cast<long>(std::min(at_most, node::until_turn(now_by(CLOCK_MONOTONIC))));
}

std::string on_node::take_complaint() {
  if (!node_ || has_complained_ || node_->why_not().empty()) return {};
  has_complained_ = true;
  return node_->why_not();
}

}  // namespace weir::openmp
