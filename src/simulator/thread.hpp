// Threads, processors and applications, as the simulated operating system sees them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "fiber.hpp"
#include "memory.hpp"
#include "units.hpp"

namespace weir::simulator {

enum class activity : std::uint8_t { computing, synchronizing, spinning, switching, ready, sleeping, idle };
inline constexpr std::array activity_names{"computing", "synchronizing", "spinning", "switching", "ready", "sleeping", "idle"};
using time_by_activity = std::array<time, activity_names.size()>;

/// How far a thread is: its clock, and how many transfers of lines are on the longest chain that has led there, in which each
/// depends on the one before. A transfer is what memory counts as a miss.
struct moment {
  time at = 0;
  unsigned depth = 0;
};

/// Independent loads overlap, as many as the processor can have outstanding: for example the scan over an array of counters. Such
/// a sequence ends with a look that did not find the wanted value (the loads begun after it are discarded), with an atomic
/// update, and with the loss of the processor.
class load_window {
 public:
  void begin(moment now) {
    start_ = now;
    done_.clear();
  }
  /// When this load could have begun.
  moment earliest(std::size_t most) const {
    if (done_.size() < most) return start_;
    const moment& place = done_[done_.size() - most];
    return place.at > start_.at ? place : start_;
  }
  void note(moment done, std::size_t most) {
    done_.push_back(done);
    if (done_.size() > most) done_.pop_front();
  }

 private:
  moment start_;
  std::deque<moment> done_;
};

struct pending_store {
  void* word;
  std::uint64_t value;
  std::uint8_t bytes;
  line_id line;
  std::uint32_t number;
  time takes_effect;
  unsigned depth;  // the thread's, at the store
  bool moves;      // has its request moved the line?
};

/// A line that has been requested for writing, without a store.
struct requested_line {
  line_id line;
  time comes;
};

struct thread {
  enum class state : std::uint8_t { absent, ready, running, sleeping, done };

  unsigned id = 0, application = 0, member = 0;
  fiber context;
  state is = state::absent;

  unsigned place = 0;         // the processor whose queue it is in, if queues are local
  unsigned processor = 0;     // where it runs, or ran last
  bool has_run = false;
  bool was_asleep = false;    // an idle processor has to be started for it

  time now = 0;               // its own clock while it runs
  unsigned depth = 0;         // of the chain of transfers that has led here
  unsigned stored_depth = 0;  // the same, of its stores that have taken effect
  unsigned wakes = 0;         // on the longest chain of wake-ups that has led here, each after the one before
  time resume_at = 0;
  std::uint32_t generation = 0;
  time remaining = 0;         // preempted: the rest of its current operation
  bool in_access = false;     // an instruction in flight is finished before a preemption

  load_window loads;

  const bool* looks_elsewhere = nullptr;  // true: it reads other words between its polls, so it is not parked

  // Polling: the line is watched rather than polled again and again.
  bool watching = false;
  line_id watched = 0;
  std::uint32_t looked_at = 0;  // the line's version when the thread last looked
  bool parked = false;        // on its processor, with nothing to do until the line is written
  bool willing = false;       // prefers to yield the processor
  bool stale = true;          // the word has been written since its last look
  time parked_at = 0, poll_period = 0;
  time polled = -1;           // on its processor, if it was preempted since

  std::deque<pending_store> stores;
  std::uint32_t stores_made = 0;
  std::vector<requested_line> requests;  // those that may be on the way

  activity doing = activity::computing;
  activity before = activity::synchronizing;  // its activity when it lost its processor
  time since = 0;
  time_by_activity spent{};
  std::uint64_t switches = 0, preemptions = 0, migrations = 0;

  // For the report on a program that cannot finish.
  std::uint32_t episode = 0;
  const char* waits_for = "";

  bool waits_in_vain() const { return watching && !stale; }
};

struct processor {
  thread* running = nullptr;
  thread* last = nullptr;
  time slice_start = 0;
  bool slice_armed = false;
  time deferred_at = -1;  // the end of a slice that waited for events of the same moment
  std::uint32_t generation = 0;
  time_by_activity spent{};
  std::uint64_t switches = 0;
};

/// An application, as the operating system knows it.
struct job {
  std::string name;
  unsigned id = 0;
  unsigned wanted = 0;  // processors of a static partition; 0: as many as it has threads
  bool by_blocks = false;  // neighbours share a processor, rather than threads taking the processors by turns
  time arrives = 0;
  time begun = -1, finished = -1;
  std::vector<thread*> threads;
  std::vector<unsigned> partition;
  unsigned left = 0;    // threads that have not ended
  std::function<void(const job&)> on_begin;

  bool active() const { return begun >= 0 && finished < 0; }
};

/// One interval of one thread's history.
struct stretch {
  unsigned thread;
  unsigned processor;
  activity doing;
  time from, until;
};

}  // namespace weir::simulator
