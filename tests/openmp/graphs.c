/* Executes graphs of tasks, and compares what they compute with their execution in the order of generation. Each line of the
 * input is a graph (test_task_graphs.py writes them); the answer is "ok", or what differs, a line each.
 *
 * A task reads the objects that it depends on when it begins and when it ends, and changes those that it may change: so that a
 * result tells with whom it was executed in the wrong order, or together. Its children have objects of their own. */
#include "check.h"
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

enum { OBJECTS = 4, MOST_DEPENDENCES = 5, MOST_TASKS = 200, MOST_TEAM = 8 };
enum kind { IN, OUT, INOUT, IN_OUT_SET, MUTEX_IN_OUT_SET, KINDS, NONE = KINDS };
enum item_kind { TASK, TASKWAIT, TASKWAIT_DEPEND, TASKWAIT_NOWAIT, TASKGROUP, TASKYIELD };
enum flag { UNDEFERRED = 1, FINAL = 2, UNTIED = 4, DETACHED = 8, ALL_MEMORY = 16, BY_OBJECTS = 32, PLAIN = 64 };

struct body {
  int count, tasks; /* items; tasks, with those below */
  struct item *items;
};
/* What a task does besides generating others, or a directive. */
struct item {
  int kind, number, flags, priority, delay;
  int count[KINDS], object[KINDS][MOST_DEPENDENCES];
  int use[OBJECTS]; /* the kind that says what the task may do with the object */
  struct body inside;
};

/* The objects on which the children of one task depend, how many of them have been executed, and whether they are final. */
struct scope {
  uint64_t value[OBJECTS];
  int generated, executed, final;
};
struct group {
  struct group *outer;
  int executed;
};
struct execution {
  int sequential;
  uint64_t result[MOST_TASKS + 1], seen[MOST_TASKS + 1]; /* by each task: as a task, and between its children */
  struct scope scope[MOST_TASKS + 1];
};

static uint64_t mix(uint64_t a, uint64_t b) {
  a = (a ^ (b + 0x9e3779b97f4a7c15)) * 0xbf58476d1ce4e5b9;
  return a ^ a >> 29;
}

static void pause_for(int delay) {
  for (volatile int i = 0; i < 50 * delay; ++i) {
  }
  if (delay % 4 == 3) sched_yield();
}

/* ---- the body of a task */

struct begun {
  struct execution *execution;
  const struct item *task;
  struct scope *scope;
  struct group *group;
  uint64_t before[OBJECTS], result;
};

static void run(struct execution *e, const struct body *b, int parent, struct group *g);

static int changes(int use) { return use == OUT || use == INOUT; }

static struct begun begin(struct execution *e, const struct item *t, struct scope *s, struct group *g) {
  struct begun b = {e, t, s, g, {0}, mix(1, (uint64_t)t->number)};
  int exclusive = 0;
  for (int o = 0; o < OBJECTS; ++o) {
    if (t->use[o] == NONE || t->use[o] == IN_OUT_SET) continue;
    b.before[o] = s->value[o];
    if (t->use[o] == MUTEX_IN_OUT_SET)
      exclusive = 1; /* and without an order */
    else
      b.result = mix(b.result, b.before[o]);
  }
  if (exclusive) sched_yield(); /* for others to come in between */
  const int final = e->scope[t->number].final = s->final || t->flags & FINAL;
  if (!e->sequential) CHECK(omp_in_final() == final);
  pause_for(t->delay);
  run(e, &t->inside, t->number, g);
  for (int o = 0; o < OBJECTS; ++o)
    if (t->use[o] == MUTEX_IN_OUT_SET) s->value[o] = b.before[o] + mix(b.result, (uint64_t)o);
  return b;
}

