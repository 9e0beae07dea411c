#include "openmp/tasks/scheduler.hpp"

#include <algorithm>

#include "openmp/placing/seats.hpp"
#include "openmp/support/annotation.hpp"
#include "openmp/teams/waiting.hpp"

namespace weir::openmp {

task_scheduler::task_scheduler(team& of)
    : of_(of),
      of_each_(std::make_unique<std::atomic<of_member*>[]>(of.size)),
      longest_pause_(search::longest_pause(std::min(of.size, processors_of(of)))),
      refusals_(refusals_of_full_queue(capacity, of.size)),
      offers_(of.size) {}

task_scheduler::~task_scheduler() {
  for (unsigned m = 0; m < of_.size; ++m) delete of_each_[m].load(std::memory_order_relaxed);  // relaxed: the team has ended
}

task_scheduler::of_member& task_scheduler::make(unsigned number) {
  auto* const made = new of_member(offers_.of(number));
  of_each_[number].store(made, std::memory_order_release);  // release: the queue, for thieves
  return *made;
}

void delete_scheduler(task_scheduler* s) { delete s; }

task_scheduler& make_scheduler(team& t) {
  auto made = std::make_unique<task_scheduler>(t);
  task_scheduler* expected = nullptr;
  // release: the scheduler; acquire: the scheduler of another member, if that member was faster.
  if (!t.scheduler.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *expected;
  t.tasks_at_barrier.begin();
  return *made.release();  // which the team deletes
}

bool task_scheduler::add_with_priority(task& t) {
  // relaxed: an estimate.
  if (with_priority_.load(std::memory_order_relaxed) >= capacity * of_.size) return false;
  share(t);
  wake_one();
  return true;
}

void task_scheduler::release(member* me, task& t) {
  if (me != nullptr && add(*me, t)) return;
  happens_before(&t);
  share(t);
  wake_one();
}

void task_scheduler::share(task& t) {
  mutual_.take();
  task*& first = shared_[t.priority];
  t.next = first;
  first = &t;
  // relaxed, both: a hint; the lock orders the lists.
  shared_count_.fetch_add(1, std::memory_order_relaxed);
  if (t.priority > 0) with_priority_.fetch_add(1, std::memory_order_relaxed);
  mutual_.release();
}

task* task_scheduler::find_shared(const task* bound) {
  if (shared_count_.load(std::memory_order_relaxed) == 0) return nullptr;  // relaxed: a hint
  task* found = nullptr;
  mutual_.take();
  for (auto list = shared_.begin(); list != shared_.end(); ++list) {
    task** at = &list->second;
    while (*at != nullptr && !is_below(*at, bound)) at = &(*at)->next;
    if (*at == nullptr) continue;
    found = *at;
    *at = found->next;
    if (list->second == nullptr) shared_.erase(list);
    shared_count_.fetch_sub(1, std::memory_order_relaxed);
    if (found->priority > 0) with_priority_.fetch_sub(1, std::memory_order_relaxed);
    break;
  }
  mutual_.release();
  return found;
}

// Apart, so that find() saves no registers for it.
task* task_scheduler::steal(member& me, const task* bound) {
  const auto queue_of = [this](unsigned victim) -> auto& {
    // acquire: the queue. An offer may be seen before the queue, which has been made before it.
    of_member* queue = nullptr;
    while ((queue = of_each_[victim].load(std::memory_order_acquire)) == nullptr) {
    }
    return queue->ready;
  };
  return steal_from(queue_of, offers_, of(me).looks, me.number, longest_pause_, bound, me.looks_everywhere,
                    [this] { wake_one(); });
}

// Apart: most tasks come while the queue is offered, and nobody sleeps.
void task_scheduler::tell(member& me) {
  if (!offers_.of(me.number).is_there()) {
    offers_.add(me.number);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // as before: for the sleepers that have not seen the offer
  }
  wake_sleeper();
}

void task_scheduler::give_back(member& me, task& t) {
  release(&me, t);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as in wake_one()
  for (unsigned m = 0; m < of_.size; ++m) wake(of_.members[m]);
}

task* task_scheduler::find(member& me, const task* bound) {
  if (with_priority_.load(std::memory_order_relaxed) != 0) [[unlikely]]  // relaxed: a hint
    if (task* const t = find_shared(bound)) return t;
  if (task* const t = newest(me, bound)) return t;
  if (task* const t = find_shared(bound)) return t;
  return steal(me, bound);
}

bool task_scheduler::wake(member& sleeper) {
  // Others sleep at the same gate, too: at a barrier.
  return weir::openmp::wake_sleeper(sleeper, [&sleeper](gate& at) { at.open_to(mark_of(sleeper)); });
}

// Called however many members are awake: all of them may be in tasks that wait for this one.
void task_scheduler::wake_one_of_all() {
  if (!of_.seats.empty() && wake_one_in_its_seat()) return;
  for (unsigned m = 0; m < of_.size; ++m)
    if (wake(of_.members[m])) return;
}

// relaxed: as in wake_one_of_all(), whose caller has a fence.
bool task_scheduler::all_sleep(unsigned seat) const {
  for (unsigned m = seat; m < of_.size; m += static_cast<unsigned>(of_.seats.size()))
    if (!is_among_sleepers(of_.members[m])) return false;
  return true;
}

// The kernel moves threads to free processors, but members on virtual processors stay. One virtual processor may therefore have
// nothing to do while several awake members share another. So members of idle virtual processors are woken first. Two sources
// tell which are idle. The state of the members misses no task: the last member to fall asleep looks for tasks after it has set
// its state. The state of the processor may come later, but also finds a processor whose members are elsewhere.
bool task_scheduler::wake_one_in_its_seat() {
  const auto seats = static_cast<unsigned>(of_.seats.size());
  for (unsigned s = 0; s < seats; ++s) {
    if (!all_sleep(s) && !sleeps(of_, s)) continue;
    for (unsigned m = s; m < of_.size; m += seats)
      if (wake(of_.members[m])) return true;
    wake_seat(of_, s);  // others have stolen its members
    break;
  }
  return false;
}

}  // namespace weir::openmp
