// The barriers that a C++ or C programmer has at hand without Weir.
#include <barrier>
#include <boost/thread/barrier.hpp>
#include <boost/version.hpp>
#include <gnu/libc-version.h>
#include <pthread.h>

#include "subject.hpp"

namespace bench {

namespace {

std::unique_ptr<subject> standard(const setting& s, const description&) {
  auto barrier = std::make_shared<std::barrier<>>(s.members);
  return make_subject([barrier](unsigned) { barrier->arrive_and_wait(); });
}

struct posix_barrier {
  explicit posix_barrier(unsigned members) { pthread_barrier_init(&barrier, nullptr, members); }
  ~posix_barrier() { pthread_barrier_destroy(&barrier); }
  pthread_barrier_t barrier;
};

std::unique_ptr<subject> posix(const setting& s, const description&) {
  auto holder = std::make_shared<posix_barrier>(s.members);
  return make_subject([holder](unsigned) { pthread_barrier_wait(&holder->barrier); });
}

std::unique_ptr<subject> boost_barrier(const setting& s, const description&) {
  auto barrier = std::make_shared<boost::barrier>(s.members);
  return make_subject([barrier](unsigned) { barrier->wait(); });
}

}  // namespace

void add_standard(catalogue& entries) {
#ifdef _GLIBCXX_RELEASE
  const std::string library = "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
#else
  const std::string library = "libc++";
#endif
  entries.push_back({{"peer:std::barrier", "peer", "std::barrier", "own", library}, standard});
  entries.push_back(
      {{"peer:pthread_barrier_t", "peer", "pthread_barrier_t", "own", std::string("glibc ") + gnu_get_libc_version()}, posix});
  entries.push_back({{"peer:boost::barrier", "peer", "boost::barrier", "own", "Boost " BOOST_LIB_VERSION}, boost_barrier});
}

}  // namespace bench
