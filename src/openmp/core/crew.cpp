#include "openmp/core/crew.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <sched.h>

#include <weir/machine/processors.hpp>

#include "openmp/core/team_binding.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/settings/set_by_routines.hpp"
#include "openmp/support/annotation.hpp"
#include "openmp/support/freed_memory.hpp"

namespace weir::openmp {

namespace {
std::atomic<int> alive{0};  // relaxed: the number alone matters

/// Does one flag release all workers, or has each a flag of its own? The same for all teams of the process.
bool one_release_flag() {
  enum answer : char { unknown, no, yes };
  static constinit std::atomic<answer> known{unknown};
  // relaxed: a word with which no other data goes; all threads would find the same.
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

void report_refused(unsigned wanted, unsigned got, int error) {
  static std::atomic<bool> reported{false};
  // relaxed: only one of the threads that get here at the same time is to report it.
  if (reported.exchange(true, std::memory_order_relaxed)) return;
  std::fprintf(stderr, "weir: the system refused a thread (%s): a team of %u threads was asked for, and gets %u\n",
               std::strerror(error), wanted, got);
}

/// Executes tasks meanwhile, in the name of `me`. Members that are in step do not look for any.
template <class Word, class Ready>
void await_with_tasks(waiting::experience<native>& learned, bool oversubscribed, const Word& word, gate& at, Ready ready,
                      member* me) {
  if (!oversubscribed && native::spin(word, ready, waiting::automatic_constants::polls_before_clock)) return;
  task_work tasks(me);
  learned.await(oversubscribed, word, at, ready, tasks);
}

}  // namespace

// A team that takes all processors has equally many members on each. If it takes a part of them, the system knows better which.
void crew::assign_processors() {
  if (affinity_matters()) return;
  const std::vector<int> all = running_on();
  if (all.size() < 2 || workers_.size() + 1 < all.size()) return;
  const auto mine = static_cast<std::size_t>(std::ranges::lower_bound(all, sched_getcpu()) - all.begin());
  native::live_on(all[mine % all.size()]);
  for (const auto& w : workers_) w->processor = all[(mine + w->number) % all.size()];
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
    w.since_episode = episode_;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (const std::size_t bytes = stack_bytes(); bytes != 0) pthread_attr_setstacksize(&attributes, bytes);
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, begin, &w);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
      workers_.pop_back();
      report_refused(wanted, static_cast<unsigned>(workers_.size()) + 1, error);
      break;
    }
  }
  assign_processors();
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

int crew::workers_alive() { return alive.load(std::memory_order_relaxed); }

// ---- a worker's side

// The invariant of a worker. Its release flag holds (episode, size); `seen` is the last value that it has acted on.
//
// - A new episode whose team includes it (number < size) lets it read run_, what_, team_ and that team's workers, from the load
//   that shows the episode until its arrive(). The primary thread writes none of them in that time: it sets a flag only after
//   they are written, and writes them again only after its join() has seen the arrivals of all members.
// - A new episode whose team does not include it lets it read nothing: no thread waits for its arrival, so the primary thread
//   may be writing the next region already. That is why the size is in the same word as the episode.
// - It may miss episodes whose teams do not include it, never one whose team does: that one's join() waits for it.
//
// Between its arrival and its next episode it may execute tasks of the team that it has arrived in: the member that has generated
// them has not arrived. It may look for tasks later, too: teams are kept as long as the crew.
//
// It answers each episode that includes it by exactly one arrival, and the word `quit`, which includes all workers, by leave().
void crew::work(worker& w) {
  release_flag& flag = one_release_flag() ? release_ : w.release;
  int lives_on = -1;
  // As if the last region before it was recruited had been one without it.
  std::uint64_t seen = word_of(w.since_episode, 0);
  member* last = nullptr;  // that it was in the team that it was in last
  for (;;) {
    const auto is_new = [&](std::uint64_t now) { return episode_in(now) != episode_in(seen); };
    // acquire: the region, and all that the program did before it. Of the first word only the episode can be compared: the size
    // is not known.
    std::uint64_t now = flag.word.load(std::memory_order_acquire);
    if (!is_new(now)) now = await_release(flag, now, last);
    seen = now;
    if (w.number >= size_in(now)) continue;
    happens_after(&release_);
    if (size_in(now) == quit) break;
    team& t = *team_;
    if (!one_release_flag()) release_children(t, w.number, now);
    member& me = t.members[w.number];
    me.icv = t.inherited;
    if (affinity_matters()) bind_member(me);
    if (w.processor != lives_on) native::live_on(lives_on = w.processor);
    current = &me;
    run_(what_);
    complete_tasks(me);
    last = &me;
    arrive(w, me, episode_in(now));
  }
  // The member is its team's, which is the crew's, which may be deleted: what the thread still does as it ends, it does in no
  // region.
  current = nullptr;
  leave();
}

