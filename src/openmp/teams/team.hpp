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

#include "openmp/support/annotation.hpp"
#include "openmp/teams/above.hpp"
#include "openmp/teams/cancellation.hpp"
#include "openmp/teams/half.hpp"
#include "openmp/teams/known_reductions.hpp"
#include "openmp/teams/member.hpp"
#include "openmp/teams/own_pages.hpp"
#include "openmp/teams/thread.hpp"
#include "openmp/teams/waiting.hpp"
#include "openmp/watching/deadlock.hpp"
#include "openmp/watching/region_choices.hpp"

namespace weir::openmp {

class crew;
struct team;
struct task_group;
struct shared_reduction;

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

/// What kinds of teams of one size there are: on how many virtual processors the members sit (0: they are kernel threads), and
/// which other barrier they meet by (region_choices.hpp). One word, which each region compares.
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

// The fields of a team lie in groups, by who writes them and when.

/// Written by the primary thread before a region, and only when they change, which is seldom: the members read this line in
/// each region.
struct region_of_team {
  explicit region_of_team(unsigned seats) : processors(seats) {}
  unsigned level = 0, active_level = 0;
  unsigned depth = 0;        // the level, with target regions counted too
  unsigned processors;       // that its members are bound to, or sit on; 0: neither
  member* parent = nullptr;  // the member that encountered the region; null: the team is an initial thread's
  control inherited;         // what the members begin with
  std::span<const int> within;  // what the regions within ask for, by level, if num_threads has a list; its memory is a caller's
  bool shown = false;        // does each member display its affinity in this region?
};

/// Written when the team is made; between regions, the barrier. What is in the loops and the doacross nests is written by the
/// members.
struct team_as_made {
  team_as_made(unsigned size, team_form form);
  /// relaxed: a worker sees its own in the first region, and in later ones what the primary thread has awaited.
  bool has_unmade_members() const { return unmade.load(std::memory_order_relaxed) != 0; }

  const unsigned size;
  std::atomic<unsigned> unmade;  // members; written by each of them in the first region
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
};

/// Written by any member in a region, as it generates tasks, sleeps, or begins regions.
struct tasks_of_team {
  std::atomic<task_scheduler*> scheduler{nullptr};  // null: none of its members has generated a task yet
  std::atomic<unsigned> asleep{0};                  // members that sleep where they would execute tasks
  // In an outermost team: the threads of its contention group besides the initial thread; counted only if there is a limit.
  std::atomic<unsigned> group_threads{0};
  std::atomic<shared_reduction*> reduces{nullptr};  // of the outermost worksharing construct with a task reduction
};

/// Written by the member that executes a single construct.
struct singles_of_team {
  alignas(line_bytes) std::atomic<std::uint32_t> singles_taken{0};  // single constructs that have an executor
  alignas(line_bytes) void* copyprivate_values = nullptr;
};

/// Written by members that wait.
struct waits_of_team {
  explicit waits_of_team(unsigned size) : waits(size) {}
  waiting::experience<native> learned{awake_us()};  // about waiting in this team
  const wait_notes waits;
};

/// Where the members run. Written by the primary thread between regions.
struct places_of_team {
  team_binding binding;
  std::vector<thread_binding> bindings;      // of the members, if they are bound
  std::vector<threads::processor*> seats;    // the virtual processors of its members, in turn; none: threads of the kernel
  std::vector<threads::processor*> seats_of_outer;  // of the team that it is nested in, when it took its own
  unsigned share = 1;                               // the processors that it may take, if any teams have seats
};

/// How its members follow the share of the processors in a region (forking/follow_share.hpp). Written at barriers: `has_moved`,
/// `counts_as_moved` and `with_seats` by members that move, the others by the primary thread.
struct moves_of_team {
  crew* of_program = nullptr;                // null: members stay
  std::atomic<bool> has_moved{false};        // relaxed: read by the primary thread after the region
  std::atomic<bool> counts_as_moved{false};  // relaxed: waiters are to expect others on their processors
  // Of a team of kernel threads:
  std::atomic<unsigned> computes_on{0};      // the number of virtual processors; 0: none. It releases the first seat
  std::atomic<unsigned> decided_for{0};      // the share word for which that was decided
  std::atomic<unsigned> with_seats{0};       // members
  threads::processor* first_seat = nullptr;
};

struct team : region_of_team,
              team_as_made,
              tasks_of_team,
              singles_of_team,
              waits_of_team,
              places_of_team,
              moves_of_team {
  explicit team(unsigned size, team_form form = {});
  ~team();
  /// Between regions. Empty: the members' processors are not known.
  void place_barrier(const std::vector<int>& placement);
  /// After a region that was cancelled: its members have not encountered the same constructs.
  void start_over();
  /// In the first region of a large team each worker makes the member that it is, where it runs: the parts of loops, the counts
  /// and the gates of a member then lie near it. Returns when all members are made.
  void make_member(unsigned number, unsigned seated_for);
  void await_members();
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
