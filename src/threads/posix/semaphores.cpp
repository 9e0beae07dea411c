// Semaphores of POSIX threads.
#include <pthread.h>
#include <semaphore.h>

#include "threads/posix/waits.hpp"

NEXT_FUNCTION(int, sem_trywait, (sem_t*))

namespace {

using weir::threads::may_be_member;
using weir::threads::time_limit;
using weir::threads::without_ticks;

weir::threads::mark<sem_t> is_shared;

/// The value of a semaphore, in the C library's representation: the first word. To ask the C library whether a
/// semaphore is zero takes as long as a fifth of a switch.
const std::atomic<std::uint32_t>& value_of(const sem_t* s) { return *reinterpret_cast<const std::atomic<std::uint32_t>*>(s); }
/// Found when the library is loaded: does the C library represent it so?
constinit bool is_value_known = false;
// relaxed: whoever finds zero tries again after a fence, or sleeps.
bool is_zero(const sem_t* s) { return is_value_known && value_of(s).load(std::memory_order_relaxed) == 0; }

[[gnu::constructor]] void when_loaded() {
  is_shared.find([](sem_t* at, bool it) { sem_init(at, it ? 1 : 0, 0); }, sem_destroy);
  sem_t one;
  constexpr unsigned value = 0x1234567;
  sem_init(&one, 0, value);
  is_value_known = value_of(&one) == value;
  sem_destroy(&one);
}

/// Is a thread that has been cancelled before cancelled also where it need not wait? As in the C library.
enum class point { always, where_it_waits };

/// Returns as the semaphore's functions do; nothing: the C library's function waits.
std::optional<int> wait_for(sem_t* s, const void* caller, point kind, const time_limit* most = nullptr) {
  if (!may_be_member(caller) || is_shared.is_in(s)) return std::nullopt;
  // In this order, and also where the value is not zero, as the C library does.
  if (most != nullptr && !most->is_valid()) return errno = EINVAL, -1;
  if (kind == point::always) pthread_testcancel();
  const int before = errno;
  const auto once = [s] { return is_zero(s) ? EAGAIN : next_sem_trywait.get()(s) == 0 ? 0 : errno; };
  int now = once();
  if (now == EAGAIN) {
    pthread_testcancel();  // also where the limit has passed
    const auto is_busy = [](std::uint32_t value) { return value == 0; };
    const std::optional<int> waited = is_value_known && most == nullptr
                                          ? weir::threads::wait_while_word(EAGAIN, value_of(s), is_busy, once, nullptr, true)
                                          : weir::threads::wait_while(EAGAIN, s, once, most, true);
    if (!waited) return errno = before, std::nullopt;
    now = *waited;
  }
  errno = now == 0 ? before : now;
  return now == 0 ? 0 : -1;
}

}  // namespace

INTERPOSE(int, sem_post, (sem_t* s)) {
  const int result = next_sem_post.get()(s);
  if (result == 0) weir::threads::notify(s);
  return result;
}
INTERPOSE_WAITING(int, sem_wait, (sem_t* s)) {
  if (const std::optional<int> waited = wait_for(s, __builtin_return_address(0), point::always)) return *waited;
  const without_ticks meanwhile;
  return next_sem_wait.get()(s);
}
INTERPOSE_WAITING(int, sem_timedwait, (sem_t* s, const timespec* until)) {
  const time_limit most{CLOCK_REALTIME, *until};
  if (const std::optional<int> waited = wait_for(s, __builtin_return_address(0), point::always, &most)) return *waited;
  const without_ticks meanwhile;
  return next_sem_timedwait.get()(s, until);
}
INTERPOSE_WAITING(int, sem_clockwait, (sem_t* s, clockid_t clock, const timespec* until)) {
  const time_limit most{clock, *until};
  if (time_limit::is_known(clock))
    if (const std::optional<int> waited = wait_for(s, __builtin_return_address(0), point::where_it_waits, &most)) return *waited;
  const without_ticks meanwhile;
  return next_sem_clockwait.get()(s, clock, until);
}
