#include "openmp/tasks/dependences.hpp"

#include <algorithm>
#include <bit>

namespace weir::openmp {

namespace {

// acquire: what the task did, for a later task that is ordered behind it without being its successor.
bool is_complete(const std::shared_ptr<dependence_node>& n) {
  const bool is = n->complete.load(std::memory_order_acquire);
  if (is) happens_after(n.get());
  return is;
}

void connect(const std::shared_ptr<dependence_node>& before, const std::shared_ptr<dependence_node>& after) {
  if (before == after) return;
  before->mutual.take();
  if (!is_complete(before)) {
    before->successors.push_back(after);
    after->awaited.fetch_add(1, std::memory_order_relaxed);  // relaxed: the 2 it begins with keep it from zero
  }
  before->mutual.release();
}

}  // namespace

void delete_dependence_table::operator()(dependence_table* t) const { delete t; }

bool exclusion::take(const std::shared_ptr<dependence_node>& by) {
  mutual_.take();
  const bool free = !taken_;
  if (free)
    taken_ = true;
  else
    set_aside_.push_back(by);
  mutual_.release();
  return free;
}

std::shared_ptr<dependence_node> exclusion::pass_on() {
  std::shared_ptr<dependence_node> next;
  mutual_.take();
  if (set_aside_.empty()) {
    taken_ = false;
  } else {
    next = std::move(set_aside_.back());
    set_aside_.pop_back();
  }
  mutual_.release();
  return next;
}

bool awaits_no_more(const std::shared_ptr<dependence_node>& node) {
  happens_before(node.get());
  // acq_rel: what all earlier siblings did, for the thread that begins the task.
  return node->awaited.fetch_sub(1, std::memory_order_acq_rel) == 2 && takes_exclusions(node);
}

bool takes_exclusions(const std::shared_ptr<dependence_node>& node) {
  // Counted first: a thread that hands the exclusion on to the task that was set aside may already go on with the next exclusion.
  while (node->next_exclusion < node->exclusions.size())
    if (!node->exclusions[node->next_exclusion++]->take(node)) return false;
  happens_before(node.get());
  // release: what the siblings did, for a member that waits; the locks have ordered it for this thread.
  node->awaited.store(0, std::memory_order_release);
  return true;
}

void dependence_table::add(const std::shared_ptr<dependence_node>& node, history& at, dependence::kind_of kind) {
  if (kind != at.kind || kind == dependence::out) {
    at.before = std::move(at.last);
    at.last.clear();
    at.kind = kind;
    if (at.excludes != nullptr) [[unlikely]] at.excludes = nullptr;
    if (kind == dependence::mutex_in_out_set) [[unlikely]] at.excludes = std::make_shared<exclusion>();
  }
  if (at.excludes != nullptr) [[unlikely]] node->exclusions.push_back(at.excludes);
  // A task that names an address twice is among the last ones already: it does not wait for itself (connect()).
  for (const auto& n : at.before) connect(n, node);
  // An address with many readers: readers that are complete order nothing.
  if (at.last.size() >= 16 && std::has_single_bit(at.last.size())) std::erase_if(at.last, is_complete);
  at.last.push_back(node);
}

bool dependence_table::add(const std::shared_ptr<dependence_node>& node, const dependences& depends_on) {
  for (const dependence& d : depends_on) {
    if (d.at != all_memory) {
      add(node, addresses_.try_emplace(d.at, everything_).first->second, d.kind);
      continue;
    }
    for (auto& [address, at] : addresses_) {
      for (const auto& n : at.before) connect(n, node);
      for (const auto& n : at.last) connect(n, node);
    }
    addresses_.clear();
    add(node, everything_, dependence::out);
  }
  if (addresses_.size() > forget_at_) forget_complete();
  if (node->exclusions.size() > 1) {
    std::ranges::sort(node->exclusions);
    node->exclusions.erase(std::ranges::unique(node->exclusions).begin(), node->exclusions.end());
  }
  return awaits_no_more(node);
}

void dependence_table::forget_complete() {
  std::erase_if(addresses_, [](const auto& entry) {
    const history& at = entry.second;
    return std::ranges::all_of(at.last, is_complete) && std::ranges::all_of(at.before, is_complete);
  });
  forget_at_ = std::max<std::size_t>(1024, 2 * addresses_.size());
}

}  // namespace weir::openmp
