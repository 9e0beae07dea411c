#include "openmp/forking/crew.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <sched.h>

#include <weir/machine/processors.hpp>
#include <weir/machine/topology.hpp>

#include "machine/time_slice.hpp"
#include "openmp/placing/on_node.hpp"
#include "openmp/placing/seats.hpp"
#include "openmp/placing/team_binding.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/settings/set_by_routines.hpp"
#include "openmp/support/annotation.hpp"
#include "openmp/support/freed_memory.hpp"
#include "openmp/tasks/at_barriers.hpp"
#include "system/cancel_type.hpp"
#include "system/detached_thread.hpp"

namespace weir::openmp {

namespace {

/// Nothing is to be destroyed here, so a worker that may be cancelled anywhere may be cancelled after its last instruction, too.
[[gnu::noinline]] void run_in_worker(region run, void* what) {
  run(what);
  defer_cancellation_for_good();
}
std::atomic<int> alive{0};  // relaxed: the number alone matters

/// How the release reaches the workers: by default along the tree of lines, otherwise as the barrier that the user has chosen
/// does it. The same for all teams of the process.
enum class release_by : char { unknown, tree, one_line, own_flags };
release_by how_released() {
  static constinit std::atomic<release_by> known{release_by::unknown};
  // relaxed: a word with which no other data goes; all threads would find the same.
  release_by chosen = known.load(std::memory_order_relaxed);
  if (chosen == release_by::unknown) [[unlikely]] {
    const std::string& name = initial_settings().fork_barrier;
    chosen = name == "auto" ? release_by::tree : half::release(name, 1).central() ? release_by::one_line : release_by::own_flags;
    known.store(chosen, std::memory_order_relaxed);
  }
  return chosen;
}

/// A barrier that the user has named stays, and so do the barriers of regions that can be cancelled.
unsigned barriers_to_try(unsigned size, unsigned processors) {
  const settings& s = initial_settings();
  const bool is_free = s.barrier == "auto" && s.join_barrier == "auto" && !all_have_seats && !cancellation_in_force();
  return is_free ? other_barriers(size, processors) : 0;
}

void report_refused(unsigned wanted, unsigned got, int error) {
  static std::atomic<bool> reported{false};
  // relaxed: only one of the threads that get here at the same time is to report it.
  if (reported.exchange(true, std::memory_order_relaxed)) return;
  std::fprintf(stderr, "weir: the system refused a thread (%s): a team of %u threads was asked for, and gets %u\n",
               std::strerror(error), wanted, got);
}

/// Waits, and executes tasks meanwhile in the name of `me`. Members that are in step do not look for tasks.
template <class Word, class Ready>
void await_with_tasks(waiting::experience<native>& learned, bool oversubscribed, const Word& word, gate& at, Ready ready,
                      member* me, const wait_kind& what) {
  if (!oversubscribed && native::spin(word, ready, waiting::automatic_constants::polls_before_clock)) return;
  task_work tasks(me, what);
  learned.await(oversubscribed, word, at, ready, tasks);
}

}  // namespace

crew::crew(bool of_program) {
  ask_for_short_slices();
  (void)how_released();  // known before the workers ask
  if (initial_settings().explain) note_regions();
  if (!of_program) return;
  primary_thread_.emplace(released_);
  if (!may_have_seats() || !initial_settings().adapt) return;
  sites_ = std::make_unique<native_region_sites>(barriers_to_try);
  if (initial_settings().explain) explains_.emplace(*sites_);
}

crew::~crew() {
  for (const auto& [of, t] : teams_) forget_moves(*t);
}

auto crew::at_join(member& me) {
  return [this, &me](const auto& word, gate& at, auto ready) {
    await_with_tasks(at_joins_, oversubscribed(*me.of), word, at, ready, &me, waits::end_of_region);
  };
}

// A team that takes all processors gets equally many members on each. If a team takes only some of them, the system knows better
// which. Consecutive members are near each other, as plans take them to be: numbers of processors often alternate between
// sockets. On few processors it does not pay to read how they lie.
void crew::assign_processors() {
  if (affinity_matters() || shares_node()) return;
  std::vector<int> processors = running_on();
  if (processors.size() < 2 || workers_.size() + 1 < processors.size()) return;
  constexpr std::size_t few = 16;
  if (processors.size() > few) processors = topology_here().in_order(std::move(processors));
  const auto own = static_cast<std::size_t>(std::ranges::find(processors, sched_getcpu()) - processors.begin());
  native::live_on(processors[own % processors.size()]);
  for (const auto& w : workers_) w->processor = processors[(own + w->number) % processors.size()];
}

// A worker whose first region has seats begins where it will probably have its own: as a kernel thread it would get in the way of
// those that are to begin, until the region is released.
threads::processor* crew::first_seat(const worker& w, unsigned seats) {
  if (seats == 0 || !primary_thread_ || threads::why_no_processors() != nullptr) return nullptr;
  const unsigned which = w.number % seats;
  threads::processor& own = threads::seat();
  return which == 0 ? &own : threads::helper_beside(own, which - 1);
}

int crew::start(worker& w, unsigned seats) {
  if (may_have_seats()) return threads::start(begin, &w, first_seat(w, seats), stack_bytes());
  const auto run = [](void* argument) -> void* {
    begin(argument);
    return nullptr;
  };
  return start_detached(run, &w, stack_bytes());
}

unsigned crew::recruit(unsigned wanted, team_form form) {
  if (workers_.size() + 1 >= wanted) return wanted;
  keep_freed_memory();
  differs_ |= threads::gives_own_state;
  if (primary_thread_ && may_have_seats()) {
    const inheritance inherited = inheritance::of_this_thread();
    if (workers_.empty()) gives_ = inherited;
    if (differs_ || (gives_ && !(*gives_ == inherited))) gives_.reset();
  }
  while (workers_.size() + 1 < wanted) {
    workers_.push_back(std::make_unique<worker>());
    worker& w = *workers_.back();
    w.of = this;
    w.number = static_cast<unsigned>(workers_.size());
    join_release(w, form.seats() != 0);
    if (const int error = start(w, form.seats()); error != 0) {
      workers_.pop_back();
      report_refused(wanted, static_cast<unsigned>(workers_.size()) + 1, error);
      break;
    }
  }
  // Any member may ask for the flags of any other from the next region on. All have started before any is waited for.
  while (flags_.size() < workers_.size()) {
    worker& w = *workers_[flags_.size()];
    wait_awake(w.has_flags, [](bool made) { return made; });  // it acquires the flags
    flags_.push_back(w.flags.get());
  }
  if (form.seats() == 0) assign_processors();
  return std::min<unsigned>(wanted, static_cast<unsigned>(workers_.size()) + 1);
}

// A worker that begins on a seat may run only when this thread drives its processor, and makes nothing before.
void crew::join_release(worker& w, bool on_seat) {
  using tree = phases::release_tree;
  const bool in_tree = how_released() == release_by::tree && w.number >= tree::in_common;
  if (in_tree) {
    passes_on_ = true;
    w.passes_on = tree::passes_on(w.number);
    if (!on_seat) return;  // make_flags() does the rest
  }
  w.flags = std::make_unique<phases::flags>();
  w.line = in_tree || how_released() == release_by::own_flags ? &w.flags->release : &phases_.for_all;
  // relaxed: no region is being executed, so nobody writes the word.
  w.seen = w.line->word.load(std::memory_order_relaxed);
  w.has_flags.store(true, std::memory_order_relaxed);  // relaxed: this thread alone asks
}

// In a large crew each worker makes its own, so that they lie in the memory near it.
void crew::make_flags(worker& w) {
  if (w.flags != nullptr) return;
  w.flags = std::make_unique<phases::flags>();
  w.line = &w.flags->release;
  w.has_flags.store(true, std::memory_order_release);  // release: the flags
}

team& crew::of_size(unsigned size, team_form form) {
  if (last_ != nullptr && last_->size == size && last_form_ == form) return *last_;
  auto& t = teams_[{size, form}];
  if (t == nullptr) {
    t = std::make_unique<team>(size, form);
    t->knows = &reductions_;
    if (sites_) may_follow_share(*t);
  }
  last_form_ = form;
  return *(last_ = t.get());
}

team_form crew::form_at(const void* place, unsigned size, team_form usual) {
  if (differs_ || (threads::gives_own_state && size > workers_.size() + 1)) return team_form::in_seats(0);
  if (!sites_ || place == nullptr || size < 2) return usual;
  const unsigned most = std::min(size, share_of_processors());
  const region_form chosen = sites_->begin(place, size, most);
  if (chosen[choice::processors] < most && threads::may_drive())
    return team_form::in_seats(chosen[choice::processors]);
  const unsigned barrier = chosen[choice::barrier];
  return barrier == region_form::usual || usual.seats() != 0 ? usual : team_form::by_other_barrier(barrier);
}

void crew::begin(void* its_worker) {
  worker& w = *static_cast<worker*>(its_worker);
  this_thread.is_worker = true;
  threads::gives_own_state = w.of->differs_;
  alive.fetch_add(1, std::memory_order_relaxed);
  w.of->work(w);
  alive.fetch_sub(1, std::memory_order_relaxed);
}

int crew::workers_alive() { return alive.load(std::memory_order_relaxed); }

// ---- a worker's side

// fork_join.hpp states what a worker may read, and when.
//
// Between an arrival and the next episode, a worker may execute tasks of the team in which it has arrived: the member that
// generated them has not arrived yet. It may also look for tasks later, because teams are kept as long as the crew.
void crew::work(worker& w) {
  make_flags(w);
  int lives_on = -1;
  bool had_seat = threads::is_on_processor();
  std::uint64_t seen = w.seen;
  member* last = nullptr;  // the member that it was in its last team
  for (;;) {
    seen = phases_.next(*w.line, seen, [&](const auto& word, gate& at, auto ready) {
      // Whether the worker shares its processor follows from its last team, not from the crew: workers that smaller teams do not
      // need are asleep. A worker that has been in no team yet lets others go first.
      const bool shares_processor = last == nullptr || oversubscribed(*last->of);
      await_with_tasks(between_regions_, shares_processor, word, at, ready, last, waits::after_region);
    });
    if (w.number >= release_word::size_in(seen)) continue;
    happens_after(&phases_.for_all);
    const work_of_region& executed = w.line->region;
    if (w.passes_on) [[unlikely]] phases_.pass_on(w.number, recruited(), seen, executed, flags_of());
    if (release_word::size_in(seen) == release_word::everyone) break;
    team& t = *executed.of;
    if (how_released() == release_by::own_flags) [[unlikely]] phases_.release(t.release, w.number, seen, executed, flags_of());
    member& me = t.members[w.number];
    const bool makes_itself = t.has_unmade_members();  // where it is to be
    threads::processor* const seat = makes_itself ? nullptr : me.seat;
    if (affinity_matters()) move_to_place(t, w.number);
    // Others may have moved the worker from one seat to another meanwhile.
    if (seat != nullptr || had_seat) threads::go_to(seat);
    if (const int home = seat == nullptr ? w.processor : -1; home != lives_on) native::live_on(lives_on = home);
    if (makes_itself) [[unlikely]] t.make_member(w.number, t.of_program != nullptr ? share_of_processors() : 0);
    me.icv = t.inherited;
    me.implicit.inherits = true;
    if (affinity_matters()) bind_member(me);
    if (me.taken_task != nullptr) [[unlikely]] give_back_taken_task(me);
    me.released = &released_;
    me.was_in = seen;
    me.left_by_all = me.loops;
    current = &me;
    run_in_worker(executed.run, executed.what);
    complete_tasks(me);
    had_seat = me.seat != nullptr;  // it may have changed in the region
    last = &me;
    phases_.arrive(t.arrival, t.size, w.number, *w.flags, release_word::episode_in(seen), flags_of(), at_join(me));
  }
  // The member belongs to the team, the team belongs to the crew, and the crew may be deleted: from here to its end the thread is
  // in no region.
  current = nullptr;
  leave();
}

void crew::leave() {
  // Read before: the last thread to leave deletes the crew, perhaps as soon as this one has left.
  const std::size_t members = workers_.size() + 1;
  // acq_rel: the last one deletes it after all others have used it.
  if (left_.fetch_add(1, std::memory_order_acq_rel) + 1 == members) delete this;
}

// ---- the primary thread's side

void crew::execute(team& t, region run, void* what) {
  fork(t, run, what);
  run(what);
  join(t);
}

void crew::fork(team& t, region run, void* what) {
  if (may_have_seats()) [[unlikely]] {
    if (primary_thread_) primary_thread_->begin_region();
    if (seated_ || !t.seats.empty()) begin_in_seats(t);
  }
  const work_of_region executed{run, what, &t};
  happens_before(&phases_.for_all);
  const std::uint64_t word = release_word::of(episode() + 1, t.size);
  released_.store(word, std::memory_order_relaxed);
  if (how_released() == release_by::own_flags) [[unlikely]] {
    phases_.release(t.release, 0, word, executed, flags_of());
  } else {
    if (passes_on_) [[unlikely]] phases_.pass_on(0, recruited(), word, executed, flags_of());
    phases_.release_common(word, executed);
  }
  t.await_members();
  current = &t.members[0];
  current->left_by_all = current->loops;
}

void crew::join(team& t) {
  complete_tasks(t.members[0]);
  current = t.parent;
  phases_.join(t.arrival, episode(), flags_of(), at_join(t.members[0]));
  if (may_have_seats()) [[unlikely]] {
    if (seated_) driving_.reset();
    // Workers of other crews, whose primary threads go on, may sleep on these seats while this thread drives nothing.
    if (!t.seats.empty() && t.parent->of->parent != nullptr && !threads::is_on_processor() && seats_have_been_shared())
      threads::close_own_processor();
    if (primary_thread_) primary_thread_->end_region();
    if (sites_) sites_->end();
    if (follows_share_) [[unlikely]] end_following(t);
  }
}

// Workers wait where they were in their last region. Workers on the primary thread's processor run only while the primary thread
// drives this processor.
void crew::begin_in_seats(team& t) {
  t.seats.empty() ? stop_driving() : drive();
}

void crew::drive() {
  driving_.emplace();
  seated_ = true;
}

void crew::stop_driving() {
  driving_.reset();
  threads::close_own_processor();
  seated_ = false;
}

void crew::dismiss() {
  explains_.reset();
  happens_before(&phases_.for_all);
  const std::uint64_t end = release_word::of(episode() + 1, release_word::everyone);
  if (how_released() == release_by::own_flags) {
    for (const auto& w : workers_) w->flags->release.set(end);
  } else {
    const work_of_region nothing{};
    if (passes_on_) phases_.pass_on(0, recruited(), end, nothing, flags_of());
    phases_.release_common(end, nothing);
  }
  leave();
}

}  // namespace weir::openmp
