#include "mixed.hpp"

#ifndef WEIR_CHECKED
#error "to be compiled with WEIR_CHECKED"
#endif

namespace checked {
const std::size_t bytes = sizeof(weir::barrier<>);
barriers new_pair() { return ::new_pair(); }
void delete_pair(barriers b) { delete[] b; }
void arrive_and_wait(weir::barrier<>& b) { b.arrive_and_wait(); }
}  // namespace checked
