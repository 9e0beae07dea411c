/* GCC's AddressSanitizer, a library, ends the program where another library comes before it, as every preloaded one does: one
   with an allocator would take the place of the sanitizer's. Those of Weir have none, and the functions that they do replace lead
   to the sanitizer's. It asks for its usual options by this name, of the program if that has the function; ASAN_OPTIONS overrules
   them. */
__attribute__((visibility("default"))) const char* __asan_default_options(void);
const char* __asan_default_options(void) { return "verify_asan_link_order=0"; }
