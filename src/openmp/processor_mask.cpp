#include "processor_mask.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>

#include <sched.h>

namespace weir::openmp {

namespace {

/// For so many processors, none of them in it.
struct mask {
  explicit mask(int processors)
      : bytes(CPU_ALLOC_SIZE(static_cast<std::size_t>(processors))), set(CPU_ALLOC(static_cast<std::size_t>(processors))) {
    CPU_ZERO_S(bytes, set.get());
  }
  struct freeing {
    void operator()(cpu_set_t* s) const { CPU_FREE(s); }
  };
  std::size_t bytes;
  std::unique_ptr<cpu_set_t, freeing> set;
};

}  // namespace

std::vector<int> running_on() {
  // The system refuses a mask that is smaller than its own.
  for (int most = 1024; most <= 1 << 20; most *= 2) {
    const mask m(most);
    if (sched_getaffinity(0, m.bytes, m.set.get()) != 0) continue;
    std::vector<int> processors;
    for (int p = 0; p < most; ++p)
      if (CPU_ISSET_S(static_cast<std::size_t>(p), m.bytes, m.set.get())) processors.push_back(p);
    return processors;
  }
  return {};
}

int run_on(const std::vector<int>& processors) {
  if (processors.empty()) return EINVAL;
  const mask m(std::ranges::max(processors) + 1);
  for (const int p : processors) CPU_SET_S(static_cast<std::size_t>(p), m.bytes, m.set.get());
  return sched_setaffinity(0, m.bytes, m.set.get()) == 0 ? 0 : errno;
}

}  // namespace weir::openmp
