#include "openmp/core/crew.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <sched.h>

#include <weir/machine/processors.hpp>

#include "openmp/core/affinity.hpp"
#include "openmp/support/annotation.hpp"
#include "openmp/support/freed_memory.hpp"
#include "openmp/settings/set_by_routines.hpp"

namespace weir::openmp {

namespace {
std::atomic<int> alive{0};  // relaxed: the number alone matters

/// Does one word call all, or each a word of its own? The same for each team of the process.
bool fork_is_central() {
  enum answer : char { unknown, no, yes };
  static constinit std::atomic<answer> known{unknown};
  // relaxed: a word that nothing else goes with; all would find the same.
  answer its = known.load(std::memory_order_relaxed);
  if (its == unknown) [[unlikely]]
    known.store(its = half::release(initial_settings().fork_barrier, 1).central() ? yes : no, std::memory_order_relaxed);
  return its == yes;
}

constexpr std::uint32_t quit = 0xffff;  // in place of a team size

constexpr std::uint64_t word_of(std::uint32_t episode, std::uint32_t size) {
  return static_cast<std::uint64_t>(episode) << 16 | size;
}
constexpr std::uint32_t size_in(std::uint64_t word) { return static_cast<std::uint32_t>(word & 0xffff); }
constexpr std::uint32_t episode_in(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 16); }

void say_refused(unsigned wanted, unsigned got, int error) {
  static std::atomic<bool> said{false};
  // relaxed: only one of those who come here at once shall say it.
  if (said.exchange(true, std::memory_order_relaxed)) return;
  std::fprintf(stderr, "weir: the system refused a thread (%s): a team of %u has %u\n", std::strerror(error), wanted, got);
}
}  // namespace

// Where a team takes all processors, each has as many of its members as another. Where it takes a part of them, the system
// knows better which.
void crew::give_homes() {
  if (affinity_matters) return;
  const std::vector<int> all = running_on();
  if (all.size() < 2 || workers_.size() + 1 < all.size()) return;
  const auto mine = static_cast<std::size_t>(std::ranges::lower_bound(all, sched_getcpu()) - all.begin());
  native::live_on(all[mine % all.size()]);
  for (const auto& w : workers_) w->home = all[(mine + w->number) % all.size()];
}

unsigned crew::recruit(unsigned wanted) {
  if (workers_.size() + 1 >= wanted) return wanted;
  keep_freed_memory();
  while (workers_.size() + 1 < wanted) {
    workers_.push_back(std::make_unique<worker>());
    worker& w = *workers_.back();
    w.of = this;
    w.number = static_cast<unsigned>(workers_.size());
    // It begins by waiting for the next region.
    w.recruited = episode_;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (const std::size_t bytes = stack_bytes(); bytes != 0) pthread_attr_setstacksize(&attributes, bytes);
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, begin, &w);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
      workers_.pop_back();
      say_refused(wanted, static_cast<unsigned>(workers_.size()) + 1, error);
      break;
    }
  }
  give_homes();
  // relaxed: it only tells those who wait whether they share processors.
  recruited_.store(static_cast<unsigned>(workers_.size()) + 1, std::memory_order_relaxed);
  return std::min<unsigned>(wanted, static_cast<unsigned>(workers_.size()) + 1);
}

team& crew::of_size(unsigned size) {
  auto& t = teams_[size];
  if (t == nullptr) t = std::make_unique<team>(size);
  return *t;
}

void* crew::begin(void* its_worker) {
  worker& w = *static_cast<worker*>(its_worker);
  alive.fetch_add(1, std::memory_order_relaxed);
  w.of->work(w);
  alive.fetch_sub(1, std::memory_order_relaxed);
  return nullptr;
}

std::uint64_t crew::wait_for_call(call& c, std::uint64_t seen, bool shared) {
  const auto made = [seen](std::uint64_t now) { return now != seen; };
  const bool share = shared || crowded(recruited_.load(std::memory_order_relaxed));
  between_.await(share, c.word, c.heard, made);
  return c.word.load(std::memory_order_acquire);
}

