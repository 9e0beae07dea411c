// Regions, as GCC compiled them before version 4.9: the program's code calls the two ends of a region, and executes the caller's
// part between them itself.
#include <memory>

#include "openmp/forking/thread_limit.hpp"
#include "openmp/gomp/loops.hpp"

using namespace weir::openmp;

namespace {

/// What the members of a region read until its end. Regions that the same thread has begun are nested.
struct begun_region {
  worksharing_region shared_region;
  begun_region* outer;
  std::unique_ptr<granted_threads> granted = nullptr;
};
thread_local begun_region* innermost = nullptr;

const worksharing_region& begin(const worksharing_region& shared_region, region run, unsigned threads) {
  innermost = new begun_region{shared_region, innermost};
  innermost->granted =
      begin_region(run, &innermost->shared_region, threads, reinterpret_cast<const void*>(innermost->shared_region.run));
  return innermost->shared_region;
}

void run_program(void* its_region) {
  const auto& shared_region = *static_cast<const worksharing_region*>(its_region);
  shared_region.run(shared_region.what);
}

void begin_parallel_worksharing(const worksharing_region& shared_region, unsigned threads) {
  begin_worksharing(begin(shared_region, run_worksharing, threads));
}

}  // namespace

extern "C" {

void GOMP_parallel_start(region run, void* what, unsigned threads) { begin({run, what, {}, 0, 0, 0}, run_program, threads); }

void GOMP_parallel_end(void) {
  end_region();
  const begun_region* const ended = innermost;
  innermost = ended->outer;
  delete ended;
}

#define PARALLEL_LOOP(name, kind)                                                                                   \
  void GOMP_parallel_loop_##name##_start(region run, void* what, unsigned threads, long start, long end, long step, \
                                         long chunk) {                                                              \
    const worksharing_region shared_region =                                                                        \
        region_with_loop(run, what, start, end, step, schedule_kind::kind, chunk, order::monotonic);                \
    begin_parallel_worksharing(shared_region, threads);                                                             \
  }
PARALLEL_LOOP(static, static_)
PARALLEL_LOOP(dynamic, dynamic)
PARALLEL_LOOP(guided, guided)
#undef PARALLEL_LOOP
void GOMP_parallel_loop_runtime_start(region run, void* what, unsigned threads, long start, long end, long step) {
  begin_parallel_worksharing(region_with_loop_at_run_time(run, what, start, end, step, order::monotonic), threads);
}

void GOMP_parallel_sections_start(region run, void* what, unsigned threads, unsigned count) {
  begin_parallel_worksharing(region_with_sections(run, what, count), threads);
}

}  // extern "C"
