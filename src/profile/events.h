/* The events that are counted, named like the suite's constructs if there is one (docs/openmp/profile.md says how each is
 * priced). */
#ifndef WEIR_PROFILE_EVENTS_H
#define WEIR_PROFILE_EVENTS_H

#define WEIR_EVENTS(EVENT)                      \
  EVENT(PARALLEL, "parallel")                   \
  EVENT(BARRIER, "barrier")                     \
  EVENT(FOR, "for")                             \
  EVENT(FOR_NOWAIT, "for nowait")               \
  EVENT(CHUNK, "chunk of a loop")               \
  EVENT(SECTIONS, "sections")                   \
  EVENT(SECTIONS_NOWAIT, "sections nowait")     \
  EVENT(SINGLE, "single")                       \
  EVENT(SINGLE_NOWAIT, "single nowait")         \
  EVENT(COPYPRIVATE, "copyprivate")             \
  EVENT(MASTER, "master")                       \
  EVENT(REDUCTION, "reduction")                 \
  EVENT(CRITICAL, "critical")                   \
  EVENT(LOCK, "lock")                           \
  EVENT(NEST_LOCK, "nest-lock")                 \
  EVENT(ORDERED, "ordered")                     \
  EVENT(ATOMIC, "atomic")                       \
  EVENT(TASK, "task")                           \
  EVENT(TASK_DEPENDENCES, "task-dependences")   \
  EVENT(TASKWAIT, "taskwait")                   \
  EVENT(TASKGROUP, "taskgroup")                 \
  EVENT(TASKLOOP, "taskloop")                   \
  EVENT(TASKLOOP_OF_TASKS, "taskloop of tasks") \
  EVENT(FLUSH, "flush")

enum event {
#define WEIR_EVENT(symbol, name) symbol,
  WEIR_EVENTS(WEIR_EVENT)
#undef WEIR_EVENT
  EVENTS
};

#endif
