// The tasks of a team of Weir's runtime: the templates of openmp/tasks over the simulated machine. Members wait awake here, so no
// task has to wake one.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <weir/waiting.hpp>

#include "openmp/tasks/deque.hpp"
#include "openmp/tasks/offers.hpp"
#include "openmp/tasks/stealing.hpp"
#include "openmp/teams/task.hpp"
#include "simulator/simulated.hpp"

namespace weir::simulator::openmp {

struct member;

/// A word that points to something.
template <class T>
class pointer {
 public:
  T* load(std::memory_order) const { return reinterpret_cast<T*>(word_.load()); }
  void store(T* to, std::memory_order) { word_.store(reinterpret_cast<std::uintptr_t>(to)); }
  T* exchange(T* to, std::memory_order) { return reinterpret_cast<T*>(word_.exchange(reinterpret_cast<std::uintptr_t>(to))); }
  bool compare_exchange_weak(T*& expected, T* wanted, std::memory_order, std::memory_order) {
    auto seen = reinterpret_cast<std::uintptr_t>(expected);
    const bool same = word_.compare_exchange_strong(seen, reinterpret_cast<std::uintptr_t>(wanted));
    expected = reinterpret_cast<T*>(seen);
    return same;
  }

 private:
  simulated::word<std::uintptr_t> word_{0};
};

/// As the runtime's (teams/task.hpp), without its first line, which tasks with their parent's control variables do not touch.
struct alignas(64) task : weir::openmp::task_counts {
  simulated::word<std::uint64_t> below{0};
  pointer<task> parent;
  pointer<member> executor;
  simulated::word<std::uint64_t> run{0};
  task* next = nullptr;
  member* home = nullptr;
  alignas(64) simulated::word<std::uint32_t> depth{0};
  std::uint32_t credit = 0;
  simulated::word<std::uint64_t> group{0};
  simulated::word<std::uint64_t> data{0};
};

/// What tasks ask of a member (teams/member.hpp).
struct tasks_of_member {
  task implicit;
  task* executing = &implicit;
  task* taken_task = nullptr;
  bool looks_everywhere = false;
  simulated::gate task_gate;
};

class team_tasks {
 public:
  explicit team_tasks(unsigned members);

  /// The member generates a child of the task that it executes; `data` is the program's.
  void generate(member& me, std::uint64_t data);
  /// taskwait.
  void finish_children(member& me);
  /// At the end of a region: all tasks below the implicit task are complete.
  void finish_tasks(member& me);
  /// Waits as members do between regions and at a join, and executes tasks meanwhile; `of`: that of a taskwait, or null.
  template <class Word, class Ready>
  void await(waiting::experience<simulated>& learned, member& me, const task* of, const Word& word, simulated::gate& gate,
             Ready ready) {
    work work_of_member{*this, me, of};
    const looking_elsewhere looks(begun_);
    learned.await(false, word, gate, ready, work_of_member);
  }

  /// What a task computes, by its executor's number and its data.
  std::function<void(unsigned, std::uint64_t)> compute;

 private:
  static constexpr std::size_t capacity = 256;  // tasks/scheduler.hpp
  struct pool {
    task* free = nullptr;
    std::vector<std::unique_ptr<task[]>> blocks;
    weir::openmp::borrowed<task, pointer<task>> borrowed;
    alignas(line_bytes) pointer<task> returned;
  };
  struct of_member {
    weir::openmp::deque<simulated, task, capacity> ready;
    pool memory;
    weir::openmp::search looks;
    bool begun = false;  // does its memory lie beside the member?
  };
  /// As task_work (teams/waiting.hpp).
  struct work {
    team_tasks& of;
    member& me;
    const task* bound;
    bool take();
    bool execute();
    void fall_asleep(const simulated::gate&);
    void awake();
  };

  void begin_to_have_tasks();
  of_member& of(const member& me);
  task& new_task(member& me);
  task* find(member& me, const task* bound);
  task* newest(member& me, const task* bound);
  void execute(member& me, task& t);
  void complete(member& me, task& t);

  const unsigned size_;
  bool begun_ = false;  // has a member generated a task?
  const std::unique_ptr<of_member[]> of_each_;
  weir::openmp::offers<simulated> offers_;
  alignas(line_bytes) simulated::word<unsigned> with_priority_{0}, shared_count_{0};
  alignas(line_bytes) simulated::word<unsigned> asleep_{0};
  alignas(line_bytes) waiting::experience<simulated> learned_;
};

}  // namespace weir::simulator::openmp
