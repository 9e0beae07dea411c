// The simulated operating system: gives processors to threads and takes them away.
//
// Everything happens at `now`, the engine's moment. A thread that gets a processor continues after the cost of the switch; one
// that is preempted keeps the rest of its instruction.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "events.hpp"
#include "model.hpp"
#include "scheduler.hpp"
#include "thread.hpp"

namespace weir::simulator {

class kernel {
 public:
  kernel(const machine_model& m, const schedule& s, event_queue& events, std::deque<thread>& threads,
         std::vector<job>& jobs);

  void arrive(job& j, time now);
  void finish(thread& t, time now);

  /// For the running thread: it goes to the end of its queue if another thread wants the processor (true: it must suspend);
  /// otherwise nothing happens.
  bool yield(thread& t, time now);
  /// For the running thread: it sleeps under that address until woken; it must suspend.
  void sleep(thread& t, const void* address, time now);
  unsigned asleep_at(const void* address) const;
  /// Wakes the thread that has slept longest there; null if none sleeps.
  thread* wake_one(const void* address, time now);
  /// For the running thread, which begins to poll: under process control another thread may get its processor.
  bool cede(thread& t, time now);
  /// The word that a thread polls has been written.
  void refreshed(thread& t, time now);

  void slice_ends(unsigned processor, std::uint32_t generation, time now);
  void slot_ends(time now);

  /// Whether another thread would run here if this one yielded, and could make progress.
  bool others_want(const thread& t) const;

  /// Ends the thread's current activity at `at`, and begins another.
  void turn(thread& t, activity next, time at);
  void resume_at(thread& t, time at);
  void keep_history(std::vector<stretch>* into) { history_ = into; }
  const std::vector<processor>& processors() const { return processors_; }
  void forget_counts();

 private:
  void make_ready(thread& t, time now);
  void dispatch(unsigned processor, time now, bool from_idle = false);
  void give(unsigned processor, thread& t, time now, bool from_idle);
  void take_away(unsigned processor, time now);
  void arm_slice(unsigned processor, time now);
  void nudge(unsigned processor, time now);
  void begin(job& j, time now);
  std::vector<job*> active_jobs();
  void reassign_processors(time now);

  const machine_model& model_;
  event_queue& events_;
  std::deque<thread>& threads_;
  std::vector<job>& jobs_;
  std::vector<processor> processors_;
  std::unique_ptr<scheduler> scheduler_;
  std::vector<job*> queued_jobs_;
  std::unordered_map<const void*, std::deque<thread*>> sleepers_;
  std::vector<stretch>* history_ = nullptr;
  bool slots_run_ = false;
};

}  // namespace weir::simulator
