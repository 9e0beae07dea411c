// Teams of an OpenMP runtime: who executes a region, and what its members share.
//
// A thread that opens a region has a crew: threads that wait for its regions. A team is those of the crew that take
// part in a region of one size; it is kept, so that a region costs a release and a gathering and nothing else.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <weir/machine/native.hpp>
#include <weir/team_barrier.hpp>
#include <weir/waiting.hpp>

#include "openmp/core/half.hpp"
#include "openmp/settings/initial.hpp"
#include "openmp/places/place_partition.hpp"

namespace weir::openmp {

struct team;
struct loop;
struct doacross;
struct task_group;
struct reducing_construct;
class task_scope;
class pending_tasks;
class granted_threads;

/// What a task's children inherit: the internal control variables of its data environment [OpenMP 5.2, 2.1].
/// omp_invalid_device: where a device is mandatory, which is none here, it is the default [OpenMP 5.2, table 2.1].
constexpr int invalid_device = -4;

struct control {
  int num_threads = 0;  // 0: what the environment says for the level
  int max_active_levels = 1;
  int default_device = 0;
  int thread_limit = 0;  // 0: that of the environment
  int teams = 1, team = 0;  // of the league that it is in
  std::uintptr_t allocator = 0;  // 0: that of the environment
  bool dynamic = false;
  schedule run_schedule;
  bool operator==(const control&) const = default;
};

/// From begin up to end, or none.
struct iterations {
  std::uint64_t begin = 0, end = 0;
  explicit operator bool() const { return begin < end; }
};

/// A thread as it takes part in a team: its implicit task. Nobody else writes here while a region runs.
struct alignas(line_bytes) member {
  team* of = nullptr;
  unsigned number = 0;
  control icv;
  seat at;
  const team* last_shown = nullptr;  // by OMP_DISPLAY_AFFINITY, of those that it has opened a region with
  // Constructs met in this team, over all of its regions: every member meets the same.
  std::uint32_t singles = 0;
  std::uint32_t loops = 0;
  std::uint32_t doacrosses = 0;
  std::uint32_t barriers = 0;  // counted where they are annotated
  doacross* in_doacross = nullptr;
  // The loop that it is in: the chunk that it has taken, and how iterations become the program's values.
  loop* in_loop = nullptr;
  iterations chunk;
  std::uint64_t ordered_after = 0;  // in an ordered loop: the iterations that must be done before its ordered regions
  std::uint64_t turn = 0;  // of a static loop: its next round
  std::uint64_t first = 0, step = 0, bound = 0;
  std::uint32_t reductions = 0;
  bool in_final = false;        // does it execute a final task?
  task_scope* task = nullptr;   // that it executes; null: its implicit task
  std::uint64_t tasks = 0;      // it has begun so many
  task_group* group = nullptr;  // the innermost that it is in
  std::unique_ptr<pending_tasks> pending;  // null: it has never had any
  // Which reduction it has offered its values to, and which has taken them: one line, which comes to its parent at once.
  alignas(line_bytes) std::atomic<std::uint32_t> offered{0}, taken{0};
  void* values = nullptr;
  gate reducing;  // where it waits for its children's values, and until its own may go
};

/// What the seats of a team come from.
struct seating {
  seat primary;
  bind how = bind::false_;
  bool operator==(const seating&) const = default;
};

struct team {
  explicit team(unsigned size);
  ~team();
  /// Between regions. Empty: it is not known where the members run.
  void place_barrier(const std::vector<int>& placement);

  const unsigned size;
  // Written where they change, which is seldom: the members read this line in each region.
  unsigned level = 0, active_level = 0;
  unsigned depth = 0;        // as the level, but that target regions count too
  member* parent = nullptr;  // who opened the region; null: its thread is an initial one
  control inherited;         // what the members begin with
  seating seated;
  unsigned processors = 0;   // that its members are bound to; 0: they are not
  bool shown = false;        // do the members say in this region where they run?
  const std::unique_ptr<member[]> members;
  const std::unique_ptr<loop[]> loops;  // slots (slot.hpp)
  const std::unique_ptr<doacross[]> doacrosses;
  std::optional<team_barrier<>> barrier;
  const half forking, joining, reducing;
  void* copied = nullptr;                             // of copyprivate
  char even_and_odd[2] = {};  // barriers: addresses for their annotation
  std::atomic<unsigned> beside{0};  // of the outermost team: threads of its contention group beside its own one, where limited
  std::atomic<reducing_construct*> reduces{nullptr};  // the outermost worksharing construct whose tasks reduce; for GCC's code
  alignas(line_bytes) std::atomic<std::uint32_t> single{0};  // how many single constructs have found who executes them
  waiting::experience<native> learned;
};

using region = void (*)(void* what);

extern constinit thread_local member* current;  // null: this thread is not known yet
member& first_met();

/// The calling thread as a member of its innermost team; of a team of its own where it is in no region.
inline member& self() {
  member* const now = current;
  return now != nullptr ? *now : first_met();
}

/// Executes a region: `run(what)` by each member of a team of `asked` threads (0: as the control variables say).
void fork(region run, void* what, unsigned asked);
/// The same by the calling thread alone.
void fork_alone(region run, void* what);
/// The two ends of a region that the caller alone executes between them.
void begin_alone();
void end_alone();
/// While it lives the calling thread executes a target region: as an initial thread of a device does, which sees nothing of what
/// is around it [OpenMP 5.2, 13.8].
class as_initial_thread {
 public:
  as_initial_thread();
  as_initial_thread(const as_initial_thread&) = delete;
  ~as_initial_thread();

 private:
  member& outer_;
};
/// The two ends of a region as fork() makes it, whose caller executes its part between them, and keeps its threads until then.
std::unique_ptr<granted_threads> begin_region(region run, void* what, unsigned asked);
void end_region();

/// Waits for the member's tasks that are not complete yet; it has some.
void finish_tasks(member& me);
/// Where all tasks of the team must be complete: at its barriers, and at the end of a region.
inline void end_tasks(member& me) {
  if (me.pending != nullptr) [[unlikely]] finish_tasks(me);
}

/// All of the team come here before any goes on.
void barrier(member& me);

/// Does the caller execute this single construct?
inline bool takes_single(member& me) {
  team& t = *me.of;
  std::uint32_t mine = me.singles++;
  if (t.size == 1) return true;
  // relaxed: it decides who, and orders nothing; what the executor writes is published by the barrier that follows.
  return t.single.load(std::memory_order_relaxed) == mine &&
         t.single.compare_exchange_strong(mine, mine + 1, std::memory_order_relaxed);
}

/// How many threads the caller's contention group may have.
int thread_limit(const member& me);

/// How long a member waits awake on a processor that nobody else wants, in microseconds; negative: not at all.
double awake_us();

/// Has a team of this size more members than the process has processors?
bool crowded(unsigned size);
/// Or than it is bound to?
bool crowded(const team& t);

/// A number for the calling thread that no other has while it lives: LLVM's interface names threads so.
int global_number();

}  // namespace weir::openmp