int crew::workers_alive() { return alive.load(std::memory_order_relaxed); }

void crew::work(worker& w) {
  call& c = fork_is_central() ? call_ : w.called;
  int lives_on = -1;
  // Made after the last region that it has no part in.
  std::uint64_t seen = word_of(w.recruited, 0);
  bool shared = false;  // its processor, with others of the team that it was in last
  for (;;) {
    const auto news = [&](std::uint64_t now) { return episode_in(now) != episode_in(seen); };
    // Before the first look there is no word to compare with but its episode.
    std::uint64_t now = c.word.load(std::memory_order_acquire);
    if (!news(now)) now = wait_for_call(c, now, shared);
    seen = now;
    if (w.number >= size_in(now)) continue;
    happens_after(&call_);
    if (size_in(now) == quit) break;
    team& t = *with_;
    if (!fork_is_central()) tell(t, w.number, now);
    member& me = t.members[w.number];
    me.icv = t.inherited;
    if (affinity_matters) take_seat(me);
    if (w.home != lives_on) native::live_on(lives_on = w.home);
    current = &me;
    run_(what_);
    end_tasks(me);
    shared = affinity_matters && crowded(t);
    join(t, w, episode_in(now));
  }
  // The crew's, and its teams, which may go: what the thread still does when it ends it does in no region.
  current = nullptr;
  leave();
}

void crew::tell(const team& t, unsigned member, std::uint64_t word) {
  for (const unsigned child : t.forking.of(member)) workers_[child - 1]->called.make(word);
}

void crew::wait_for(const seat& other, const team& t, seat& mine, std::uint32_t episode) {
  joining_.await(crowded(t), other.joined, mine.joining, [episode](std::uint32_t now) { return now == episode; });
  happens_after(&other.joined);
}

void crew::wait_for_children(const team& t, unsigned member, std::uint32_t episode) {
  for (const unsigned child : t.joining.of(member)) wait_for(seat_of(child), t, seat_of(member), episode);
}

void crew::join(const team& t, worker& w, std::uint32_t episode) {
  if (t.joining.central()) {
    happens_before(&first_.joined);
    // acq_rel: what the region did, for who opened it; the last one passes on what the others did.
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 2 != t.size) return;
    // relaxed: nobody counts in the next region before the store below lets it begin.
    arrived_.store(0, std::memory_order_relaxed);
    first_.joined.store(episode, std::memory_order_release);
    first_.joining.open();
    return;
  }
  wait_for_children(t, w.number, episode);
  // Found before: once it has joined, the crew may grow.
  seat& parent = seat_of(t.joining.of(w.number).parent);
  happens_before(&w.joins.joined);
  // release: what the region did, its own and its children's, for who opened it.
  w.joins.joined.store(episode, std::memory_order_release);
  parent.joining.open();
}

void crew::leave() {
  // Asked before: who has left must not look, the last one may have deleted it.
  const std::size_t all = workers_.size() + 1;
  // acq_rel: the last one deletes it after all others have used it.
  if (left_.fetch_add(1, std::memory_order_acq_rel) + 1 == all) delete this;
}

void crew::execute(team& t, region run, void* what) {
  open(t, run, what);
  run(what);
  close(t);
}

void crew::open(team& t, region run, void* what) {
  run_ = run;
  what_ = what;
  with_ = &t;
  happens_before(&call_);
  const std::uint64_t word = word_of(++episode_, t.size);
  if (fork_is_central())
    call_.make(word);
  else
    tell(t, 0, word);
  current = &t.members[0];
}

void crew::close(team& t) {
  end_tasks(t.members[0]);
  current = t.parent;
  if (t.joining.central())
    wait_for(first_, t, first_, episode_);  // which the last one writes for all
  else
    wait_for_children(t, 0, episode_);
}

void crew::dismiss() {
  happens_before(&call_);
  const std::uint64_t end = word_of(episode_ + 1, quit);
  if (fork_is_central())
    call_.make(end);
  else
    for (const auto& w : workers_) w->called.make(end);
  leave();
}

}  // namespace weir::openmp
