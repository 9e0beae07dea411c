// Which thread joins which, where the joining thread may be a member that waits in user space. The C library knows only of
// threads that wait in its own functions. Of those that join the same thread the second one is refused here, and so is who joins
// a thread that joins it [pthread_join(3), "Errors"]. To detach a thread that is joined has no effect.
//
// Threads that wait in the C library are known here, too: it does not know of a member that has come before, nor of one that
// comes after it has been asked.
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

 private:
  friend class creation;
  friend int detach(pthread_t of, int (*next)(pthread_t));
  static joining* whoever(auto joins);
  static void end_those_of(pthread_t number);
  const pthread_t of_, by_ = pthread_self();
  int error_ = 0;
  joining* next_ = nullptr;
  bool is_over_ = false, is_cancelled_ = false;
};

/// During the lifetime of this object the calling thread creates another one.
///
/// The C library gives a new thread the number of one that has been joined, before who has joined that one may have come to the
/// end of its `joining`. Nobody joins the new one before it runs, or its creator knows the number. So whoever of these two comes
/// first ends what is known of joins of this number.
class creation {
 public:
  creation();
  creation(const creation&) = delete;
  ~creation();
  std::uint64_t ticket() const { return ticket_; }
  /// Called by the creator: the thread is there.
  void has_made(pthread_t thread);
  /// Called by the new thread, before code of the program.
  static void begins(std::uint64_t ticket);

 private:
  void end_joins_of(pthread_t number);
  std::uint64_t ticket_;
  creation* next_;
  bool is_known_ = false;
};
/// Calls the C library's function that creates a thread, and returns its result; 0: the thread is there, with this number.
template <class Create>
int created_by(Create create, const pthread_t& to) {
  creation here;
  const int result = create();
  if (result == 0) here.has_made(to);
  return result;
}

/// pthread_detach(), with the C library's as `next`.
int detach(pthread_t of, int (*next)(pthread_t));

}  // namespace weir::threads
