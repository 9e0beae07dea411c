#include <cstdio>
#include <cstdlib>

#include <weir/barrier.hpp>
#include <weir/machine/processors.hpp>

namespace weir::detail {

bool oversubscribed(std::ptrdiff_t members) noexcept { return members > static_cast<std::ptrdiff_t>(affinity().size()); }

void destroyed_in_use(const char* what, unsigned waiting) noexcept {
  std::fprintf(stderr, "weir: a %s is destroyed while %u threads wait at it: join them first\n", what, waiting);
  std::abort();
}

}  // namespace weir::detail