static void end(struct begun b) {
  uint64_t *value = b.scope->value;
  for (int o = 0; o < OBJECTS; ++o) {
    if (b.task->use[o] == IN_OUT_SET) __atomic_fetch_add(&value[o], mix(b.result, (uint64_t)o), __ATOMIC_RELAXED);
    if (b.task->use[o] == IN || changes(b.task->use[o])) CHECK(value[o] == b.before[o]);
    if (changes(b.task->use[o])) value[o] = mix(b.before[o], b.result);
  }
  b.execution->result[b.task->number] += b.result;
  add(&b.scope->executed, 1);
  for (struct group *g = b.group; g != NULL; g = g->outer) add(&g->executed, 1);
}

/* ---- detached tasks: another thread executes their ends, and fulfils their events */

static struct ending {
  struct begun begun;
  omp_event_handle_t event;
} *endings[MOST_TEAM * MOST_TASKS];
static int first_ending, endings_count;
static pthread_mutex_t mutual = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t any = PTHREAD_COND_INITIALIZER;

static void *fulfil(void *nothing) {
  for (;;) {
    pthread_mutex_lock(&mutual);
    while (endings_count == 0) pthread_cond_wait(&any, &mutual);
    struct ending *next = endings[first_ending];
    first_ending = (first_ending + 1) % (MOST_TEAM * MOST_TASKS);
    --endings_count;
    pthread_mutex_unlock(&mutual);
    end(next->begun);
    omp_fulfill_event(next->event);
    free(next);
  }
  return nothing;
}

static void end_later(struct begun b, omp_event_handle_t event) {
  struct ending *later = malloc(sizeof *later);
  *later = (struct ending){b, event};
  pthread_mutex_lock(&mutual);
  endings[(first_ending + endings_count++) % (MOST_TEAM * MOST_TASKS)] = later;
  pthread_mutex_unlock(&mutual);
  pthread_cond_signal(&any);
}

/* ---- generating tasks */

#define OF_KIND(name, number) depend(iterator(int k = 0 : t->count[number]), name : s->value[t->object[number][k]])
#ifdef __clang__
#define SETS OF_KIND(mutexinoutset, MUTEX_IN_OUT_SET) OF_KIND(inoutset, IN_OUT_SET)
#else
#define SETS OF_KIND(mutexinoutset, MUTEX_IN_OUT_SET)
#endif
#define BY_KINDS OF_KIND(in, IN) OF_KIND(out, OUT) OF_KIND(inout, INOUT) SETS
#define OTHERS if (!undeferred) final(t->flags & FINAL) priority(t->priority)
#define BODY end(begin(e, t, s, g));
#define DETACHED_BODY end_later(begin(e, t, s, g), event);

/* Depend objects for all dependences. GCC 12 has neither inoutset nor omp_all_memory: what later versions put into an object. */
static int make_objects(const struct item *t, struct scope *s, omp_depend_t *d) {
  int made = 0;
  for (int kind = 0; kind < KINDS; ++kind)
    for (int k = 0; k < t->count[kind]; ++k, ++made) {
      uint64_t *value = &s->value[t->object[kind][k]];
#pragma omp depobj(d[made]) depend(in : *value)
      if (kind == OUT || kind == INOUT) {
#pragma omp depobj(d[made]) update(inout)
      } else if (kind == MUTEX_IN_OUT_SET) {
#pragma omp depobj(d[made]) update(mutexinoutset)
      } else if (kind == IN_OUT_SET) {
#ifdef __clang__
#pragma omp depobj(d[made]) update(inoutset)
#else
        ((uintptr_t *)&d[made])[1] = 5;
#endif
      }
    }
#ifndef __clang__
  if (t->flags & ALL_MEMORY) {
#pragma omp depobj(d[made]) depend(inout : *(char *)NULL)
    ++made;
  }
#endif
  return made;
}

/* Clang's code has room for the last of several objects alone. */
#ifdef __clang__
#define MOST_OBJECTS 2
#define BY_OBJECTS_MADE depend(depobj : d[0]) depend(depobj : d[n - 1])
#else
#define MOST_OBJECTS (KINDS * MOST_DEPENDENCES + 1)
#define BY_OBJECTS_MADE depend(iterator(int k = 0 : n), depobj : *(d + k))
#endif

