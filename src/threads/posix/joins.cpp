#include "threads/posix/joins.hpp"

#include <cerrno>
#include <mutex>
#include <utility>

#include "machine/kernel_mutex.hpp"
#include "threads/posix/before.hpp"

namespace weir::threads {

namespace {

constinit kernel_mutex changing;
constinit joining* first = nullptr;

[[gnu::constructor]] void when_loaded() {
  pthread_atfork([] { changing.lock(); }, [] { changing.unlock(); },
                 [] {
                   first = nullptr;
                   changing.unlock();
                 });
}

}  // namespace

const joining* joining::whoever(auto joins) {
  for (const joining* each = first; each != nullptr; each = each->next_)
    if (joins(*each)) return each;
  return nullptr;
}

joining::joining(pthread_t of) : of_(of) {
  const without_preemption to_the_end;
  const std::lock_guard lock(changing);
  if (whoever([this](const joining& it) { return !it.is_cancelled_ && it.of_ == by_ && it.by_ == of_; }) != nullptr)
    error_ = EDEADLK;
  else if (whoever([this](const joining& it) { return it.waits_ && it.of_ == of_; }) != nullptr)
    error_ = EINVAL;
  else
    next_ = std::exchange(first, this);
}
// In the child of a fork that a handler has made, it is in no list.
joining::~joining() {
  if (error_ != 0) return;
  const without_preemption to_the_end;
  const std::lock_guard lock(changing);
  for (joining** at = &first; *at != nullptr; at = &(*at)->next_)
    if (*at == this) {
      *at = next_;
      return;
    }
}

int joining::begin_to_wait() {
  const without_preemption to_the_end;
  const std::lock_guard lock(changing);
  if (whoever([this](const joining& it) { return it.waits_ && it.of_ == of_; }) != nullptr) return EINVAL;
  waits_ = true;
  return 0;
}
void joining::end_wait() {
  const without_preemption to_the_end;
  const std::lock_guard lock(changing);
  waits_ = false;
}
void joining::note_cancelled(pthread_t by) {
  const without_preemption to_the_end;
  const std::lock_guard lock(changing);
  for (joining* each = first; each != nullptr; each = each->next_)
    if (each->by_ == by) each->is_cancelled_ = true;
}

// Under the lock: a thread that joins it next asks the C library whether it has been detached.
int detach(pthread_t of, int (*next)(pthread_t)) {
  const without_preemption to_the_end;
  const std::lock_guard lock(changing);
  return joining::whoever([of](const joining& it) { return it.waits_ && it.of_ == of; }) != nullptr ? 0 : next(of);
}

}  // namespace weir::threads

BEFORE(int, pthread_detach, (pthread_t of)) { return weir::threads::detach(of, next_pthread_detach.get()); }
