// Functions that programs may call and that Weir lacks. Each is a stub that reports this when it is called. Each stub has a
// second name, by which `weir run --check` recognizes it.
#include "openmp/support/stop.hpp"

using weir::openmp::stop;

extern "C" {

#define LACKS(name, instead)                                                  \
  void name(void) { stop(#name " is not supported: %s", instead); }           \
  [[gnu::alias(#name)]] void weir_lacks_##name(void);

// Intel's compilers: collapsed loops whose bounds depend on each other's variables. Other compilers compute them in the program.
constexpr const char* collapse_otherwise = "build with another compiler, or without collapse of such loops";
LACKS(__kmpc_calc_original_ivs_rectang, collapse_otherwise)
LACKS(__kmpc_for_collapsed_init, collapse_otherwise)
LACKS(__kmpc_process_loop_nest_rectang, collapse_otherwise)

// OpenMP 6.0.
}  // extern "C"
