// The errors of the specification that the runtime sees: what the program must not do, and the message before the program ends.
#pragma once

namespace weir::openmp {

struct error {
  const char* construct;
  const char* wrong;
  const char* instead;
  const char* section;  // of OpenMP 5.2
};

namespace errors {
inline constexpr error barrier_in_task{
    "a barrier in a task", "the barrier waits for the task, and the task for the barrier",
    "use taskwait or taskgroup in tasks, and worksharing constructs outside of them", "17.1"};
inline constexpr error worksharing_in_task{
    "a worksharing construct in a task", "the other members of the team do not come to it",
    "put it outside of tasks, or into a parallel region; taskloop divides iterations in tasks", "17.1"};
inline constexpr error barrier_in_worksharing{
    "a barrier in a loop, sections or single", "the other members of the team do not come to it", "put it behind the construct",
    "17.1"};
inline constexpr error nested_worksharing{
    "a worksharing construct in a loop, sections or single", "the thread is in one of the same team already",
    "end that first, or put the inner construct into a parallel region", "17.1"};
inline constexpr error no_task_reduction{
    "in_reduction", "no enclosing construct has a task reduction of the variable",
    "put the task into a taskgroup with task_reduction, or a construct with reduction(task, ...)", "5.5.10"};
inline constexpr error doacross_outside{"ordered depend", "the thread is in no loop with ordered(n)", "put it into one",
                                        "15.9.5"};
inline constexpr error no_such_event{
    "omp_fulfill_event", "no task awaits the event: it has been fulfilled already, or it is none",
    "fulfil each event once", "18.11.1"};
inline constexpr error destroyed_while_set{"omp_destroy_lock", "the lock is set", "unset it first", "18.9.3"};
inline constexpr error destroyed_nest_while_set{"omp_destroy_nest_lock", "the lock is set", "unset it first", "18.9.3"};
inline constexpr error unset_of_free_lock{"omp_unset_lock", "the lock is not set", "set it first", "18.9.5"};
inline constexpr error unset_of_others_nest_lock{
    "omp_unset_nest_lock", "the task has not set the lock", "let the task that has set it unset it", "18.9.5"};
inline constexpr error lock_not_initialized{
    "a lock routine", "the lock is not initialized, or destroyed already", "call omp_init_lock first", "18.9"};
inline constexpr error nest_lock_not_initialized{
    "a lock routine", "the lock is not initialized, or destroyed already", "call omp_init_nest_lock first", "18.9"};
}  // namespace errors

/// Reports what the program has done, and where it called the runtime; the program then aborts. `construct` names the construct
/// if the error can occur in several.
[[noreturn, gnu::cold]] void end_for(const error& what, const char* construct = nullptr);

}  // namespace weir::openmp
