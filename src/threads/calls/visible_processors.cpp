// How many processors there are, for a program that asks (machine/visible_processors.hpp).
#include <pthread.h>
#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

#include <weir/machine/native.hpp>

#include "machine/visible_processors.hpp"
#include "threads/posix/interpose.hpp"

namespace {

template <class Next>
int count_of(Next* next) {
  const auto count = weir::visible::processors();
  return count ? static_cast<int>(*count) : next();
}

}  // namespace

INTERPOSE(int, sched_getaffinity, (pid_t t, size_t n, cpu_set_t* to)) {
  const int result = next_sched_getaffinity.get()(t, n, to);
  if (result == 0 && weir::visible::processors() && weir::visible::is_of_this_process(t)) weir::visible::reduce(n, to);
  return result;
}

INTERPOSE(int, pthread_getaffinity_np, (pthread_t t, size_t n, cpu_set_t* to)) {
  const int result = next_pthread_getaffinity_np.get()(t, n, to);
  if (result == 0) weir::visible::reduce(n, to);
  return result;
}

// A thread that begins with the mask that the program sees.
INTERPOSE(int, pthread_attr_setaffinity_np, (pthread_attr_t * of, size_t n, const cpu_set_t* to)) {
  const auto mask = weir::visible::meant({n, to});
  return next_pthread_attr_setaffinity_np.get()(of, mask.bytes, mask.set);
}

INTERPOSE(int, get_nprocs, ()) { return count_of(next_get_nprocs.get()); }

INTERPOSE(int, get_nprocs_conf, ()) {
  const auto count = weir::visible::highest();
  return count ? static_cast<int>(*count) : next_get_nprocs_conf.get()();
}

INTERPOSE(long, sysconf, (int of)) {
  switch (of) {
    case _SC_NPROCESSORS_ONLN:
      if (const auto count = weir::visible::processors()) return *count;
      break;
    case _SC_NPROCESSORS_CONF:
      if (const auto count = weir::visible::highest()) return *count;
      break;
    default: break;
  }
  return next_sysconf.get()(of);
}

namespace {
// Early: before the program or the runtime binds the thread that asks first, and since handlers may call sysconf(), which then
// neither allocates memory nor looks up a name.
[[gnu::constructor]] void when_loaded() {
  next_sysconf.get();
  (void)weir::visible::processors();
}
}  // namespace
