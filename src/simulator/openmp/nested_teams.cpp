#include "simulator/openmp/nested_teams.hpp"

#include <algorithm>

namespace weir::simulator::openmp {

using weir::openmp::thread_binding;

namespace {

/// The largest parts of the machine; of teams with one member there is nothing to simulate.
unsigned outer_members(const machine_model& m, unsigned members) {
  const std::size_t rings = m.distances.size();
  const unsigned parts = rings < 2 ? 2 : (members - 1) / m.distances[rings - 2].group + 1;
  return std::min(parts, members / 2);
}

std::vector<unsigned> sizes_of(const std::vector<thread_binding>& parts) {
  std::vector<unsigned> sizes;
  for (const thread_binding& part : parts) sizes.push_back(static_cast<unsigned>(part.count));
  return sizes;
}

}  // namespace

std::vector<thread_binding> parts_of(const machine_model& m, unsigned members) {
  const thread_binding whole{.place = 0, .first = 0, .count = static_cast<int>(members)};
  return bindings_of(whole, weir::openmp::bind::spread, outer_members(m, members));
}

nested_teams::nested_teams(const runtime& on, const machine_model& m, unsigned members)
    : team(members), parts_(parts_of(m, members)), inner_(on.make_within(m, sizes_of(parts_))) {
  if (parts_.size() > 1) outer_ = on.make(m, static_cast<unsigned>(parts_.size()));
}

void nested_teams::parallel(const body& executed) {
  if (outer_ != nullptr)
    outer_->parallel(executed);
  else
    executed(0);
}

void nested_teams::parallel_within(unsigned outer_member, const body& executed) {
  const auto first = static_cast<unsigned>(parts_[outer_member].place);
  inner_[outer_member]->parallel([&](unsigned number) { executed(first + number); });
}

// As a member of the outer team it has a crew, which ends with the thread.
void nested_teams::work(unsigned member) {
  const auto behind = [](unsigned processor, const thread_binding& part) {
    return processor < static_cast<unsigned>(part.place);
  };
  const auto part = std::upper_bound(parts_.begin(), parts_.end(), member, behind) - 1;
  const auto outer_member = static_cast<unsigned>(part - parts_.begin());
  const unsigned number = member - static_cast<unsigned>(part->place);
  team& inner_team = *inner_[outer_member];
  if (number != 0) return inner_team.work(number);
  inner_team.made_here();
  outer_->work(outer_member);
  inner_team.dismiss();
}

void nested_teams::dismiss() {
  if (outer_ != nullptr) outer_->dismiss();
  inner_[0]->dismiss();
}

void nested_teams::barrier(unsigned outer_member) {
  if (outer_ != nullptr) outer_->barrier(outer_member);
}

// Where it would lie anyway: the other inner teams are their primary threads'.
void nested_teams::made_here() {
  if (outer_ != nullptr) outer_->made_here();
  inner_[0]->made_here();
}

}  // namespace weir::simulator::openmp