// Who shares its processor with other members follows from its last team, not from the crew: workers that smaller teams do not need
// are asleep. A worker that has been in none lets others go first.
std::uint64_t crew::await_release(release_flag& flag, std::uint64_t seen, member* last) {
  const auto is_set = [seen](std::uint64_t now) { return now != seen; };
  const bool shares_processor = last == nullptr || oversubscribed(*last->of);
  await_with_tasks(between_regions_, shares_processor, flag.word, flag.waiters, is_set, last);
  // acquire: as in work().
  return flag.word.load(std::memory_order_acquire);
}

void crew::arrive(worker& w, member& me, std::uint32_t episode) {
  const team& t = *me.of;
  if (t.arrival.central()) {
    happens_before(&primary_.episode);
    // acq_rel: what the region did, for the primary thread; the last member passes on what the others did.
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 2 != t.size) return;
    // relaxed: nobody counts in the next region before the store below lets it begin.
    arrived_.store(0, std::memory_order_relaxed);
    primary_.episode.store(episode, std::memory_order_release);
    primary_.for_children.open();
    return;
  }
  await_children(me, episode);
  // Looked up before the store: once this member has arrived, the crew may grow.
  arrival_flag& parent = arrival_of(t.arrival.of(w.number).parent);
  happens_before(&w.arrival.episode);
  // release: what the region did, in this member and its children, for the primary thread.
  w.arrival.episode.store(episode, std::memory_order_release);
  parent.for_children.open();
}

void crew::leave() {
  // Read before: the last thread to leave deletes the crew, perhaps as soon as this one has left.
  const std::size_t all = workers_.size() + 1;
  // acq_rel: the last one deletes it after all others have used it.
  if (left_.fetch_add(1, std::memory_order_acq_rel) + 1 == all) delete this;
}

// ---- both sides: the release and the arrival go along a tree

void crew::release_children(const team& t, unsigned member, std::uint64_t word) {
  for (const unsigned child : t.release.of(member)) workers_[child - 1]->release.set(word);
}

void crew::await(const arrival_flag& other, member& me, std::uint32_t episode) {
  gate& mine = arrival_of(me.number).for_children;
  const auto is_reached = [episode](std::uint32_t now) { return now == episode; };
  await_with_tasks(at_joins_, oversubscribed(*me.of), other.episode, mine, is_reached, &me);
  happens_after(&other.episode);
}

void crew::await_children(member& me, std::uint32_t episode) {
  for (const unsigned child : me.of->arrival.of(me.number)) await(arrival_of(child), me, episode);
}

// ---- the primary thread's side

void crew::execute(team& t, region run, void* what) {
  fork(t, run, what);
  run(what);
  join(t);
}

void crew::fork(team& t, region run, void* what) {
  run_ = run;
  what_ = what;
  team_ = &t;
  happens_before(&release_);
  const std::uint64_t word = word_of(++episode_, t.size);
  if (one_release_flag())
    release_.set(word);
  else
    release_children(t, 0, word);
  current = &t.members[0];
}

void crew::join(team& t) {
  complete_tasks(t.members[0]);
  current = t.parent;
  if (t.arrival.central())
    await(primary_, t.members[0], episode_);  // which the last member to arrive sets
  else
    await_children(t.members[0], episode_);
}

void crew::dismiss() {
  happens_before(&release_);
  const std::uint64_t end = word_of(episode_ + 1, quit);
  if (one_release_flag())
    release_.set(end);
  else
    for (const auto& w : workers_) w->release.set(end);
  leave();
}

}  // namespace weir::openmp
