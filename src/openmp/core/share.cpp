#include "openmp/core/share.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <signal.h>

#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>

#include "machine/detached_thread.hpp"
#include "openmp/core/fork_join.hpp"
#include "openmp/core/on_node.hpp"
#include "openmp/core/quota_use.hpp"
#include "openmp/core/seats.hpp"
#include "openmp/support/stop.hpp"

namespace weir::openmp {

constinit std::atomic<unsigned> processors_of_each_host{1};
constinit std::atomic<bool> watch_awaits_region{false};

class share_watch {
 public:
  share_watch() { make_condition(); }
  void add(host& h);
  void remove(host& h);

  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  void begin_in_child();
  void region_begins();
  void process_ends();

 private:
  // A host that has begun no region for three looks no longer counts. A timer interrupt and the switches take 30 us here, which
  // is 0.3 % of one processor at this rate. With only one host, whose share does not depend on others, looks take a tenth of
  // that.
  static constexpr unsigned quiet_after = 3;
  static constexpr long between_looks_ns = 10'000'000, with_one_host_ns = 100'000'000;

  static void* run(void* its);
  /// Is there anything to look at?
  bool needed() const { return hosts_.size() > (may_have_seats() || shares_node() ? 0 : 1); }
  long until_next_look() const;
  void look();
  void divide(std::size_t active);

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
  std::vector<host*> hosts_;
  unsigned processors_ = 0;  // of the process, now; 0: not known yet
  quota_use quota_use_;
  bool running_ = false;
  on_node on_node_;
  bool checked_node_ = false;
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

[[gnu::constructor]] void when_loaded() {
  watch = new share_watch;
  pthread_atfork([] { watch->lock(); }, [] { watch->unlock(); }, [] { watch->begin_in_child(); });
}
[[gnu::destructor]] void when_the_process_ends() { watch->process_ends(); }
}  // namespace

void wake_watch() { watch->region_begins(); }

void share_watch::region_begins() {
  lock();
  region_has_begun_ = true;
  watch_awaits_region.store(false, std::memory_order_relaxed);
  const std::string complaint = std::exchange(complaint_, {});
  pthread_cond_signal(&changed_);
  unlock();
  if (!complaint.empty()) warn("WEIR_SHARE=node: the processors are not shared any more: %s", complaint.c_str());
}

// Not waiting long for the lock, because a handler of a signal may end the process.
void share_watch::process_ends() {
  if (!shares_node()) return;
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  ++until.tv_sec;
  if (pthread_mutex_timedlock(&mutex_, &until) != 0) return;
  on_node_.leave();
  unlock();
}

void share_watch::divide(std::size_t active) {
  const auto hosts = static_cast<unsigned>(std::max<std::size_t>(active, 1));
  processors_of_each_host.store(std::max(processors_ / hosts, 1u), std::memory_order_relaxed);
}

void share_watch::add(host& h) {
  lock();
  // Not when the library is loaded: many processes that load it begin no region.
  if (shares_node() && !std::exchange(checked_node_, true)) on_node::check();
  hosts_.push_back(&h);
  if (processors_ == 0) processors_ = std::max(static_cast<unsigned>(running_on().size()), 1u);
  divide(hosts_.size());
  // Signals that the process gets are for the program's threads.
  sigset_t all;
  sigfillset(&all);
  if (!running_ && needed()) running_ = start_detached(run, this, 0, &all) == 0;
  if (hosts_.size() == 2) pthread_cond_signal(&changed_);
  unlock();
}

void share_watch::remove(host& h) {
  lock();
  std::erase(hosts_, &h);
  divide(hosts_.size());
  if (!needed()) pthread_cond_signal(&changed_);
  unlock();
}

// The child has one thread, and no hosts except those that it will create.
void share_watch::begin_in_child() {
  hosts_.clear();
  running_ = false;
  on_node_.begin_in_child();
  native::crowded(false);
  make_condition();
  unlock();
}

void share_watch::look() {
  std::size_t active = 0, members = 0;
  for (host* const h : hosts_) {
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
  // The mask of the watch's own thread: the program may bind its threads, but an administrator binds all of them.
  const std::vector<int> allowed = running_on();
  if (const auto mask = static_cast<unsigned>(allowed.size()); mask != 0) {
    const auto limit = quota();
    processors_ = limit ? quota_use_.processors(mask, limit->processors, seconds_by(CLOCK_MONOTONIC),
                                                seconds_by(CLOCK_PROCESS_CPUTIME_ID))
                        : mask;
    // Regions of kernel threads are not counted.
    processors_ = on_node_.look(allowed, processors_, members, active != 0 || !may_have_seats());
  }
  divide(active);
  if (shares_node()) {
    idle_looks_ = active == 0 ? idle_looks_ + 1 : 0;
    if (complaint_.empty()) complaint_ = on_node_.take_complaint();
    watch_awaits_region.store(active == 0 || !complaint_.empty(), std::memory_order_relaxed);
  }
  // Members on virtual processors need not know.
  if (!may_have_seats()) native::crowded((active > 1 || shares_node()) && members > processors_);
}

// A region may begin while a look finds none. The next look comes soon, too.
long share_watch::until_next_look() const {
  if (shares_node() && (idle_looks_ < 2 || !may_have_seats())) return on_node_.until_next_look();
  return hosts_.size() > 1 ? between_looks_ns : with_one_host_ns;
}

// A process ends with its last thread, so the watch ends with the last host, or before.
void* share_watch::run(void* its) {
  auto& w = *static_cast<share_watch*>(its);
  w.lock();
  w.on_node_.begin();
  if (shares_node()) w.look();
  while (w.needed()) {
    timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += w.until_next_look();
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    if (pthread_cond_timedwait(&w.changed_, &w.mutex_, &until) == ETIMEDOUT || std::exchange(w.region_has_begun_, false)) w.look();
  }
  w.on_node_.end();
  w.running_ = false;
  native::crowded(false);
  w.unlock();
  return nullptr;
}

host::host(const std::atomic<std::uint64_t>& released) : released_(released) { watch->add(*this); }
host::~host() { watch->remove(*this); }

}  // namespace weir::openmp
