#include "openmp/placing/share.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <linux/futex.h>
#include <pthread.h>

#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>
#include <weir/machine/topology.hpp>

#include "openmp/placing/careful_start.hpp"
#include "openmp/placing/on_node.hpp"
#include "openmp/placing/quota_use.hpp"
#include "openmp/placing/seats.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/support/stop.hpp"
#include "openmp/teams/release_word.hpp"
#include "openmp/watching/explanation.hpp"
#include "system/cancel_type.hpp"
#include "system/clocks.hpp"
#include "system/detached_thread.hpp"
#include "system/errno_kept.hpp"
#include "system/fork_page.hpp"
#include "system/raw_call.hpp"
#include "system/running_now.hpp"
#include "threads/threads.hpp"

namespace weir::openmp {

constinit std::atomic<unsigned> processors_of_each_host{1};
constinit std::atomic<bool> watch_awaits_region{false};

class share_watch {
 public:
  share_watch() { make_condition(); }
  void add(primary_thread& h);
  void remove(primary_thread& h);
  void add_threads();

  void lock();
  void unlock() { pthread_mutex_unlock(&mutex_); }
  void begin_in_child();
  void region_begins();
  void process_ends();
  void program_starts(bool begins);

 private:
  // A thread that has begun no region for three looks no longer counts. A timer interrupt and the switches take 30 us here, which
  // is 0.3 % of one processor at this rate. With only one such thread, whose share does not depend on others, looks take a tenth
  // of that.
  static constexpr unsigned quiet_after = 3;
  static constexpr long between_looks_ns = 10'000'000, with_one_host_ns = 100'000'000;
  // After `looks_until_rest` looks that have seen no region the process rests, and the next region wakes the watch. If the region
  // fails to, the next look finds it: in the first minute after a second.
  static constexpr unsigned looks_until_rest = 10, looks_in_first_minute = 60;
  static constexpr long at_rest_ns = 1'000'000'000, later_ns = 60 * at_rest_ns;

  static void* run(void* argument);
  bool lock_soon();
  /// Is there anything to look at? A process ends with its last thread, so threads that are not OpenMP's are looked at as long as
  /// the first one is there.
  bool needed() const {
    return primary_threads_.size() > (may_have_seats() || shares_node() ? 0 : 1) ||
           (has_threads_ && on_node_.first_thread_is_there());
  }
  void start_if_needed();
  long until_next_look() const;
  void look();
  void look_if_possible();
  void divide(std::size_t active);
  /// The first region of the process, or the first since the watch has ended.
  void find_processors();

  /// Uses the monotonic clock, which nobody sets.
  void make_condition() {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&changed_, &monotonic);
    pthread_condattr_destroy(&monotonic);
  }

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_;
  std::vector<primary_thread*> primary_threads_;
  unsigned processors_ = 0;  // of the process, now; 0: not known yet
  bool waits_ = false;  // others have their turn
  quota_use quota_use_;
  careful_start start_;
  bool running_ = false;
  on_node on_node_;
  bool checked_node_ = false;
  bool has_threads_ = false;  // that the program has created itself
  unsigned looks_at_rest_ = 0;  // that have seen no region, where the node is not shared
  unsigned idle_looks_ = 0;  // since the last one that saw a region
  bool region_has_begun_ = false;
  std::string complaint_;
};

