#include "crew.hpp"

#include <cstdio>
#include <cstring>
#include <pthread.h>

namespace weir::openmp {

namespace {
constexpr std::uint32_t quit = 0xffff;  // in place of a team size

bool crowded(unsigned size) { return size > usable_here(); }

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

unsigned crew::recruit(unsigned wanted) {
  if (workers_.size() + 1 >= wanted) return wanted;
  while (workers_.size() + 1 < wanted) {
    workers_.push_back(std::make_unique<worker>());
    worker& w = *workers_.back();
    w.of = this;
    w.number = static_cast<unsigned>(workers_.size());
    // It begins by waiting for the next region.
    w.joined.store(episode_, std::memory_order_relaxed);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (const std::size_t bytes = initial_settings().stack_bytes; bytes != 0) pthread_attr_setstacksize(&attributes, bytes);
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, begin, &w);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
      workers_.pop_back();
      say_refused(wanted, static_cast<unsigned>(workers_.size()) + 1, error);
      break;
    }
  }
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
  w.of->work(w);
  return nullptr;
}

std::uint64_t crew::wait_for_call(std::uint64_t seen) {
  const auto called = [seen](std::uint64_t now) { return now != seen; };
  const bool share = crowded(recruited_.load(std::memory_order_relaxed));
  if (!between_.poll(share, call_.word, called)) between_.sleep(share, call_.word, call_.forked, called);
  return call_.word.load(std::memory_order_acquire);
}

void crew::work(worker& w) {
  // Made after the last region that it has no part in.
  std::uint64_t seen = word_of(w.joined.load(std::memory_order_relaxed), 0);
  for (;;) {
    const auto news = [&](std::uint64_t now) { return episode_in(now) != episode_in(seen); };
    // Before the first look there is no word to compare with but its episode.
    std::uint64_t now = call_.word.load(std::memory_order_acquire);
    if (!news(now)) now = wait_for_call(now);
    seen = now;
    if (size_in(now) == quit) break;
    if (w.number >= size_in(now)) continue;
    team& t = *call_.with;
    member& me = t.members[w.number];
    me.icv = t.inherited;
    current = &me;
    call_.run(call_.what);
    end_tasks(me);
    // release: what the region did, for who opened it.
    w.joined.store(episode_in(now), std::memory_order_release);
    joined_.open();
  }
  // The crew's, and its teams, which may go: what the thread still does when it ends it does in no region.
  current = nullptr;
  leave();
}

void crew::leave() {
  // Asked before: who has left must not look, the last one may have deleted it.
  const std::size_t all = workers_.size() + 1;
  // acq_rel: the last one deletes it after all others have used it.
  if (left_.fetch_add(1, std::memory_order_acq_rel) + 1 == all) delete this;
}

void crew::execute(team& t, region run, void* what) {
  call_.run = run;
  call_.what = what;
  call_.with = &t;
  const std::uint32_t episode = ++episode_;
  // release: the region, and all that the program did before it.
  call_.word.store(word_of(episode, t.size), std::memory_order_release);
  call_.forked.open();
  member* const outer = current;
  current = &t.members[0];
  run(what);
  end_tasks(t.members[0]);
  current = outer;
  const bool share = crowded(t.size);
  const auto done = [episode](std::uint32_t now) { return now == episode; };
  for (unsigned n = 1; n < t.size; ++n) {
    const auto& joined = workers_[n - 1]->joined;
    if (!joining_.poll(share, joined, done)) joining_.sleep(share, joined, joined_, done);
  }
}

void crew::dismiss() {
  call_.word.store(word_of(episode_ + 1, quit), std::memory_order_release);
  call_.forked.open();
  leave();
}

}  // namespace weir::openmp
