// The barrier directive of the OpenMP runtime with which this program is linked. The members are the threads of one parallel
// region, and they call run(), so the directive binds to this region.
#include <omp.h>

#include "subject.hpp"

namespace bench {

namespace {

std::unique_ptr<subject> barrier_directive(const setting&, const description&) {
  return make_subject([](unsigned) {
#pragma omp barrier
  });
}

}  // namespace

void add_openmp(catalogue& entries) {
#if defined(__clang__)
  const std::string runtime = "libomp", version = "LLVM " + std::to_string(__clang_major__);
#else
  const std::string runtime = "libgomp", version = "GCC " + std::to_string(__GNUC__);
#endif
  entries.push_back({{"peer:" + runtime, "peer", runtime, "own", version}, barrier_directive});
}

}  // namespace bench
