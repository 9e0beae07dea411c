// A thread as a member of a team. The fields of a member lie in groups, by who writes them and when.
#pragma once

#include <atomic>
#include <cstdint>

#include <weir/machine/native.hpp>

#include "openmp/places/place_partition.hpp"
#include "openmp/teams/constructs.hpp"
#include "openmp/teams/control.hpp"
#include "openmp/teams/part.hpp"
#include "openmp/teams/task.hpp"

namespace weir::threads {
class processor;
}

namespace weir::openmp {

struct team;

/// How the members of a team combine their values (reductions/reduction.hpp).
enum class reduction_by : std::uint8_t { tree, measured_tree, atomics, locking };

/// Written when the member is made.
struct member_as_made {
  team* of = nullptr;
  unsigned number = 0;
};

/// Where the member runs. Written by the primary thread between regions, and by the member at the barriers of a region that
/// lasts.
struct seat_of_member {
  unsigned seated_for = 0;  // the share word (share.hpp) when the member took its seat; 0: the member keeps its seat
  unsigned sits_among = 0;  // the number of seats of its team; 0: it has none
  threads::processor* seat = nullptr;  // null: it runs in a thread of the kernel
};

/// Constructs encountered in this team, over all of its regions: the counts are the same for every member. Written by the
/// member as it begins and ends them; after a cancelled region, by the primary thread.
struct constructs_of_member {
  // What must not begin, while the member is in a loop or in sections whose iterations it takes from the runtime, or in a single
  // whose end the runtime knows. GCC's code has barriers of its own in loops, as for lastprivate. On a line that barriers read
  // anyway.
  std::uint8_t forbids = 0;
  static constexpr std::uint8_t worksharing = 1, worksharing_and_barriers = 3;
  std::atomic<bool> has_left{false};  // its region, which is cancelled
  reduction_by reduces_by{};          // in the reduction that it is in
  std::uint32_t singles = 0;
  std::uint32_t loops = 0;
  std::uint32_t left_by_all = 0;  // of these loops: those before its last barrier, or before the region
  std::uint32_t doacrosses = 0;
  std::uint32_t barriers = 0;  // counted only under ThreadSanitizer, and where cancellation is in force
  std::uint32_t reductions = 0;
};

/// Written by the member's thread as it begins a region; member 0 begins before the others are released.
struct environment_of_member {
  control icv;  // of the task that it executes, which writes it, too; own_control() to change them
  thread_binding binding;
};

/// The loop or doacross nest that the member is in, and the chunk that it has taken. Written by the member alone. The words
/// that each chunk reads and writes have a line of their own, because a store of two words that crosses a page takes 8 ns.
struct loop_of_member {
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
  doacross* in_doacross = nullptr;
};

/// The implicit task, and the tasks that the member executes. Written by the member, except for what those who complete tasks
/// write in the implicit one, and those who wake it in `asleep_at`.
struct tasks_of_member {
  task implicit;
  task* executing = &implicit;
  task* taken_task = nullptr;             // a task that it is about to execute (task_work)
  // The crew's last episode, and that of the last region in which the member was. null: it is no worker.
  const std::atomic<std::uint64_t>* released = nullptr;
  std::uint64_t was_in = 0;
  bool looks_everywhere = false;          // for a task, because it sleeps if it finds none
  gate task_gate;                         // where it waits for tasks
  std::atomic<gate*> asleep_at{nullptr};  // where it sleeps in a wait in which it executes tasks
};

/// A reduction, between the member and its parent in the tree: the member writes what it has offered, the parent what it has
/// taken.
struct reduction_of_member {
  // The last reduction for which the member has offered its values, and the last for which its parent has taken them: on one
  // line, which the parent gets in one transfer.
  alignas(line_bytes) std::atomic<std::uint32_t> offered{0}, taken{0};
  void* values = nullptr;
  gate reduction_gate;  // where it waits for its children's values, and until its own have been taken
};

/// A thread as a member of a team, with its implicit task. While a region runs, other threads write only what its groups say,
/// and the parts of loops.
struct alignas(line_bytes) member : member_as_made,
                                    seat_of_member,
                                    constructs_of_member,
                                    environment_of_member,
                                    loop_of_member,
                                    tasks_of_member,
                                    reduction_of_member {
  division divisions[slots_in_turn];  // of divided loops, by their slots
  // Members of the team take chunks from each other's parts, and count in their groups' words.
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

}  // namespace weir::openmp
