#include <weir/machine/topology.hpp>

#include <algorithm>
#include <numeric>

namespace weir {

namespace {

/// Does each group of `inner` lie within one of `outer`?
bool lies_within(const topology::division& inner, const topology::division& outer) {
  std::vector<int> around(inner.groups, -1);
  for (std::size_t i = 0; i < inner.group_of.size(); ++i) {
    int& outer_group = around[inner.group_of[i]];
    if (outer_group < 0) outer_group = static_cast<int>(outer.group_of[i]);
    if (outer_group != static_cast<int>(outer.group_of[i])) return false;
  }
  return true;
}

}  // namespace

topology::topology(std::vector<int> processors, std::string trouble) : topology(std::move(processors), {}, {}) {
  trouble_ = std::move(trouble);
}

topology::topology(std::vector<int> processors, std::vector<division> divisions, std::vector<unsigned> threads)
    : processors_(std::move(processors)), divisions_(std::move(divisions)), threads_(std::move(threads)) {
  const std::size_t count = processors_.size();
  if (count > 0) place_.assign(static_cast<std::size_t>(*std::ranges::max_element(processors_)) + 1, -1);
  for (std::size_t i = 0; i < count; ++i) place_[static_cast<std::size_t>(processors_[i])] = static_cast<int>(i);
  threads_.resize(count, 0);
  std::vector<const division*> by_size;
  for (const division& d : divisions_)
    if (d.groups > 1 && d.groups < count) by_size.push_back(&d);
  std::ranges::stable_sort(by_size, std::greater(), [](const division* d) { return d->groups; });
  for (const division* d : by_size)
    if (levels_.empty() || (d->groups < levels_.back().groups && lies_within(levels_.back(), *d))) levels_.push_back(*d);
  levels_.push_back({"machine", std::vector<unsigned>(count, 0), 1});
}

const topology::division* topology::find(std::string_view name) const {
  const auto found = std::ranges::find(divisions_, name, &division::name);
  return found == divisions_.end() ? nullptr : &*found;
}

std::vector<std::vector<int>> topology::groups(const division& d) const {
  std::vector<std::vector<int>> by_group(d.groups);
  for (std::size_t i = 0; i < processors_.size(); ++i) by_group[d.group_of[i]].push_back(processors_[i]);
  return by_group;
}

int topology::place(int processor) const {
  return processor >= 0 && static_cast<std::size_t>(processor) < place_.size() ? place_[static_cast<std::size_t>(processor)] : -1;
}

unsigned topology::distance(int a, int b) const {
  if (a == b) return 0;
  if (place(a) < 0 || place(b) < 0) return static_cast<unsigned>(levels_.size());
  const auto here = static_cast<std::size_t>(place(a)), there = static_cast<std::size_t>(place(b));
  unsigned level = 0;
  while (levels_[level].group_of[here] != levels_[level].group_of[there]) ++level;
  return level + 1;
}

std::vector<int> topology::in_order(std::vector<int> processors) const {
  const auto key = [this](int p) { return std::pair(place(p) < 0 ? processors_.size() : static_cast<std::size_t>(place(p)), p); };
  std::ranges::sort(processors, {}, key);
  return processors;
}

unsigned topology::thread(int processor) const {
  const int here = place(processor);
  return here < 0 ? 0 : threads_[static_cast<std::size_t>(here)];
}

std::string signature(const topology& machine) {
  const std::size_t count = machine.processors().size();
  std::string text = std::to_string(count) + (count == 1 ? " processor" : " processors");
  for (const topology::division& level : machine.levels())
    if (level.groups > 1) text += " in " + std::to_string(level.groups) + " groups";
  return text;
}

}  // namespace weir
