// Questions of the runtime's waits: how long to stay awake, and whether the team is oversubscribed.
#pragma once

#include <weir/machine/gate.hpp>

namespace weir::openmp {

struct team;
struct member;
struct task;
struct wait_kind;

/// How long a member waits awake on a processor that nobody else wants, in microseconds; negative: not at all.
double awake_us();

/// Would a team of this size have more members than the process has processors?
bool oversubscribed(unsigned size);
/// Does this team have more members than the processors that it is bound to, or than the process has?
bool oversubscribed(const team& t);
/// The number of processors to which the team is bound, or that the process has.
unsigned processors_of(const team& t);

/// The tasks that a member executes while it waits, as an argument of waiting::experience. A task that has been taken is stored
/// in the member, which has at most one.
class task_work {
 public:
  /// Takes tasks below `bound`; null: any tasks of the team. A member that waits inside of a task may begin only tasks below that
  /// task; at a barrier it may begin any [OpenMP 5.2, 12.9]. In an untied task it might begin any task, too. But each wait could
  /// then begin a task that waits in turn, as deep as there are tasks, and the stack would overflow. Without a member: no tasks.
  task_work(member* me, const wait_kind& what, const task* bound = nullptr) : me_(me), what_(what), bound_(bound) {}
  /// Has the member taken a task, or can it take one now?
  inline bool take();
  /// Executes the task that it has taken, if any.
  bool execute();
  void fall_asleep(gate& at);
  void awake();

 private:
  bool find();
  bool is_too_early() const;

  member* const me_;
  const wait_kind& what_;
  const task* const bound_;
};

}  // namespace weir::openmp
