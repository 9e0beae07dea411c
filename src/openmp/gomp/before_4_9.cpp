// Regions as GCC compiled them before version 4.9: the program's code lies between their two ends, and executes the caller's
// part of the region itself.
#include <memory>

#include "openmp/gomp/loops.hpp"
#include "openmp/core/thread_limit.hpp"

using namespace weir::openmp;

namespace {

/// What the members of a region look at until its end; regions of one thread lie within each other.
struct opened {
  worksharing_region its;
  opened* outer;
  std::unique_ptr<granted_threads> granted = nullptr;
};
thread_local opened* innermost = nullptr;

const worksharing_region& open(const worksharing_region& its, region run, unsigned threads) {
  innermost = new opened{its, innermost};
  innermost->granted = begin_region(run, &innermost->its, threads);
  return innermost->its;
}

void run_plainly(void* its_region) {
  const auto& its = *static_cast<const worksharing_region*>(its_region);
  its.run(its.what);
}

void open_worksharing(const worksharing_region& its, unsigned threads) {
  begin_worksharing(open(its, run_worksharing, threads));
}

}  // namespace

extern "C" {

void GOMP_parallel_start(region run, void* what, unsigned threads) { open({run, what, {}, 0, 0, 0}, run_plainly, threads); }

void GOMP_parallel_end(void) {
  end_region();
  const opened* const ended = innermost;
  innermost = ended->outer;
  delete ended;
}

#define PARALLEL_LOOP(name, kind)                                                                                   \
  void GOMP_parallel_loop_##name##_start(region run, void* what, unsigned threads, long start, long end, long step, \
                                         long chunk) {                                                              \
    open_worksharing(region_with_loop(run, what, start, end, step, schedule_kind::kind, chunk), threads);           \
  }
PARALLEL_LOOP(static, static_)
PARALLEL_LOOP(dynamic, dynamic)
PARALLEL_LOOP(guided, guided)
#undef PARALLEL_LOOP
void GOMP_parallel_loop_runtime_start(region run, void* what, unsigned threads, long start, long end, long step) {
  open_worksharing(region_with_loop_at_run_time(run, what, start, end, step), threads);
}

void GOMP_parallel_sections_start(region run, void* what, unsigned threads, unsigned count) {
  open_worksharing(region_with_sections(run, what, count), threads);
}

}  // extern "C"
