// A team: the threads that execute a parallel region, and what they have in common.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <weir/machine/native.hpp>
#include <weir/team_barrier.hpp>
#include <weir/waiting.hpp>

#include "openmp/places/place_partition.hpp"
#include "openmp/support/annotation.hpp"
#include "openmp/teams/above.hpp"
#include "openmp/teams/cancellation.hpp"
#include "openmp/teams/constructs.hpp"
#include "openmp/teams/control.hpp"
#include "openmp/teams/half.hpp"
#include "openmp/teams/known_reductions.hpp"
#include "openmp/teams/own_pages.hpp"
#include "openmp/teams/part.hpp"
#include "openmp/teams/task.hpp"
#include "openmp/teams/thread.hpp"
#include "openmp/teams/waiting.hpp"
#include "openmp/watching/deadlock.hpp"
#include "openmp/watching/region_choices.hpp"

namespace weir::threads {
class processor;
}

namespace weir::openmp {

class crew;
struct team;
struct task_group;
struct shared_reduction;

/// How the members of a team combine their values (reductions/reduction.hpp).
enum class reduction_by : std::uint8_t { tree, measured_tree, atomics, locking };

/// A thread as a member of a team, with its implicit task. While a region runs only this thread writes here.
struct alignas(line_bytes) member {
  team* of = nullptr;
  unsigned number = 0;
  unsigned seated_for = 0;  // the share word (share.hpp) when the member took its seat; 0: the member keeps its seat
  // What must not begin, while the member is in a loop or in sections whose iterations it takes from the runtime, or in a single
  // whose end the runtime knows. GCC's code has barriers of its own in loops, as for lastprivate. On a line that barriers read
  // anyway.
  std::uint8_t forbids = 0;
  unsigned sits_among = 0;  // so many seats of its team; 0: it has none
  static constexpr std::uint8_t worksharing = 1, worksharing_and_barriers = 3;
  control icv;  // of the task that it executes; own_control() to change them
  threads::processor* seat = nullptr;  // null: it runs in a thread of the kernel
  thread_binding binding;
  // Constructs encountered in this team, over all of its regions: the same for every member.
  std::uint32_t singles = 0;
  std::uint32_t loops = 0;
  std::uint32_t left_by_all = 0;  // of these loops: those before its last barrier, or before the region
  std::uint32_t doacrosses = 0;
  std::uint32_t barriers = 0;  // counted only under ThreadSanitizer, and where cancellation is in force
  std::atomic<bool> has_left{false};  // its region, which is cancelled
  doacross* in_doacross = nullptr;
  // The loop that the member is in, and the chunk that it has taken. The words that each chunk reads and writes have a line of
  // their own, because a store of two words that crosses a page takes 8 ns.
  alignas(64) iterations claimed;   // of a divided loop: chunks that it has taken from its part, and hands out one by one
  iterations chunk;
  std::uint64_t claimed_chunk = 0;  // the size of each of these
  std::uint64_t first = 0, step = 0;  // how an interface makes the program's values of iterations
  loop* in_loop = nullptr;
  loop_plan plan;                   // of this loop
  bool counted = false;             // are its chunks taken by fetch-and-add alone?
  bool divided = false;             // has each member a part of its own?
  std::uint64_t bound = 0;          // for an interface, like `first` and `step`
  std::uint64_t ordered_after = 0;  // in an ordered loop: the iterations that must be done before its ordered regions
  std::uint64_t turn = 0;           // of a static loop: its next round
  std::uint32_t last_claim = 1;     // of a divided loop: how many chunks it has taken last
  std::uint32_t reductions = 0;
  reduction_by reduces_by{};  // in the reduction that it is in
  task implicit;
  task* executing = &implicit;
  task* taken_task = nullptr;             // a task that it is about to execute (task_work)
  // The crew's last episode, and that of the last region in which the member was. null: it is no worker.
  const std::atomic<std::uint64_t>* released = nullptr;
  std::uint64_t was_in = 0;
  bool looks_everywhere = false;          // for a task, because it sleeps if it finds none
  gate task_gate;                         // where it waits for tasks
  std::atomic<gate*> asleep_at{nullptr};  // where it sleeps in a wait in which it executes tasks
  // The last reduction for which the member has offered its values, and the last for which its parent has taken them: on one
  // line, which the parent gets in one transfer.
  alignas(line_bytes) std::atomic<std::uint32_t> offered{0}, taken{0};
  void* values = nullptr;
  gate reduction_gate;  // where it waits for its children's values, and until its own have been taken
  division divisions[slots_in_turn];  // of divided loops, by their slots
  alignas(line_bytes) part<native> parts[slots_in_turn];
  loop_end<native> ends[slots_in_turn];              // of its group, by the loops' slots
  std::atomic<std::uint32_t> left[slots_in_turn]{};  // how many members of its group have left a loop, by its slot
};

/// The control variables of the task that the member executes, to be changed.
inline control& own_control(member& me) {
  me.executing->inherits = false;
  return me.icv;
}

/// The mark by which a member can be woken separately from the others at the same gate (sleeps_by). In a team of more than 32,
/// several members share a mark.
inline std::uint32_t mark_of(const member& m) { return 1u << m.number % 32; }

/// The values that determine the bindings of a team's members.
struct team_binding {
  thread_binding primary;
  bind how = bind::false_;
  bool operator==(const team_binding&) const = default;
};

/// While members wait at the team's barrier, they execute the team's tasks.
class work_at_barrier final : public work_of_members {
 public:
  explicit work_at_barrier(const own_pages<member>& members) : members_(members) {}
  bool take(unsigned number) override;
  bool execute(unsigned number) override { return of(number).execute(); }
  void fall_asleep(unsigned number, gate& at) override { of(number).fall_asleep(at); }
  void awake(unsigned number) override { of(number).awake(); }

