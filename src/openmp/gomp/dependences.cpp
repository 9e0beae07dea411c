// The list has one of two forms. The first form is a count, the number of addresses that are out or inout, and the addresses,
// beginning with these. The second form is a zero, the count, the numbers of addresses that are out, mutexinoutset and in, and
// the addresses in that order; the remaining entries are depend objects, each an address and a kind.
#include "openmp/gomp/dependences.hpp"

namespace weir::openmp {

namespace {

std::uintptr_t at(const void* address) { return address == nullptr ? all_memory : reinterpret_cast<std::uintptr_t>(address); }

dependence object(void* const* description) {
  enum : std::uintptr_t { in = 1, mutex_in_out_set = 4, in_out_set = 5 };
  switch (reinterpret_cast<std::uintptr_t>(description[1])) {
    case in:
      return {at(description[0]), dependence::in};
    case mutex_in_out_set:
      return {at(description[0]), dependence::mutex_in_out_set};
    case in_out_set:
      return {at(description[0]), dependence::in_out_set};
    default:
      return {at(description[0]), dependence::out};
  }
}

}  // namespace

dependences dependences_of(void** depend) {
  const auto number = [depend](std::size_t i) { return reinterpret_cast<std::uintptr_t>(depend[i]); };
  const bool with_kinds = number(0) == 0;
  const std::size_t count = number(with_kinds ? 1 : 0), first = with_kinds ? 5 : 2;
  const std::size_t writers = number(with_kinds ? 2 : 1), exclusive = writers + (with_kinds ? number(3) : 0);
  const std::size_t addresses = with_kinds ? exclusive + number(4) : count;
  dependences list;
  for (std::size_t i = 0; i < count; ++i) {
    void* const it = depend[first + i];
    if (i < addresses)
      list.push_back({at(it), i < writers ? dependence::out : i < exclusive ? dependence::mutex_in_out_set : dependence::in});
    else
      list.push_back(object(static_cast<void**>(it)));
  }
  return list;
}

}  // namespace weir::openmp
