// Who joins whom, where the joining thread may be a member that waits in user space. The C library knows only of threads that wait in its
// own functions. Of those that join the same thread the second one is refused here, and so is who joins a thread that joins it
// [pthread_join(3), "Errors"]. To detach a thread that is joined has no effect.
//
// Threads that wait in the C library are known here, too: it does not know of a member that has come before, nor of one that comes
// after it has been asked.
#pragma once

#include <atomic>
#include <cstdint>

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
  /// This thread has been cancelled, so it does not wait for ever: who joins it may do so though it joins that one.
  static void note_cancelled(pthread_t by);
  /// How many there have been. Who creates a thread asks before.
  static std::uint64_t so_far();
  /// A new thread has this number. Who has joined the one before may not have come to the end here: that one is not the new one.
  static void begins(pthread_t thread, std::uint64_t so_far);
  /// Calls the C library's function that creates a thread, and returns its result; 0: the thread is there, with this number.
  template <class Create>
  static int created_by(Create create, const pthread_t& to) {
    const std::uint64_t before = so_far();
    const int result = create();
    if (result == 0) begins(to, before);
    return result;
  }

 private:
  friend int detach(pthread_t of, int (*next)(pthread_t));
  static joining* whoever(auto joins);
  const pthread_t of_, by_ = pthread_self();
  int error_ = 0;
  std::uint64_t number_ = 0;
  joining* next_ = nullptr;
  bool is_over_ = false, is_cancelled_ = false;
};

/// pthread_detach(), with the C library's as `next`.
int detach(pthread_t of, int (*next)(pthread_t));

}  // namespace weir::threads
