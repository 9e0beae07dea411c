// Functions that mixed_checked.cpp, compiled with WEIR_CHECKED, provides for mixed_test.cpp, compiled without it.
#pragma once

#include <cstddef>

#include <weir/barrier.hpp>

using barriers = weir::barrier<>*;

static inline barriers new_pair() { return new weir::barrier<>[2]{weir::barrier<>(2), weir::barrier<>(2)}; }

namespace checked {
extern const std::size_t bytes;
barriers new_pair();
void delete_pair(barriers);
void arrive_and_wait(weir::barrier<>& b);
}  // namespace checked