namespace {
double seconds_by(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Created when the library is loaded, and never destroyed: threads may end after the program's objects.
constinit share_watch* watch = nullptr;
// Somebody has taken the watch's lock, or is about to. A process that never does so forks without it: the parent and the child
// would each pay for copies of the pages. relaxed: a thread that does so first during a fork is not in the child, where all
// begins anew.
constinit std::atomic<bool> is_used{false};
constinit thread_local bool is_held_to_fork = false;

constinit std::atomic<unsigned> waiting_for_turn{0};

constexpr threads::told_of_starts of_starts = {[] { watch->program_starts(true); }, [] { watch->program_starts(false); }};

void tell_of_threads_to_come() {
  threads::tell_of_first_thread.store([] { watch->add_threads(); }, std::memory_order_relaxed);
}

void before_fork() {
  if ((is_held_to_fork = is_used.load(std::memory_order_relaxed))) watch->lock();
}
void in_parent() {
  if (is_held_to_fork) watch->unlock();
}
void begin_again() {
  if (is_held_to_fork)
    watch->begin_in_child();
  else
    new (watch) share_watch;
}
WEIR_RUN_BY_FORKS void begin_in_child() {
  if (is_used.load(std::memory_order_relaxed)) begin_again();
}

[[gnu::constructor]] void when_loaded() {
  watch = new share_watch;
  pthread_atfork(before_fork, in_parent, begin_in_child);
  if (!shares_node()) return;
  on_node::read_environment();
  threads::tell_of_starts.store(&of_starts, std::memory_order_relaxed);
  tell_of_threads_to_come();
  if (on_node::is_rank()) watch->add_threads();
}
[[gnu::destructor]] void when_the_process_ends() { watch->process_ends(); }
}  // namespace

void share_watch::lock() {
  is_used.store(true, std::memory_order_relaxed);
  pthread_mutex_lock(&mutex_);
}

void wake_watch() { watch->region_begins(); }

void share_watch::region_begins() {
  const without_cancellation to_the_end;  // a warning is written
  lock();
  region_has_begun_ = true;
  watch_awaits_region.store(false, std::memory_order_relaxed);
  const std::string complaint = std::exchange(complaint_, {});
  pthread_cond_signal(&changed_);
  unlock();
  if (!complaint.empty()) warn("WEIR_SHARE=node: %s", complaint.c_str());
}

// Not waiting long, because a handler of a signal may end the process, or execute a program. Nor by the lock: a member would
// switch to another one, which must not go on in the child of a vfork().
bool share_watch::lock_soon() {
  constexpr int tries = 10'000;
  timespec pause{0, 100'000};
  is_used.store(true, std::memory_order_relaxed);
  for (int i = 0; i < tries; ++i) {
    if (pthread_mutex_trylock(&mutex_) == 0) return true;
    raw_call(SYS_nanosleep, as_argument(&pause), 0);
  }
  return false;
}

void share_watch::process_ends() {
  const without_cancellation to_the_end;
  if (!shares_node() || !lock_soon()) return;
  on_node_.leave();
  on_node::tell_of_end();
  unlock();
}

void share_watch::program_starts(bool begins) {
  const errno_kept around;
  if (!lock_soon()) return;
  begins ? on_node_.begin_start() : on_node_.end_start();
  unlock();
}

void share_watch::divide(std::size_t active) {
  const auto hosts = static_cast<unsigned>(std::max<std::size_t>(active, 1));
  const unsigned share = std::max(processors_ / hosts, 1u) | (waits_ ? others_turn : 0);
  const unsigned before = processors_of_each_host.exchange(share, std::memory_order_relaxed);
  if ((before & ~share & others_turn) == 0) return;
  raw_call(SYS_futex, as_argument(&processors_of_each_host), FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max());
}

// Longer than the watch lets anybody wait, in case that it has ended.
void wait_for_turn() {
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += 2;
  // relaxed: a hint for the watch. Where two change places here, the monitor may look in vain for a moment.
  if (waiting_for_turn.fetch_add(1, std::memory_order_relaxed) == 0) threads::wait_for_turns(true);
  for (unsigned word; ((word = share_word()) & others_turn) != 0;)
    if (raw_call(SYS_futex, as_argument(&processors_of_each_host), FUTEX_WAIT_BITSET_PRIVATE, static_cast<long>(word),
                 as_argument(&until), 0, static_cast<long>(FUTEX_BITSET_MATCH_ANY)) == -ETIMEDOUT)
      break;
  if (waiting_for_turn.fetch_sub(1, std::memory_order_relaxed) == 1) threads::wait_for_turns(false);
}

// Not when the library is loaded: many processes that load it begin no region, and create no thread.
void share_watch::start_if_needed() {
  if (shares_node() && !std::exchange(checked_node_, true)) on_node::check();
  if (!running_ && needed()) running_ = start_service(run, this);
}

void share_watch::add_threads() {
  const without_cancellation to_the_end;  // files are opened
  lock();
  has_threads_ = true;
  start_if_needed();
  unlock();
}

void share_watch::add(primary_thread& h) {
  lock();
  primary_threads_.push_back(&h);
  if (processors_ == 0) find_processors();
  divide(primary_threads_.size());
  start_if_needed();
  if (primary_threads_.size() == 2) pthread_cond_signal(&changed_);
  unlock();
}

// A thread that runs at one of the looks only does not count.
void share_watch::find_processors() {
  processors_ = std::max(static_cast<unsigned>(running_on().size()), 1u);
  if (processors_ == 1 || !may_have_seats() || all_have_seats || !initial_settings().adapt) return;
  constexpr unsigned looks = 3;
  unsigned others = ~0u;
  for (unsigned look = 0; look < looks && others != 0; ++look) others = std::min(others, others_running().value_or(0));
  if (others == 0) return;
  const unsigned online = std::max(static_cast<unsigned>(processors_online("").size()), processors_);
  start_.begin(online, others, now_by(CLOCK_MONOTONIC));
  if (start_.processors(processors_) == processors_) return;
  note_begun_on(processors_ = start_.processors(processors_));
}

void share_watch::remove(primary_thread& h) {
  lock();
  std::erase(primary_threads_, &h);
  divide(primary_threads_.size());
  if (!needed()) pthread_cond_signal(&changed_);
  unlock();
}

// The child has one thread, and no primary threads except those that it will create.
void share_watch::begin_in_child() {
  primary_threads_.clear();
  running_ = has_threads_ = waits_ = false;
  waiting_for_turn.store(0, std::memory_order_relaxed);
  threads::wait_for_turns(false);
  divide(1);
  if (shares_node()) tell_of_threads_to_come();
  if (shares_node()) on_node_.begin_in_child();
  native::crowded(false);
  make_condition();
  unlock();
}

void share_watch::look() {
  std::size_t active = 0, members = 0;
  bool is_busy = false;
  for (primary_thread* const h : primary_threads_) {
    const std::uint32_t now = h->regions_.load(std::memory_order_relaxed);
    const std::uint64_t released = h->released_.load(std::memory_order_relaxed);
    const bool quiet = now == h->seen_ && now % 2 == 0 && released == h->released_seen_;
    h->seen_ = now;
    h->released_seen_ = released;
    h->quiet_looks_ = quiet ? std::min(h->quiet_looks_ + 1, quiet_after) : 0;
    if (h->quiet_looks_ == quiet_after) continue;
    ++active;
    members += release_word::size_in(released);
  }
  if (waiting_for_turn.load(std::memory_order_relaxed) != 0) active = std::max<std::size_t>(active, 1);
  // The mask of the watch's own thread: the program may bind its threads, but an administrator binds all of them.
  const std::vector<int> allowed = running_on();
  if (const auto mask = static_cast<unsigned>(allowed.size()); mask != 0) {
    const auto limit = quota();
    const unsigned usable = limit ? quota_use_.processors(mask, limit->processors, seconds_by(CLOCK_MONOTONIC),
                                                          seconds_by(CLOCK_PROCESS_CPUTIME_ID))
                                  : mask;
    const auto granted = on_node_.look(allowed, usable, members, active != 0);
    if (!start_.is_over()) start_.look(others_running().value_or(0), now_by(CLOCK_MONOTONIC));
    processors_ = start_.processors(granted.processors);
    is_busy = granted.is_busy;
    waits_ = granted.waits;
  }
  divide(active);
  if (shares_node()) {
    idle_looks_ = is_busy ? 0 : idle_looks_ + 1;
    if (complaint_.empty()) complaint_ = on_node_.take_complaint();
    watch_awaits_region.store(active == 0 || !complaint_.empty(), std::memory_order_relaxed);
  } else {
    looks_at_rest_ = active == 0 && may_have_seats() ? looks_at_rest_ + 1 : 0;  // others do not wake it
    watch_awaits_region.store(looks_at_rest_ >= looks_until_rest, std::memory_order_relaxed);
  }
  // Members on virtual processors need not know.
  if (!may_have_seats()) native::crowded((active > 1 || shares_node()) && members > processors_);
}

// Where there is no memory, the processors stay as they are until the next look.
void share_watch::look_if_possible() try {
  look();
} catch (const std::bad_alloc&) {
}

// A region may begin while a look finds none. The next look comes soon, too.
long share_watch::until_next_look() const {
  if (shares_node() && (idle_looks_ < 2 || has_threads_ || !may_have_seats())) return on_node_.until_next_look();
  if (!start_.is_over()) return static_cast<long>(start_.until_next_look());
  if (looks_at_rest_ >= looks_until_rest)
    return looks_at_rest_ - looks_until_rest < looks_in_first_minute ? at_rest_ns : later_ns;
  return primary_threads_.size() > 1 ? between_looks_ns : with_one_host_ns;
}

// A process ends with its last thread, so the watch ends with the last primary thread, or before.
void* share_watch::run(void* argument) {
  auto& w = *static_cast<share_watch*>(argument);
  threads::keep_in_kernel();
  w.lock();
  w.on_node_.begin();
  if (shares_node()) w.look_if_possible();
  while (w.needed()) {
    timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += w.until_next_look();
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    if (pthread_cond_timedwait(&w.changed_, &w.mutex_, &until) == ETIMEDOUT || std::exchange(w.region_has_begun_, false))
      w.look_if_possible();
  }
  w.on_node_.end();
  w.waits_ = false;
  if (!w.start_.is_over()) w.start_ = {}, w.processors_ = 0;
  w.divide(w.primary_threads_.size());
  if (shares_node()) threads::let_members_have(0);
  w.running_ = false;
  native::crowded(false);
  w.unlock();
  return nullptr;
}

primary_thread::primary_thread(const std::atomic<std::uint64_t>& released) : released_(released) { watch->add(*this); }
primary_thread::~primary_thread() { watch->remove(*this); }

}  // namespace weir::openmp
