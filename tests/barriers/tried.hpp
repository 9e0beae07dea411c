// The plans that tests try: all plans of the table, so that no test omits one.
#pragma once

#include <string>
#include <vector>
#include <weir/barriers/plans.hpp>

namespace tried {

struct plan_of_table {
  std::string name;
  const weir::plans::entry* of;
  weir::plans::shape shape;
  weir::plan operator()(unsigned participants) const { return of->make(participants, shape); }
};

inline bool alike(const weir::plan& a, const weir::plan& b) {
  for (unsigned i = 0; i < a.participants(); ++i)
    if (a.scripts[i].arrival != b.scripts[i].arrival || a.scripts[i].release != b.scripts[i].release) return false;
  return a.slot_line == b.slot_line;
}

/// Each plan of the table in its default shape, and in those of the other shapes that give a different plan.
inline std::vector<plan_of_table> plans(const std::vector<std::pair<std::string, weir::plans::shape>>& others) {
  std::vector<plan_of_table> different;
  for (const weir::plans::entry& e : weir::plans::table) {
    different.push_back({e.name, &e, {}});
    for (const auto& [suffix, shape] : others)
      if (!alike(e.make(50, shape), e.make(50, {}))) different.push_back({e.name + suffix, &e, shape});
  }
  return different;
}

}  // namespace tried
