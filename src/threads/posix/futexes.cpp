#include "threads/posix/futexes.hpp"

#include <iterator>

#include <linux/futex.h>

#include "system/raw_call.hpp"
#include "threads/posix/shared_memory.hpp"
#include "threads/posix/waits.hpp"

NEXT_FUNCTION(long, syscall, (long, long, long, long, long, long, long))

namespace weir::threads {

namespace {

// No program has memory below [vm.mmap_min_addr, 4096 at least where programs may not map it].
constexpr unsigned long lowest_address = 4096;

long failed(int why) { return errno = why, -1; }

// How many threads sleep in the kernel on words of that event count: a waker without members to wake makes no system call then.
constinit std::atomic<std::uint32_t> in_kernel[256];
std::atomic<std::uint32_t>& sleepers_in_kernel(const void* word) {
  return in_kernel[reinterpret_cast<std::uintptr_t>(word) / 4 % std::size(in_kernel)];
}

// Has the program moved sleepers from one word to another, or do some sleep by the calls of later kernels (below)? Then nobody
// knows here on which word they sleep. relaxed: a thread that wakes a sleeper that has been moved knows of the move.
constinit std::atomic<bool> has_requeued{false};

long kernel(const long (&a)[6]) {
  const without_ticks meanwhile;
  return with_type_of_program(next_syscall.get(), SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// A thread that may be cancelled anywhere ends in the call.
class sleeper_in_kernel {
 public:
  // seq_cst: either the waker sees this thread, or the kernel sees the change of the word.
  explicit sleeper_in_kernel(const void* word) : its_(sleepers_in_kernel(word)) { its_.fetch_add(1, std::memory_order_seq_cst); }
  sleeper_in_kernel(const sleeper_in_kernel&) = delete;
  ~sleeper_in_kernel() { its_.fetch_sub(1, std::memory_order_relaxed); }  // relaxed: a waker that sees it late wakes nobody

 private:
  std::atomic<std::uint32_t>& its_;
};
long sleep_in_kernel(const long (&a)[6]) {
  const sleeper_in_kernel counted(reinterpret_cast<const void*>(a[0]));
  return kernel(a);
}

// What is left of a wait with a limit, for a thread that is no member any more. The word may have changed since the wait began.
// `scope`: as the program says it, since the kernel keeps waiters of private words apart.
long wait_in_kernel(const std::atomic<std::uint32_t>& word, std::uint32_t value, int scope, const time_limit& most) {
  const int clock = most.clock == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0;
  const int before = errno;
  const long result = sleep_in_kernel({as_argument(&word), FUTEX_WAIT_BITSET | scope | clock, static_cast<long>(value),
                                       as_argument(&most.at), 0, static_cast<long>(FUTEX_BITSET_MATCH_ANY)});
  return result < 0 && errno == EAGAIN ? errno = before, 0 : result;
}

// Without a limit: a member sleeps on the word, in the list of its sleepers. It may return without having been woken, as the
// kernel allows.
long sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  body& me = *this_body;
  const interruption signal(false);
  me.forget_waker();
  if (word.load(std::memory_order_relaxed) != value) return failed(EAGAIN);  // relaxed: looked at again before it sleeps
  sleep_on({&word, value, table::asked_about});
  return !me.was(woken_by::notification) && signal.has_come() ? failed(EINTR) : 0;
}

// Nothing: the calling thread is no member.
std::optional<long> wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, int scope, const time_limit* most) {
  if (!may_be_member() || !comes_to_sleep()) return std::nullopt;
  if (most == nullptr) return sleep_while(word, value);
  if (!most->is_valid() || most->at.tv_sec < 0) return failed(EINVAL);
  event_count& events = events_of(&word);
  body& me = *this_body;
  const interruption signal(true);
  std::optional<deadline> limit;
  for (bool is_first = true;; is_first = false) {
    me.forget_waker();
    const std::uint32_t seen = events.announce();
    const auto has_value = [&] { return word.load(std::memory_order_relaxed) == value; };  // relaxed: announce() has a fence
    bool waits = has_value();
    bool is_late = false, stays = true;
    if (waits) {
      is_late = limit ? limit->has_passed() : most->has_passed();
      if (!is_late && !limit) limit.emplace(me, events, *most);
      // A thread that has changed the word in time has woken nobody if this body was about to sleep.
      if (is_late) waits = has_value();
    }
    if (waits && !is_late) stays = sleep_on(next_event(events, seen, &word));
    events.retire();
    if (!waits) return is_first ? failed(EAGAIN) : 0;
    if (me.was(woken_by::notification)) return 0;
    if (signal.has_come()) return failed(EINTR);
    if (is_late) return failed(ETIMEDOUT);
    if (!stays) return wait_in_kernel(word, value, scope, *most);
  }
}

time_limit after(const timespec& time) {
  constexpr long billion = 1'000'000'000;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long ns = now.tv_nsec + time.tv_nsec;
  if (time.tv_sec < 0 || time.tv_nsec < 0 || time.tv_nsec >= billion) return {CLOCK_MONOTONIC, time};  // not valid
  return {CLOCK_MONOTONIC, {now.tv_sec + time.tv_sec + ns / billion, ns % billion}};
}

long wake(const std::atomic<std::uint32_t>& word, const long (&a)[6]) {
  const long most = static_cast<int>(a[2]);
  // seq_cst: the caller has changed the word by any kind of store; either it sees a waiter, or that sees the change.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const unsigned woken = most > 0 ? notify(&word, static_cast<unsigned>(most)) : 0;
  if (woken == most) return most;
  // relaxed, both: the fence orders the first.
  if (sleepers_in_kernel(&word).load(std::memory_order_relaxed) == 0 && !has_requeued.load(std::memory_order_relaxed))
    return woken;
  const long others = kernel({a[0], a[1], most - woken, a[3], a[4], a[5]});
  return others < 0 ? others : others + woken;
}

// Waiters of other processes first. A member of this process may have found the memory private (shared_memory.hpp).
long wake_shared(const std::atomic<std::uint32_t>& word, const long (&a)[6]) {
  const long most = static_cast<int>(a[2]), others = kernel(a);
  if (others < 0 || others >= most) return others;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in wake()
  return others + notify(&word, static_cast<unsigned>(most - others));
}

// FUTEX_WAKE_OP changes the second word, so members are woken afterwards. All of them are, since a futex's waiter looks again:
// they need not be moved.
long move_or_wake(const std::atomic<std::uint32_t>& word, const long (&a)[6]) {
  has_requeued.store(true, std::memory_order_relaxed);
  const long others = kernel(a);
  if (others < 0) return others;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in wake()
  return others + notify(&word, all_waiters) + notify(reinterpret_cast<const void*>(a[4]), all_waiters);
}

// The kernel clears the word of a thread that ends, and wakes those that wait for it there [set_tid_address(2)]: members that
// slept in user space would not be woken. The word has the thread's number until then.
bool awaits_end_of_thread(int operation, std::uint32_t value) {
  constexpr std::uint32_t most = 1 << 22;  // PID_MAX_LIMIT, of Linux
  if ((operation & FUTEX_PRIVATE_FLAG) != 0 || value < 2 || value > most) return false;
  const long thread = static_cast<long>(value);
  if (raw_call(SYS_tgkill, getpid(), thread, 0) == 0) return true;
  // Of a process that shares the memory, any thread's number will do [kill(2), Linux]. 2 is a thread of the kernel's, and in most
  // locks the mark of a word for which others wait.
  return value > 2 && raw_call(SYS_kill, thread, 0) == 0;
}

// The kernel knows the owner of such a futex by its kernel thread.
bool has_owner(int operation) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_LOCK_PI: case FUTEX_LOCK_PI2: case FUTEX_TRYLOCK_PI: case FUTEX_UNLOCK_PI: case FUTEX_WAIT_REQUEUE_PI: return true;
    default: return false;
  }
}

}  // namespace