static void generate_by_objects(struct execution *e, const struct item *t, struct scope *s, struct group *g, int undeferred) {
  omp_depend_t d[MOST_OBJECTS];
  omp_event_handle_t event;
  const int n = make_objects(t, s, d);
  if (t->flags & DETACHED) {
#pragma omp task OTHERS detach(event) BY_OBJECTS_MADE
    DETACHED_BODY
  } else {
#pragma omp task OTHERS BY_OBJECTS_MADE
    BODY
  }
  for (int i = 0; i < n; ++i) {
#pragma omp depobj(d[i]) destroy
  }
}

/* One object to read and one to change, as most programs have it. */
static void generate_plainly(struct execution *e, const struct item *t, struct scope *s, struct group *g, int undeferred) {
  uint64_t *from = &s->value[t->object[IN][0]], *to = &s->value[t->object[INOUT][0]];
  omp_event_handle_t event;
  if (t->flags & DETACHED) {
#pragma omp task OTHERS detach(event) depend(in : *from) depend(inout : *to)
    DETACHED_BODY
  } else {
#pragma omp task OTHERS depend(in : *from) depend(inout : *to)
    BODY
  }
}

static void generate(struct execution *e, const struct item *t, struct scope *s, struct group *g) {
  const int undeferred = t->flags & UNDEFERRED;
  omp_event_handle_t event;
  int count = 0;
  for (int kind = 0; kind < KINDS; ++kind) count += t->count[kind];
  int objects = t->flags & BY_OBJECTS && count > 0 && count <= MOST_OBJECTS;
#ifndef __clang__
  objects |= t->flags & ALL_MEMORY || t->count[IN_OUT_SET] > 0;
#endif
  if (objects) {
    generate_by_objects(e, t, s, g, undeferred);
  } else if (t->flags & PLAIN) {
    generate_plainly(e, t, s, g, undeferred);
#ifdef __clang__
  } else if (t->flags & ALL_MEMORY) {
#pragma omp task OTHERS depend(out : omp_all_memory)
    BODY
#endif
  } else if (t->flags & DETACHED) {
#pragma omp task OTHERS detach(event) BY_KINDS
    DETACHED_BODY
  } else if (t->flags & UNTIED) {
#pragma omp task OTHERS untied mergeable BY_KINDS
    BODY
  } else {
#pragma omp task OTHERS BY_KINDS
    BODY
  }
  if ((undeferred || omp_in_final()) && !(t->flags & DETACHED)) CHECK(e->result[t->number] != 0);
}

/* ---- between the tasks */

static void look_at_all(struct execution *e, int parent) {
  const struct scope *s = &e->scope[parent];
  CHECK(__atomic_load_n(&s->executed, __ATOMIC_RELAXED) == s->generated);
  for (int o = 0; o < OBJECTS; ++o) e->seen[parent] = mix(e->seen[parent], s->value[o]);
}

static void wait_for_some(struct execution *e, const struct item *t, int parent) {
  struct scope *const s = &e->scope[parent];
  if (!e->sequential) {
#pragma omp taskwait OF_KIND(in, IN) OF_KIND(inout, INOUT)
  }
  for (int o = 0; o < OBJECTS; ++o) {
    if (t->use[o] == NONE) continue;
    e->seen[parent] = mix(e->seen[parent], s->value[o]);
    if (changes(t->use[o])) s->value[o] = e->seen[parent];
  }
}

