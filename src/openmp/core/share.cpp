#include "openmp/core/share.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <vector>

#include <pthread.h>
#include <signal.h>

#include <weir/machine/native.hpp>
#include <weir/machine/processors.hpp>

#include "machine/detached_thread.hpp"
#include "openmp/core/fork_join.hpp"
#include "openmp/core/quota_use.hpp"
#include "openmp/core/seats.hpp"

namespace weir::openmp {

constinit std::atomic<unsigned> processors_of_each_host{1};

class share_watch {
 public:
  share_watch() { make_condition(); }
  void add(host& h);
  void remove(host& h);

  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  void begin_in_child();

 private:
  // A host that has begun no region for three looks no longer counts. A timer interrupt and the switches take 30 us here, which
  // is 0.3 % of one processor at this rate. With only one host, whose share does not depend on others, looks take a tenth of
  // that.
  static constexpr unsigned quiet_after = 3;
  static constexpr long between_looks_ns = 10'000'000, with_one_host_ns = 100'000'000;

  static void* run(void* its);
  /// Is there anything to look at?
  bool needed() const { return hosts_.size() > (may_have_seats() ? 0 : 1); }
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
}  // namespace

void share_watch::divide(std::size_t active) {
  const auto hosts = static_cast<unsigned>(std::max<std::size_t>(active, 1));
  processors_of_each_host.store(std::max(processors_ / hosts, 1u), std::memory_order_relaxed);
}

void share_watch::add(host& h) {
  lock();
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
  native::crowded(false);
  make_condition();
  unlock();
}

void share_watch::look() {
  // The mask of the watch's own thread: the program may bind its threads, but an administrator binds all of them.
  if (const auto mask = static_cast<unsigned>(running_on().size()); mask != 0) {
    const auto limit = quota();
    processors_ = limit ? quota_use_.processors(mask, limit->processors, seconds_by(CLOCK_MONOTONIC),
                                                seconds_by(CLOCK_PROCESS_CPUTIME_ID))
                        : mask;
  }
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
  divide(active);
  // Members on virtual processors need not know.
  if (!may_have_seats()) native::crowded(active > 1 && members > processors_);
}

// A process ends with its last thread, so the watch ends with the last host, or before.
void* share_watch::run(void* its) {
  auto& w = *static_cast<share_watch*>(its);
  w.lock();
  while (w.needed()) {
    timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += w.hosts_.size() > 1 ? between_looks_ns : with_one_host_ns;
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    if (pthread_cond_timedwait(&w.changed_, &w.mutex_, &until) == ETIMEDOUT) w.look();
  }
  w.running_ = false;
  native::crowded(false);
  w.unlock();
  return nullptr;
}

host::host(const std::atomic<std::uint64_t>& released) : released_(released) { watch->add(*this); }
host::~host() { watch->remove(*this); }

}  // namespace weir::openmp
