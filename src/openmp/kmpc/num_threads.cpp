#include "openmp/kmpc/num_threads.hpp"

#include "openmp/kmpc/interface.hpp"

using namespace weir::openmp;

namespace weir::openmp {
constinit thread_local unsigned asked_for = 0;
constinit thread_local thread_demand* demanded = nullptr;
}  // namespace weir::openmp

namespace {

void ask(int threads) {
  ask_for_nothing();
  if (threads > 0) asked_for = static_cast<unsigned>(threads);
}

thread_demand& demand() {
  if (demanded == nullptr) demanded = new thread_demand;
  return *demanded;
}

/// Copies the list, because the compiler's code may reuse the list's memory before the region begins.
void ask(unsigned count, const int* list) {
  ask(count > 0 ? list[0] : 0);
  if (count > 1) demand().within.assign(list + 1, list + count);
}

void insist(int severity, const char* message) {
  enum : int { fatal = 2 };
  thread_demand& demanded = demand();
  demanded.strict = asked_for != 0;
  demanded.fatal = severity == fatal;
  if (message != nullptr) demanded.message = message;
}

}  // namespace

extern "C" {

void __kmpc_push_num_threads(source_line*, int, int threads) { ask(threads); }
void __kmpc_pop_num_threads(source_line*, int) {}  // the region has taken it
void __kmpc_push_num_threads_list(source_line*, int, unsigned count, const int* list) { ask(count, list); }
void __kmpc_push_num_threads_strict(source_line*, int, int threads, int severity, const char* message) {
  ask(threads);
  insist(severity, message);
}
void __kmpc_push_num_threads_list_strict(source_line*, int, unsigned count, const int* list, int severity, const char* message) {
  ask(count, list);
  insist(severity, message);
}

}  // extern "C"