static void run(struct execution *e, const struct body *b, int parent, struct group *g) {
  struct scope *const s = &e->scope[parent];
  for (const struct item *t = b->items; t < b->items + b->count; ++t) {
    if (t->kind == TASK) {
      ++s->generated;
      if (e->sequential)
        end(begin(e, t, s, g));
      else
        generate(e, t, s, g);
    } else if (t->kind == TASKWAIT) {
      if (!e->sequential) {
#pragma omp taskwait
      }
      look_at_all(e, parent);
    } else if (t->kind == TASKWAIT_DEPEND) {
      wait_for_some(e, t, parent);
    } else if (t->kind == TASKGROUP) {
      struct group inner = {g, 0};
      if (e->sequential) {
        run(e, &t->inside, parent, &inner);
      } else {
#pragma omp taskgroup
        run(e, &t->inside, parent, &inner);
      }
      CHECK(inner.executed == t->inside.tasks);
    } else if (!e->sequential) {
      if (t->kind == TASKYIELD) {
#pragma omp taskyield
      } else {
#ifdef __clang__ /* GCC 12 has no such taskwait */
#pragma omp taskwait nowait OF_KIND(in, IN) OF_KIND(inout, INOUT)
#endif
      }
    }
  }
}

/* ---- graphs: a body is a count and items; an item its kind, and what that needs */

static char *input;

static int next(void) { return (int)strtol(input, &input, 10); }

static struct body read_body(int *tasks) {
  const int before = *tasks;
  struct body b = {next(), 0, NULL};
  b.items = calloc((size_t)b.count + 1, sizeof *b.items);
  for (struct item *t = b.items; t < b.items + b.count; ++t) {
    t->kind = next();
    if (t->kind == TASK) {
      t->number = ++*tasks;
      t->flags = next();
      t->priority = next();
      t->delay = next();
    }
    for (int o = 0; o < OBJECTS; ++o) t->use[o] = t->flags & ALL_MEMORY ? INOUT : NONE;
    if (t->kind == TASK || t->kind == TASKWAIT_DEPEND || t->kind == TASKWAIT_NOWAIT)
      for (int count = next(); count > 0; --count) {
        const int kind = next(), object = next();
        t->object[kind][t->count[kind]++] = object;
        if (t->use[object] == NONE)
          t->use[object] = kind;
        else if (t->use[object] != kind)
          t->use[object] = INOUT; /* what is of two kinds is ordered with each of them */
      }
    if (t->kind == TASK || t->kind == TASKGROUP) t->inside = read_body(tasks);
  }
  b.tasks = *tasks - before;
  return b;
}

static void forget(struct body b) {
  for (int i = 0; i < b.count; ++i) forget(b.items[i].inside);
  free(b.items);
}

static void compare(const struct execution *expected, const struct execution *found, int tasks) {
  for (int i = 0; i <= tasks; ++i) {
    CHECK(found->result[i] == expected->result[i]);
    CHECK(found->seen[i] == expected->seen[i]);
    CHECK(memcmp(&found->scope[i], &expected->scope[i], sizeof found->scope[i]) == 0);
  }
}

/* One member generates the tasks, or each member those of a graph of its own. */
static void execute(const struct body *graph, const struct execution *expected, int members, int by_all) {
  static struct execution of_each[MOST_TEAM];
  memset(of_each, 0, sizeof of_each);
#pragma omp parallel num_threads(members)
  if (by_all || omp_get_thread_num() == members - 1) run(&of_each[omp_get_thread_num()], graph, 0, NULL);
  for (int i = by_all ? 0 : members - 1; i < members; ++i) compare(expected, &of_each[i], graph->tasks);
}

int main(void) {
  static struct execution expected;
  static char line[1 << 16];
  static const int sizes[] = {1, 2, 4, MOST_TEAM};
  pthread_t other;
  pthread_create(&other, NULL, fulfil, NULL);
  while (fgets(line, sizeof line, stdin) != NULL) {
    input = line;
    const int repetitions = next(), by_all = next();
    int tasks = 0;
    const struct body graph = read_body(&tasks);
    memset(&expected, 0, sizeof expected);
    expected.sequential = 1;
    run(&expected, &graph, 0, NULL);
    wrongs = 0;
    for (int i = 0; i < repetitions; ++i)
      for (int s = 0; s < 4; ++s) execute(&graph, &expected, sizes[s], by_all);
    forget(graph);
    puts(wrongs == 0 ? "ok" : "wrong");
    fflush(stdout);
  }
  return 0;
}
