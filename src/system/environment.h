/* All environment variables of Weir. No other file has their names. docs/environment.md has the same table with more words;
 * tests/python/rooms/test_environment.py compares the two.
 *
 * For whom a variable is:
 *   USERS  who run a program
 *   WEIR   one of its programs tells another one
 *   TESTS  tests, and research on Weir itself: only builds with tests read them (the option WEIR_TESTS)
 */
#ifndef WEIR_SYSTEM_ENVIRONMENT_H
#define WEIR_SYSTEM_ENVIRONMENT_H

#include <stdlib.h>

/* VARIABLE(name, for whom, values, what it does) */
#define WEIR_VARIABLES(VARIABLE)                                                                                            \
  VARIABLE(WEIR_THREADS, USERS, "kernel, user, auto or all", "what schedules threads")                                      \
  VARIABLE(WEIR_PROCESSORS, USERS, "auto, machine or a number of processors", "how many processors the program sees")       \
  VARIABLE(WEIR_ADAPT, USERS, "true or false", "whether anything is tried or adapted while the program runs")               \
  VARIABLE(WEIR_BARRIER, USERS, "auto, a barrier or a plan by levels", "the barrier of directives and of constructs' ends") \
  VARIABLE(WEIR_DEADLOCKS, USERS, "ignore, report or end", "what is done if all members of a team wait")                    \
  VARIABLE(WEIR_EXPLAIN, USERS, "true or false", "whether the runtime tells at the end what it has chosen")                 \
  VARIABLE(WEIR_PROFILE, USERS, "a file or none", "the profile of the machine")                                             \
  VARIABLE(WEIR_SHARE, USERS, "off or node", "with whom the program divides the processors")                                \
  VARIABLE(WEIR_SHARE_DIR, USERS, "a folder", "where programs that divide the processors meet")                             \
  VARIABLE(WEIR_WEIGHT, USERS, "an integer from 1 to 100", "the program's weight among those")                              \
  VARIABLE(WEIR_MPI_BARRIER, USERS, "an algorithm", "the barrier of preloaded MPI programs")                                \
  VARIABLE(WEIR_MPI_WITHIN, USERS, "an algorithm", "its algorithm within a node")                                           \
  VARIABLE(WEIR_MPI_TRANSPORT, USERS, "a transport", "how it moves messages")                                               \
  VARIABLE(WEIR_MPI_WAITING, USERS, "a waiting policy", "how it waits")                                                     \
  VARIABLE(WEIR_MPI_PRICE, USERS, "a number of microseconds", "when a communicator gets a barrier of Weir's")               \
  VARIABLE(WEIR_MPI_VERBOSE, USERS, "any text", "whether each barrier that is made is reported")                            \
  VARIABLE(WEIR_HW_SUBSET, WEIR, "a value of KMP_HW_SUBSET", "the subset to which the process is restricted already")       \
  VARIABLE(WEIR_PROFILE_FILE, WEIR, "a file", "where weir profile has directives counted")                                  \
  VARIABLE(WEIR_TRACE_FILE, WEIR, "a file", "where weir trace has computing recorded")                                      \
  VARIABLE(WEIR_TEST_TICK_US, TESTS, "a number of microseconds", "the time between two ticks")                              \
  VARIABLE(WEIR_TEST_FORK_BARRIER, TESTS, "auto or a barrier with halves", "how a region's threads start")                  \
  VARIABLE(WEIR_TEST_JOIN_BARRIER, TESTS, "auto or a barrier with halves", "how a region's threads end")                    \
  VARIABLE(WEIR_TEST_REDUCTION_BARRIER, TESTS, "auto or a barrier with halves", "the tree that carries reductions")

enum weir_variable {
#define WEIR_VARIABLE(name, whom, values, does) name,
  WEIR_VARIABLES(WEIR_VARIABLE)
#undef WEIR_VARIABLE
};

static inline const char* weir_name_of(enum weir_variable variable) {
  switch (variable) {
#define WEIR_VARIABLE(name, whom, values, does) \
  case name:                                    \
    return #name;
    WEIR_VARIABLES(WEIR_VARIABLE)
#undef WEIR_VARIABLE
  }
  return "";
}

/* In words, for messages about other values. */
static inline const char* weir_values_of(enum weir_variable variable) {
  switch (variable) {
#define WEIR_VARIABLE(name, whom, values, does) \
  case name:                                    \
    return values;
    WEIR_VARIABLES(WEIR_VARIABLE)
#undef WEIR_VARIABLE
  }
  return "";
}

/* Does this build read it? src/CMakeLists.txt defines WEIR_READS_TEST_VARIABLES for the files that read such variables. */
static inline int weir_reads(enum weir_variable variable) {
  enum { USERS, WEIR, TESTS };
  switch (variable) {
#define WEIR_VARIABLE(name, whom, values, does) \
  case name:                                    \
    if (whom != TESTS) return 1;                \
    break;
    WEIR_VARIABLES(WEIR_VARIABLE)
#undef WEIR_VARIABLE
  }
#ifdef WEIR_READS_TEST_VARIABLES
  return 1;
#else
  return 0;
#endif
}

/* Null if it is not set, or not read. */
static inline const char* weir_value_of(enum weir_variable variable) {
  return weir_reads(variable) ? getenv(weir_name_of(variable)) : NULL;
}

#endif