 private:
  task_work of(unsigned number) const { return task_work(&members_[number], waits::barrier); }
  const own_pages<member>& members_;
};

/// The largest team: sizes have 16 bits (team_form, too), and the highest one means everyone (release_word).
inline constexpr unsigned most_threads = 0xfffe;

/// What kinds of teams of one size there are: on how many virtual processors the members sit (0: they are kernel threads), and which
/// other barrier they meet by (region_choices.hpp). One word, which each region compares.
class team_form {
 public:
  team_form() = default;
  static team_form in_seats(unsigned seats) { return team_form(seats); }
  static team_form by_other_barrier(unsigned which) { return team_form((which + 1) << of_seats); }

  unsigned seats() const { return word_ & ((1u << of_seats) - 1); }
  bool has_usual_barrier() const { return word_ >> of_seats == 0; }
  unsigned barrier() const { return (word_ >> of_seats) - 1; }
  /// A team of this size has no more seats than members.
  team_form within(unsigned size) const { return has_usual_barrier() && seats() > size ? in_seats(size) : *this; }
  auto operator<=>(const team_form&) const = default;

 private:
  static constexpr unsigned of_seats = 16;
  explicit team_form(unsigned word) : word_(word) {}
  unsigned word_ = 0;
};

struct team {
  explicit team(unsigned size, team_form form = {});
  ~team();
  /// Between regions. Empty: the members' processors are not known.
  void place_barrier(const std::vector<int>& placement);
  /// After a region that was cancelled: its members have not encountered the same constructs.
  void start_over();
  /// In the first region of a large team each worker makes the member that it is, where it runs: the parts of loops, the counts and the
  /// gates of a member then lie near it. Returns when all members are made.
  void make_member(unsigned number, unsigned seated_for);
  /// relaxed: a worker sees its own in the first region, and in later ones what the primary thread has awaited.
  bool has_unmade_members() const { return unmade.load(std::memory_order_relaxed) != 0; }
  void await_members();

  const unsigned size;
  // Written only when they change, which is seldom: the members read this line in each region.
  unsigned level = 0, active_level = 0;
  unsigned depth = 0;        // the level, with target regions counted too
  member* parent = nullptr;  // the member that encountered the region; null: the team is an initial thread's
  control inherited;         // what the members begin with
  std::span<const int> within;  // what the regions within ask for, by level, if num_threads has a list; its memory is a caller's
  unsigned processors;       // that its members are bound to, or sit on; 0: neither
  bool shown = false;        // does each member display its affinity in this region?
  std::atomic<unsigned> unmade;  // members
  const own_pages<member> members;
  const std::unique_ptr<loop[]> loops;  // slots_in_turn of each
  const std::unique_ptr<doacross[]> doacrosses;
  work_at_barrier tasks_at_barrier;
  std::optional<team_barrier<>> barrier;
  const std::unique_ptr<team_cancellation> cancellation;  // null: it is not in force
  const half release, arrival, reduction;  // the phases of a region, and the arrival that carries a reduction
  const bool reduces_in_turn, reduces_under_lock;  // where the values are few, and the compiler's code can (reduction.hpp)
  known_reductions* knows = nullptr;  // its crew's; none in a team of one
  char barrier_addresses[2] = {};  // what ThreadSanitizer knows the barriers by
  // In an outermost team: the threads of its contention group besides the initial thread; counted only if there is a limit.
  std::atomic<unsigned> group_threads{0};
  std::atomic<task_scheduler*> scheduler{nullptr};  // null: none of its members has generated a task yet
  std::atomic<unsigned> asleep{0};                  // members that sleep where they would execute tasks
  std::atomic<shared_reduction*> reduces{nullptr};  // of the outermost worksharing construct with a task reduction
  alignas(line_bytes) std::atomic<std::uint32_t> singles_taken{0};  // single constructs that have an executor
  alignas(line_bytes) void* copyprivate_values = nullptr;
  waiting::experience<native> learned;  // about waiting in this team
  const wait_notes waits;
  team_binding binding;
  std::vector<thread_binding> bindings;      // of the members, if they are bound
  std::vector<threads::processor*> seats;    // the virtual processors of its members, in turn; none: threads of the kernel
  std::vector<threads::processor*> seats_of_outer;  // of the team that it is nested in, when it took its own
  unsigned share = 1;                               // the processors that it may take, if any teams have seats
  std::atomic<bool> has_moved{false};               // relaxed: by its members in a region, read by the primary thread after it
  // In a region that lasts (crew::choose_within).
  crew* of_program = nullptr;                // null: nothing is chosen
  std::atomic<bool> counts_as_moved{false};  // relaxed: waiters are to expect others on their processors
  std::atomic<unsigned> computes_on{0};      // so many processors; 0: as usual. It releases the first seat
  std::atomic<unsigned> with_seats{0};       // members, if it is a team of kernel threads
  threads::processor* first_seat = nullptr;
};

inline bool task_work::take() {
  // relaxed: find_task() acquires it.
  return me_ != nullptr && me_->of->scheduler.load(std::memory_order_relaxed) != nullptr && find();
}

inline bool work_at_barrier::take(unsigned number) { return of(number).take(); }

/// In a worksharing construct, and in an explicit task, neither worksharing constructs nor barriers may begin [OpenMP 5.2, 17.1].
inline bool may_share(const member& me) { return me.forbids == 0 && me.executing == &me.implicit; }
inline bool may_wait_for_all(const member& me) { return me.forbids <= member::worksharing && me.executing == &me.implicit; }
/// Called where a barrier may not begin: ends the program, unless the barrier is harmless.
void check_barrier(const member& me);
void check_worksharing(const member& me);

}  // namespace weir::openmp
