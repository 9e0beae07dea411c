#include "openmp/tasks/dependences.hpp"

#include <algorithm>
#include <bit>

namespace weir::openmp {

namespace {

// acquire: what the task did, for the one that is ordered behind it without being its successor.
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
    after->awaited.fetch_add(1, std::memory_order_relaxed);  // relaxed: the 1 of the caller keeps it from zero
  }
  before->mutual.release();
}

}  // namespace

void delete_dependence_table::operator()(dependence_table* t) const { delete t; }

bool awaits_no_more(dependence_node& node) {
  happens_before(&node);
  // acq_rel: what all siblings before did, for the one that begins the task.
  return node.awaited.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

void dependence_table::add(const std::shared_ptr<dependence_node>& node, history& at, dependence::kind_of kind) {
  if (kind != at.kind || kind == dependence::out) {
    at.before = std::move(at.last);
    at.last.clear();
    at.kind = kind;
  }
  // A task that names an address twice is among the last ones already: it does not wait for itself (connect()).
  for (const auto& n : at.before) connect(n, node);
  // Many readers of one address: those that are complete order nothing.
  if (at.last.size() >= 16 && std::has_single_bit(at.last.size())) std::erase_if(at.last, is_complete);
  at.last.push_back(node);
}

bool dependence_table::add(const std::shared_ptr<dependence_node>& node, const dependences& its) {
  for (const dependence& d : its) {
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
  return awaits_no_more(*node);
}

void dependence_table::forget_complete() {
  std::erase_if(addresses_, [](const auto& entry) {
    const history& at = entry.second;
    return std::ranges::all_of(at.last, is_complete) && std::ranges::all_of(at.before, is_complete);
  });
  forget_at_ = std::max<std::size_t>(1024, 2 * addresses_.size());
}

}  // namespace weir::openmp
