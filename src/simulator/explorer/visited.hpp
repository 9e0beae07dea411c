// The states that have been searched, and the number of schedules that continue from each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "digest.hpp"

namespace weir::explorer {

class visited {
 public:
  struct entry {
    digest key;
    double schedules = 0;
  };

  std::size_t size() const { return size_; }

  /// The entry of that state, and whether it is new.
  std::pair<entry*, bool> find_or_add(const digest& key) {
    if (10 * (size_ + 1) > 7 * table_.size()) grow();
    entry& e = table_[place(key)];
    if (!(e.key == digest{})) return {&e, false};
    e.key = key;
    ++size_;
    return {&e, true};
  }

 private:
  std::size_t place(const digest& key) const {
    std::size_t at = key.low & (table_.size() - 1);
    while (!(table_[at].key == digest{}) && !(table_[at].key == key)) at = (at + 1) & (table_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<entry> before(std::max<std::size_t>(1024, 2 * table_.size()));
    before.swap(table_);
    for (const entry& e : before)
      if (!(e.key == digest{})) table_[place(e.key)] = e;
  }

  std::vector<entry> table_;
  std::size_t size_ = 0;
};

}  // namespace weir::explorer
