#include <map>
#include <numeric>

#include <weir/barriers/plan_barrier.hpp>

namespace weir {

seating seating::one_each(unsigned members) {
  seating s;
  s.seats = members;
  s.seat_of.resize(members);
  std::iota(s.seat_of.begin(), s.seat_of.end(), 0u);
  return s;
}

seating seating::by_processor(const team& t) {
  if (!t.placed()) return one_each(t.members);
  seating s;
  std::map<int, unsigned> seat_of_processor;
  for (const int processor : t.placement) {
    const auto [place, fresh] = seat_of_processor.try_emplace(processor, s.seats);
    if (fresh) ++s.seats;
    s.seat_of.push_back(place->second);
  }
  return s;
}

}  // namespace weir
