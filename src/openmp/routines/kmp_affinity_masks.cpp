// The routines of LLVM's and Intel's runtimes for a thread's affinity mask. For the program a mask is a word; it points to a set.
#include <algorithm>
#include <set>

#include <unistd.h>

#include <weir/machine/processors.hpp>

namespace {

using mask = std::set<int>;
enum : int { no_such = -1, not_usable = -2 };

int most_processors() { return std::max(static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)), weir::affinity().back() + 1); }

/// The result of `action`, if the program may use this processor.
template <class Action>
int with_processor(int processor, mask** at, Action action) {
  if (at == nullptr || *at == nullptr || processor < 0 || processor >= most_processors()) return no_such;
  if (!std::ranges::binary_search(weir::affinity(), processor)) return not_usable;
  return action(**at);
}

}  // namespace

extern "C" {

int kmp_get_affinity_max_proc(void) { return most_processors(); }
void kmp_create_affinity_mask(mask** at) { *at = new mask; }
void kmp_destroy_affinity_mask(mask** at) {
  delete *at;
  *at = nullptr;
}
int kmp_set_affinity_mask_proc(int processor, mask** at) {
  return with_processor(processor, at, [=](mask& m) { return m.insert(processor), 0; });
}
int kmp_unset_affinity_mask_proc(int processor, mask** at) {
  return with_processor(processor, at, [=](mask& m) { return m.erase(processor), 0; });
}
int kmp_get_affinity_mask_proc(int processor, mask** at) {
  return with_processor(processor, at, [=](const mask& m) { return static_cast<int>(m.contains(processor)); });
}
int kmp_set_affinity(mask** at) {
  if (at == nullptr || *at == nullptr) return no_such;
  return weir::run_on({(*at)->begin(), (*at)->end()});
}
int kmp_get_affinity(mask** at) {
  if (at == nullptr || *at == nullptr) return no_such;
  const std::vector<int> processors = weir::running_on();
  **at = {processors.begin(), processors.end()};
  return 0;
}
int kmp_set_thread_affinity_mask_initial(void) { return weir::run_on(weir::affinity()) == 0; }

// Names for C.
int kmpc_set_affinity_mask_proc(int processor, mask** at) { return kmp_set_affinity_mask_proc(processor, at); }
int kmpc_unset_affinity_mask_proc(int processor, mask** at) { return kmp_unset_affinity_mask_proc(processor, at); }
int kmpc_get_affinity_mask_proc(int processor, mask** at) { return kmp_get_affinity_mask_proc(processor, at); }

// Names for Fortran.
int kmp_get_affinity_max_proc_(void) { return kmp_get_affinity_max_proc(); }
void kmp_create_affinity_mask_(mask** at) { kmp_create_affinity_mask(at); }
void kmp_destroy_affinity_mask_(mask** at) { kmp_destroy_affinity_mask(at); }
int kmp_set_affinity_mask_proc_(const int* processor, mask** at) { return kmp_set_affinity_mask_proc(*processor, at); }
int kmp_unset_affinity_mask_proc_(const int* processor, mask** at) { return kmp_unset_affinity_mask_proc(*processor, at); }
int kmp_get_affinity_mask_proc_(const int* processor, mask** at) { return kmp_get_affinity_mask_proc(*processor, at); }
int kmp_set_affinity_(mask** at) { return kmp_set_affinity(at); }
int kmp_get_affinity_(mask** at) { return kmp_get_affinity(at); }

}  // extern "C"