long futex_for_members(const long (&a)[6]) {
  const auto operation = static_cast<int>(a[1]);
  if (has_owner(operation)) pin();
  if (a[0] % alignof(std::uint32_t) != 0 || static_cast<unsigned long>(a[0]) < lowest_address)
    return kernel(a);  // it says what is wrong
  const auto& word = *reinterpret_cast<const std::atomic<std::uint32_t>*>(a[0]);
  const bool is_shared = (operation & FUTEX_PRIVATE_FLAG) == 0 && may_be_shared(&word);
  const auto* const time = reinterpret_cast<const timespec*>(a[3]);
  const auto value = static_cast<std::uint32_t>(a[2]);
  const bool any = static_cast<std::uint32_t>(a[5]) == FUTEX_BITSET_MATCH_ANY;
  std::optional<time_limit> most;
  std::optional<long> done;
  const int scope = operation & FUTEX_PRIVATE_FLAG, command = operation & FUTEX_CMD_MASK;
  const bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
  const bool ends = waits && may_be_member() && awaits_end_of_thread(operation, value);
  if (ends) leave_until_thread_ends();
  switch (command) {
    case FUTEX_WAIT:
      if (time != nullptr) most = after(*time);
      if (!is_shared && !ends) done = wait(word, value, scope, most ? &*most : nullptr);
      return done ? *done : sleep_in_kernel(a);
    case FUTEX_WAIT_BITSET:
      if (time != nullptr) most = time_limit{(operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, *time};
      if (any && !is_shared && !ends) done = wait(word, value, scope, most ? &*most : nullptr);
      return done ? *done : sleep_in_kernel(a);
    case FUTEX_WAKE: return is_shared ? wake_shared(word, a) : wake(word, a);
    // Members wait for any bit; without a bit the call is refused.
    case FUTEX_WAKE_BITSET:
      return static_cast<std::uint32_t>(a[5]) == 0 ? kernel(a) : is_shared ? wake_shared(word, a) : wake(word, a);
    case FUTEX_REQUEUE: case FUTEX_CMP_REQUEUE: case FUTEX_WAKE_OP: return move_or_wake(word, a);
    default: return kernel(a);
  }
}

// Of Linux 5.16 and 6.7. The C library does not use them, so the kernel alone knows who waits by them.
std::optional<long> later_futex(long number, const long (&a)[6]) {
  constexpr long wait_for_some = 449, wake_some = 454, wait_for_one = 455, requeue = 456;
  // seq_cst, with the fence of wake(): either the waker knows that somebody may sleep there, or the kernel sees the change of the
  // word.
  if (number == wait_for_some || number == wait_for_one || number == requeue) has_requeued.store(true, std::memory_order_seq_cst);
  if (number != wake_some && number != requeue) return std::nullopt;
  const long others = next_syscall.get()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (others < 0) return others;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in wake()
  if (number == wake_some) {
    const long most = static_cast<int>(a[2]);
    return others + (others < most ? notify(reinterpret_cast<const void*>(a[0]), static_cast<unsigned>(most - others)) : 0);
  }
  const auto* const both = reinterpret_cast<const futex_waitv*>(a[0]);
  return others + notify(reinterpret_cast<const void*>(both[0].uaddr), all_waiters) +
         notify(reinterpret_cast<const void*>(both[1].uaddr), all_waiters);
}

}  // namespace weir::threads
