#include "openmp/placing/on_node.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "machine/processor_set.hpp"
#include "machine/time_slice.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/support/stop.hpp"
#include "system/clocks.hpp"
#include "system/filter.hpp"
#include "system/raw_call.hpp"
#include "threads/threads.hpp"

namespace weir::openmp {

static_assert(most_weight == node::most_weight);

namespace {

constinit const std::string* named_place = nullptr;
constinit bool is_rank_ = false;
// Null: they are shared, or nobody has looked. Under the lock of the watch; never destroyed, since threads may end later.
constinit std::string* why_unshared = nullptr;
/// The usual place is of the user as whom the process runs now.
std::string place() { return !named_place->empty() ? *named_place : node::table::usual_place(); }

node::confinement::kind kind_of(pid_t thread) {
  using enum node::confinement::kind;
  if (!threads::drives_helper(thread)) return usual;
  // Teams follow by the number of their seats.
  return threads::program_threads_are_members() ? always : never;
}

}  // namespace

bool shares_node() { return initial_settings().share == share_with::node; }

void on_node::read_environment() {
  named_place = new std::string(node::named_place());
  constexpr const char* of_launchers[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
  is_rank_ = std::ranges::any_of(of_launchers, [](const char* name) { return std::getenv(name) != nullptr; });
}
bool on_node::is_rank() { return is_rank_; }

void on_node::note_unshared(const std::string& why) {
  if (why_unshared == nullptr && !why.empty()) why_unshared = new std::string;
  if (why_unshared != nullptr) *why_unshared = why;
}
void on_node::tell_of_end() {
  if (why_unshared != nullptr && !why_unshared->empty())
    warn("WEIR_SHARE=node: in the end the processors were not shared: %s", why_unshared->c_str());
}

void on_node::check() {
  if (!shares_node()) return;
  node::make_place_of_table(place());
  const node::table there(place());
  if (!there.why_not().empty()) {
    warn("WEIR_SHARE=node: the processors are not shared: %s", there.why_not().c_str());
    note_unshared(there.why_not());
  }
  else if (!initial_settings().places.empty())
    warn("WEIR_SHARE=node: teams are bound to places, and do not follow what the program is granted");
  else if (const std::string why = node::confinement::why_not(); !why.empty())
    warn("WEIR_SHARE=node: threads of the kernel do not keep to the processors that the program is granted: %s", why.c_str());
}

void on_node::begin() {
  if (!shares_node()) return;
  constexpr unsigned unshare_first = 2;  // CLOSE_RANGE_UNSHARE, of Linux 5.9
  has_own_files_ = filter::call<SYS_close_range>(0, static_cast<long>(~0u), unshare_first) == 0;
  // Between a look at a file and a change of it the program may close all its files, and have one of its own by that number.
  if (!has_own_files_) {
    beyond_ = "the system refuses a thread files of its own (close_range, of Linux 5.9)";
    return;
  }
  node_.emplace(place(), static_cast<unsigned>(initial_settings().weight));
  has_complained_ = !node_->why_not().empty();  // check() has
  ask_for_shortest_slice();  // turns begin at the same time for all
}

void on_node::end() {
  threads_.end();
  node_.reset();
}

void on_node::begin_in_child() {
  why_unshared = nullptr;
  threads_.free_child();
  threads_ = {};
  if (node_) node_->abandon();
  node_.reset();
  members_ = computing_ = {};
  most_processors_ = 0;
}

std::size_t on_node::lately::most(std::size_t now) {
  constexpr unsigned looks = 16;
  looks_with_fewer_ = now >= most_ ? 0 : looks_with_fewer_ + 1;
  if (looks_with_fewer_ == 0 || looks_with_fewer_ > looks) most_ = now;
  return most_;
}

bool on_node::computes(std::uint64_t now, std::uint64_t delayed) {
  const std::uint64_t used = now_by(CLOCK_PROCESS_CPUTIME_ID);
  const bool so = looked_ != 0 && 2 * (used - used_ + delayed) > now - looked_;
  looked_ = now;
  used_ = used;
  return so;
}

bool on_node::must_wait(bool others_have_turn, std::uint64_t now) {
  constexpr std::uint64_t at_most = 1'000'000'000;
  const bool waits = others_have_turn && now - had_turn_ < at_most;
  if (!waits) had_turn_ = now;
  return waits;
}

on_node::found on_node::look(const std::vector<int>& mask, unsigned processors, std::size_t members, bool in_region) {
  if (!node_) return {processors, in_region, false};
  const auto may_use = processor_set::of(mask);
  if (!may_use) {
    beyond_ = "it may use processors beyond number " + std::to_string(processor_set::most - 1);
    return {processors, in_region, false};
  }
  note_processors(may_use->count());
  const std::uint64_t now = now_by(CLOCK_MONOTONIC);
  const auto [computing, delayed] = threads_.look(kind_of, !in_region);
  const bool computes_alone = computes(now, delayed) && !in_region, is_busy = in_region || computes_alone;
  // Between regions, a program that computes wants one processor at once, and has what its region wants at the next one.
  const std::size_t could_compute = computes_alone ? computing + threads::helpers_with_more_bodies() : 0;
  const std::size_t wants = in_region ? members_.most(members) : computing_.most(could_compute);
  const auto most = static_cast<unsigned>(std::clamp<std::size_t>(wants, 1, processors));
  const node::grant grant_now = node_->look({*may_use, in_region && wants == 0 ? processors : most, is_busy}, now);
  if (is_busy) threads_.keep_to(grant_now.processors, *may_use);
  const unsigned granted = std::clamp(grant_now.processors.count(), 1u, processors);
  threads::let_members_have(granted);
  // The ranks of a job wait for each other.
  return {granted, is_busy, must_wait(is_busy && grant_now.waits && !is_rank_, now)};
}

long on_node::until_next_look() const {
  static_assert(node::turn_ns <= 20'000'000);
  return static_cast<long>(node::until_turn(now_by(CLOCK_MONOTONIC)));
}

// An administrator has changed the masks of all threads, or processors have gone offline.
void on_node::note_processors(unsigned count) {
  if (count < most_processors_ && !std::exchange(has_told_fewer_, true))
    fewer_ = "the program may use " + std::to_string(count) + " of its " + std::to_string(most_processors_) + " processors now";
  most_processors_ = std::max(most_processors_, count);
}

std::string on_node::take_complaint() {
  const std::string why = !beyond_.empty() ? beyond_ : node_ ? node_->why_not() : "";
  note_unshared(why);
  if (!fewer_.empty()) return std::exchange(fewer_, {});
  if (has_complained_) return {};
  has_complained_ = !why.empty();
  return why.empty() ? why : "the processors are not shared any more: " + why;
}

}  // namespace weir::openmp
