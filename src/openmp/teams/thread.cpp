#include "openmp/teams/thread.hpp"

namespace weir::openmp {

constinit thread_local thread_state this_thread;
constinit thread_local member* current = nullptr;

}  // namespace weir::openmp
