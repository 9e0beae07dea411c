// The engine: runs fibers in the order of virtual time and executes their machine operations.
//
// A thread runs ahead of the others only until the next earlier event, so that memory accesses happen in the order of
// virtual time. Events of one moment happen in the order in which they were created.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "events.hpp"
#include "kernel.hpp"
#include "memory.hpp"
#include "model.hpp"
#include "thread.hpp"

namespace weir::simulator {

/// What threads have asked of the operating system: sleeps, wake-ups, yields and membarriers, but not the yields between polls;
/// and the threads that wake-ups have woken.
struct system_counts {
  std::uint64_t calls = 0, woken = 0;
};

/// Why a run cannot finish: which thread waits for what.
struct stuck : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class engine {
 public:
  engine(const machine_model& m, const schedule& s);
  ~engine();

  /// Before run(): adds an application of this many threads. `begin` is called when it gets its processors;
  /// `body(member)` runs in a fiber, and must not throw.
  job& add_job(const std::string& name, unsigned threads, time arrives, unsigned processors,
               std::function<void(const job&)> begin, std::function<void(unsigned member)> body);

  /// Runs until all threads have ended. Throws stuck if they cannot end, or not before `limit`.
  void run(time limit = never);

  // Called in the fiber of the running thread.
  static engine& here() { return *here_; }
  thread& self() { return *self_; }
  void compute(time duration);
  /// One load: its bytes are copied when the value arrives.
  void load(const void* word, void* into, std::size_t bytes);
  void store(void* word, std::uint64_t value, std::size_t bytes);
  /// Fetches the line to be written later. The thread goes on at once, and stores nothing.
  void request_for_writing(const void* word);
  /// An atomic update: `update()` is called at its moment and returns whether it stored something.
  template <class Update>
  void atomic(void* word, Update update);
  /// After a load that did not find the wanted value: waits until the next look is useful, for at most this many polls (0: no
  /// limit). Returns the polls that have passed. `willing`: the thread prefers to yield the processor.
  std::uint64_t wait_for_change(const void* word, std::uint64_t polls, bool willing);
  void yield();
  void drain();
  void sleep_while(const void* word, const std::uint32_t* value_in_memory, std::uint32_t value);
  void wake(const void* word, unsigned most);
  void spend(time cost, activity what);
  /// A system call that costs so much, and does nothing else here.
  void system_call(time cost);
  /// The running thread has allocated this memory, and written it first (placement::allocator).
  void allocated(const void* begin, std::size_t bytes) { memory_.allocate(begin, bytes, self_->processor); }
  /// Is the word's memory beside this processor?
  bool lies_beside(const void* word, unsigned processor) { return memory_.is_home(memory_.line_at(word), processor); }
  time now() const { return self_->now; }
  void note(activity what) { kernel_.turn(*self_, what, self_->now); }

  const machine_model& model() const { return model_; }
  const simulator::memory& memory() const { return memory_; }
  const simulator::kernel& kernel() const { return kernel_; }
  /// When the warm-up ended; 0 without a warm-up.
  time counted_from() const { return counted_from_; }
  const std::deque<thread>& threads() const { return threads_; }
  const std::vector<job>& jobs() const { return jobs_; }
  std::uint64_t events() const { return events_.made(); }
  const system_counts& system() const { return system_; }
  void keep_history(std::vector<stretch>* into) { kernel_.keep_history(into); }
  /// Discards all counts so far, at the end of the warm-up.
  void forget_counts();

 private:
  void until(thread& t, time at);
  void resume(thread& t);
  void stored(thread& t, line_id l, unsigned depth, bool moved);
  void take_effect(thread& t);
  void drain_one(thread& t);
  void tell_watchers(line_id l, time at);
  void forget_watch(thread& t);
  bool forwarded(thread& t, const void* word, void* into, std::size_t bytes);
  /// A thread of this depth has written the line after `transfers` transfers of it. Returns the line's depth.
  unsigned deepen(line_id l, unsigned depth, unsigned transfers) {
    return memory_.depth(l) = std::max(memory_.depth(l), depth) + transfers;
  }
  time comes_for_store(const thread& t, line_id l) const;
  bool can_still_finish();
  std::string who_waits(const char* why) const;

  static thread_local engine* here_;

  const machine_model model_;
  event_queue events_;
  simulator::memory memory_;
  std::deque<thread> threads_;
  std::vector<job> jobs_;
  std::vector<std::function<void(unsigned)>> bodies_;
  simulator::kernel kernel_;
  std::unique_ptr<stacks> stacks_;
  thread* self_ = nullptr;
  time now_ = 0;
  time look_at_ = 0;      // no thread continues beyond this time without the main loop
  time progress_at_ = 0;  // when something last happened for which others could be waiting
  time counted_from_ = 0;
  system_counts system_;
  std::size_t unfinished_ = 0;
};

template <class Update>
void engine::atomic(void* word, Update update) {
  thread& t = *self_;
  drain();
  until(t, t.now);
  t.in_access = true;
  const line_id l = memory_.line_at(word);
  memory_.note_atomic(l);
  unsigned moved = 0;
  if (model_.atomic == atomics::conditional) {
    // The reservation is lost as soon as another processor requests the line for writing, which invalidates this copy.
    for (;;) {
      moved += !memory_.has_copy(l, t.processor);
      until(t, memory_.load(l, t.processor, t.now));
      until(t, t.now + model_.processor.atomic);
      if (memory_.has_copy(l, t.processor)) break;
      memory_.note_failed(l);
    }
  }
  moved += memory_.moves_to_write(l, t.processor);
  const time done = memory_.write(l, t.processor, t.now);
  tell_watchers(l, t.now);
  until(t, done + (model_.atomic == atomics::conditional ? 0 : model_.processor.atomic));
  t.in_access = false;
  update();
  memory_.changed(l);
  t.depth = deepen(l, t.depth, moved);
  progress_at_ = now_;
  t.loads.begin({t.now, t.depth});
  tell_watchers(l, now_);
}

}  // namespace weir::simulator
