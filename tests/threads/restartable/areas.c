/* Like a C library whose areas for restartable sequences have another length, or like an allocator that registers areas itself
   (areas.h). Each thread gives up the area that the real C library has registered, before anything else of the thread begins. */
#define _GNU_SOURCE
#include "areas.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/rseq.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIGNATURE 0x53053053
#define MOST 4096

static _Thread_local struct {
  _Alignas(64) char bytes[MOST];
} space;
static const char *kind = "32";
static unsigned bytes = 32;

#if defined(IN_STATIC_PROGRAM) /* the linker's --wrap */
unsigned __wrap___rseq_size;
ptrdiff_t __wrap___rseq_offset;
extern const unsigned __real___rseq_size;
extern const ptrdiff_t __real___rseq_offset;
#define told_size __wrap___rseq_size
#define told_offset __wrap___rseq_offset
static unsigned real_size(void) { return __real___rseq_size; }
static ptrdiff_t real_offset(void) { return __real___rseq_offset; }
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
#define name_of_create __wrap_pthread_create
#define next_create __real_pthread_create
#else
unsigned __rseq_size;
ptrdiff_t __rseq_offset;
#define told_size __rseq_size
#define told_offset __rseq_offset
static unsigned real_size(void) {
  const unsigned *at = dlsym(RTLD_NEXT, "__rseq_size");
  return at != NULL ? *at : 0;
}
static ptrdiff_t real_offset(void) { return *(const ptrdiff_t *)dlsym(RTLD_NEXT, "__rseq_offset"); }
#define name_of_create pthread_create
static int next_create(pthread_t *to, const pthread_attr_t *how, void *(*run)(void *), void *what) {
  static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
  return next(to, how, run, what);
}
#endif

long bare_call(long number, long a, long b, long c, long d) {
  long result = number;
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
}

static int is(const char *name) { return strncmp(kind, name, strlen(name)) == 0; }

static void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  _exit(3);
}

static void own(void) {
  struct area *at = (struct area *)space.bytes;
  /* An allocator does without, where it is refused: on a virtual processor. */
  if (is("bare"))
    bare_call(SYS_rseq, (long)at, 32, 0, SIGNATURE);
  else
    syscall(SYS_rseq, at, 32, 0, SIGNATURE);
}

static void begin_thread(void) {
  if (is("kept") || is("absent")) return;
  if (real_size() == 0) return;
  struct area *real = (struct area *)((char *)__builtin_thread_pointer() + real_offset());
  /* It is not registered in a thread whose creator has given up its own. */
  if (real->cpu_id >= 0 && bare_call(SYS_rseq, (long)real, 32, RSEQ_FLAG_UNREGISTER, SIGNATURE) != 0) fail("the real area");
  ((struct area *)space.bytes)->cpu_id = RSEQ_CPU_ID_UNINITIALIZED;
  if (bytes != 0 && bare_call(SYS_rseq, (long)space.bytes, bytes, 0, SIGNATURE) != 0) fail("an area of this length");
  if (strcmp(kind, "own") == 0 || strcmp(kind, "bare") == 0) own();
}

struct area *area_of_thread(void) {
  struct area *at = (struct area *)space.bytes;
  if (is("kept") || is("absent")) return (struct area *)((char *)__builtin_thread_pointer() + real_offset());
  if (at->cpu_id < 0 && (is("own_late") || is("bare_late"))) own();
  return at;
}

struct beginning {
  void *(*run)(void *);
  void *what;
};
static void *begin(void *given) {
  const struct beginning does = *(struct beginning *)given;
  free(given);
  begin_thread();
  return does.run(does.what);
}
int name_of_create(pthread_t *to, const pthread_attr_t *how, void *(*run)(void *), void *what) {
  struct beginning *does = malloc(sizeof *does);
  *does = (struct beginning){run, what};
  const int error = next_create(to, how, begin, does);
  if (error != 0) free(does);
  return error;
}

/* As a C library that has such an area. */
static int processor_of_thread(void) {
  const struct area *at = area_of_thread();
  const int it = __atomic_load_n(&at->cpu_id, __ATOMIC_RELAXED);
  unsigned asked = 0;
  if (it >= 0) return it;
  return bare_call(SYS_getcpu, (long)&asked, 0, 0, 0) == 0 ? (int)asked : -1;
}
int sched_getcpu(void) { return processor_of_thread(); }

/* Filters, as those of containers. */
void refuse_areas(int only_to_give_up, unsigned error) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rseq, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, only_to_give_up ? RSEQ_FLAG_UNREGISTER : 0, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) fail("a filter");
}

static __attribute__((constructor(101))) void when_loaded(void) {
  if (getenv(AREA_VARIABLE) != NULL) kind = getenv(AREA_VARIABLE);
  const int has_own = is("own") || is("bare");
  const int is_real = is("kept") || is("absent");
  bytes = has_own || is_real ? 0 : (unsigned)atoi(kind);
  /* What of it is used may be less than what is registered. */
  told_size = is_real ? real_size() : bytes == 32 || bytes == 96 || bytes > 1024 ? bytes / 2 : bytes;
  told_offset = is_real ? real_offset() : space.bytes - (char *)__builtin_thread_pointer();
  begin_thread();
  if (is("kept")) refuse_areas(1, EPERM);
}
