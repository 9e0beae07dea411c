// The scheduling policies of the simulated operating system.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "thread.hpp"

namespace weir::simulator {

enum class policy {
  partition,            ///< each application has processors of its own, as many as it asked for
  equal_partition,      ///< the same, redistributed whenever an application arrives or leaves
  process_control,      ///< equal partitions, and no more threads of an application run than it has processors
  shares,               ///< the same, divided as Weir's programs divide a node (src/node)
  round_robin_process,  ///< all threads take turns on all processors
  round_robin_job,      ///< the same, but each application gets the same share
  coscheduling,         ///< all threads of an application at the same time [Ousterhout 1982]
};

struct schedule {
  policy by = policy::partition;
  bool local_queues = true;
  bool skip_spinning = false;  ///< a spinning thread is not scheduled [Zahorjan, Lazowska, Eager 1989]
  time quantum = from_us(10'000);
};

class scheduler {
 public:
  scheduler(const schedule& s, std::vector<processor>& processors) : how_(s), processors_(processors) {}
  virtual ~scheduler() = default;

  /// Assigns processors to the application and its threads. False: it has to wait until others leave.
  virtual bool admit(job& j, const std::vector<job*>& active) = 0;
  /// An application has left: the others may get its processors.
  virtual void release(job&, const std::vector<job*>&) {}

  virtual void enqueue(thread& t) = 0;
  /// Removes the next thread for this processor from the queue; null if there is none.
  virtual thread* take(unsigned processor) = 0;
  /// The next thread after one that yields and is in the queue again: a different one, if there is any.
  virtual thread* take_instead(unsigned processor, const thread&) { return take(processor); }
  /// Is there a thread that this processor would take?
  virtual bool wanted(unsigned processor) const = 0;
  /// The processors that could run this thread.
  virtual const std::vector<unsigned>& could_run(const thread& t) const = 0;

  virtual time quantum(const thread&) const { return how_.quantum; }
  /// Whether a thread that waits immediately makes room for another of its application.
  virtual bool cedes_when_waiting() const { return false; }

  /// Coscheduling: the next slot begins; returns which threads must run now. Other policies have no slots.
  virtual bool has_slots() const { return false; }
  virtual void next_slot() {}
  virtual bool displaces(unsigned) const { return false; }

  const schedule& how() const { return how_; }

 protected:
  bool may_run(const thread& t) const { return !how_.skip_spinning || !t.waits_in_vain(); }

  const schedule how_;
  std::vector<processor>& processors_;
};

std::unique_ptr<scheduler> make_scheduler(const schedule& s, std::vector<processor>& processors,
                                          const std::vector<job>& jobs);

}  // namespace weir::simulator
