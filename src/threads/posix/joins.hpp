// Who joins whom, where the joining thread may be a member that waits in user space. The C library knows only of threads that wait in its
// own functions. Of those that join the same thread the second one is refused here, and so is who joins a thread that joins it
// [pthread_join(3), "Errors"]. To detach a thread that is joined has no effect.
#pragma once

#include <pthread.h>

namespace weir::threads {

/// During the lifetime of this object the calling thread joins `of`.
class joining {
 public:
  explicit joining(pthread_t of);
  joining(const joining&) = delete;
  ~joining();
  /// The error by which the C library would refuse; 0: it would not.
  int error() const { return error_; }
  /// It waits in user space from now on, or no longer. Only meanwhile others that join the thread are refused: where the C library is
  /// asked, the thread may be gone, and a new one may have its number. EINVAL: another thread waits for it already.
  int begin_to_wait();
  void end_wait();
  /// This thread has been cancelled, so it does not wait for ever: who joins it may do so though it joins that one.
  static void note_cancelled(pthread_t by);

 private:
  friend int detach(pthread_t of, int (*next)(pthread_t));
  static const joining* whoever(auto joins);
  const pthread_t of_, by_ = pthread_self();
  int error_ = 0;
  joining* next_ = nullptr;
  bool waits_ = false, is_cancelled_ = false;
};

/// pthread_detach(), with the C library's as `next`.
int detach(pthread_t of, int (*next)(pthread_t));

}  // namespace weir::threads
