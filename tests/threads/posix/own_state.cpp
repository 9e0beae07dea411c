// A thread to which the program gives a policy, a nice value, an affinity or a priority for files of its own stays a thread of
// the kernel, and keeps them: whoever gives them, and also where it has not waited for anybody before, so that it would be a
// member only later.
#include "threads.hpp"

#include "../../openmp/driving_thread.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace {

// ---- what the kernel keeps

/// Of a thread, as the kernel has it; 0: of the one that drives the caller.
struct state {
  cpu_set_t processors;
  long policy, nice_value, for_files;

  explicit state(pid_t of = 0) {
    CPU_ZERO(&processors);
    CHECK(syscall(SYS_sched_getaffinity, of, sizeof processors, &processors) > 0);
    policy = syscall(SYS_sched_getscheduler, of);
    nice_value = 20 - syscall(SYS_getpriority, PRIO_PROCESS, of);
    for_files = syscall(SYS_ioprio_get, 1, of);
  }
  friend bool operator==(const state& a, const state& b) {
    return CPU_EQUAL(&a.processors, &b.processors) && a.policy == b.policy && a.nice_value == b.nice_value &&
           a.for_files == b.for_files;
  }
};

/// What only a thread itself can change, of the kernel thread that drives the caller.
std::string credentials_now() {
  const std::string thread = "/proc/self/task/" + std::to_string(driving_thread());
  std::string text;
  std::ifstream lines(thread + "/status");
  for (std::string line; std::getline(lines, line);)
    for (const char* name : {"Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp"})
      if (line.starts_with(name)) text += line + '\n';
  char where[256] = {};
  if (readlink((thread + "/cwd").c_str(), where, sizeof where - 1) < 0) text += "?";
  return text + where;
}

const sched_param no_priority{};

cpu_set_t one_processor() {
  const state now;
  cpu_set_t first;
  CPU_ZERO(&first);
  for (int i = 0; CPU_COUNT(&first) == 0; ++i)
    if (CPU_ISSET(i, &now.processors)) CPU_SET(i, &first);
  return first;
}
struct attributes {
  std::uint32_t size = sizeof(attributes), policy = SCHED_BATCH;
  std::uint64_t flags = 0;
  std::int32_t nice_value = 0;
  std::uint32_t priority = 0;
  std::uint64_t times[3] = {};
};
bool set_attributes(pid_t of, attributes attributes_wanted) { return syscall(SYS_sched_setattr, of, &attributes_wanted, 0) == 0; }
/// By the function that C libraries have from version 2.41 on, and Weir's library.
bool set_attributes_by_name(pid_t of, attributes wanted) {
  using setter = int(pid_t, void*, unsigned);
  auto* const sched_setattr = reinterpret_cast<setter*>(dlsym(RTLD_DEFAULT, "sched_setattr"));
  return sched_setattr != nullptr ? sched_setattr(of, &wanted, 0) == 0 : set_attributes(of, wanted);
}

/// A timer, or a file, that signals a thread.
bool set_timer(pid_t for_thread) {
  sigevent how{};
  how.sigev_notify = SIGEV_THREAD_ID;
  how.sigev_signo = SIGRTMIN + 3;
  how._sigev_un._tid = for_thread;
  timer_t timer;
  return timer_create(CLOCK_MONOTONIC, &how, &timer) == 0 && timer_delete(timer) == 0;
}
bool set_owner_of_file(pid_t thread) {
  int ends[2];
  const f_owner_ex owner{F_OWNER_TID, thread};
  return pipe(ends) == 0 && fcntl(ends[0], F_SETOWN_EX, &owner) == 0 && close(ends[0]) == 0 && close(ends[1]) == 0;
}

/// Of a thread that the caller names twice, by its number or 0 for itself.
struct change {
  const char* name;
  bool (*make)(pthread_t thread, pid_t id);
};
const cpu_set_t here = one_processor();
const int nicer = getpriority(PRIO_PROCESS, 0) + 2;
const change changes[] = {
    {"pthread_setaffinity_np", [](pthread_t t, pid_t) { return pthread_setaffinity_np(t, sizeof here, &here) == 0; }},
    {"sched_setaffinity", [](pthread_t, pid_t id) { return sched_setaffinity(id, sizeof here, &here) == 0; }},
    {"SYS_sched_setaffinity", [](pthread_t, pid_t id) { return syscall(SYS_sched_setaffinity, id, sizeof here, &here) == 0; }},
    {"pthread_setschedparam", [](pthread_t t, pid_t) { return pthread_setschedparam(t, SCHED_BATCH, &no_priority) == 0; }},
    {"pthread_setschedprio", [](pthread_t t, pid_t) { return pthread_setschedprio(t, 0) == 0; }},
    {"sched_setscheduler", [](pthread_t, pid_t id) { return sched_setscheduler(id, SCHED_BATCH, &no_priority) == 0; }},
    {"SYS_sched_setscheduler",
     [](pthread_t, pid_t id) { return syscall(SYS_sched_setscheduler, id, SCHED_BATCH, &no_priority) == 0; }},
    {"sched_setparam", [](pthread_t, pid_t id) { return sched_setparam(id, &no_priority) == 0; }},
    {"SYS_sched_setattr", [](pthread_t, pid_t id) { return set_attributes(id, {.nice_value = nicer}); }},
    {"sched_setattr", [](pthread_t, pid_t id) { return set_attributes_by_name(id, {.nice_value = nicer}); }},
    {"setpriority", [](pthread_t, pid_t id) { return setpriority(PRIO_PROCESS, static_cast<id_t>(id), nicer) == 0; }},
    {"SYS_setpriority", [](pthread_t, pid_t id) { return syscall(SYS_setpriority, PRIO_PROCESS, id, nicer) == 0; }},
    {"timer_create", [](pthread_t, pid_t id) { return set_timer(id != 0 ? id : gettid()); }},
    {"F_SETOWN_EX", [](pthread_t, pid_t id) { return set_owner_of_file(id != 0 ? id : gettid()); }},
    {"SYS_ioprio_set", [](pthread_t, pid_t id) { return syscall(SYS_ioprio_set, 1, id, 2 << 13 | 6) == 0; }},
};

/// All calls are allowed.
bool filter_calls() {
  sock_filter allows{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  const sock_fprog program{1, &allows};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
/// Of this thread alone: only root can.
bool set_user() { return geteuid() != 0 || syscall(SYS_setresuid, 1000, -1, -1) == 0; }

const change own_changes[] = {
    {"prctl", [](pthread_t, pid_t) { return prctl(PR_SET_TIMERSLACK, 80'000, 0, 0, 0) == 0; }},
    {"SYS_prctl", [](pthread_t, pid_t) { return syscall(SYS_prctl, PR_SET_TIMERSLACK, 70'000, 0, 0, 0) == 0; }},
    {"SYS_setfsuid", [](pthread_t, pid_t) { return syscall(SYS_setfsuid, geteuid()) == static_cast<long>(geteuid()); }},
    {"SYS_setresuid", [](pthread_t, pid_t) { return set_user(); }},
    {"unshare", [](pthread_t, pid_t) { return unshare(CLONE_FS) == 0 && chdir("/proc") == 0; }},
    {"PR_SET_KEEPCAPS", [](pthread_t, pid_t) { return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0; }},
    {"PR_SET_SECCOMP", [](pthread_t, pid_t) { return filter_calls(); }},
};
/// What the kernel counts of a thread, if the program may ask. Threads that it creates are not counted.
bool count_faults() {
  perf_event_attr what{};
  what.size = sizeof what;
  what.type = PERF_TYPE_SOFTWARE;
  what.config = PERF_COUNT_SW_PAGE_FAULTS;
  what.exclude_kernel = 1;
  const long counter = syscall(SYS_perf_event_open, &what, 0L, -1L, -1L, 0L);
  return counter < 0 || close(static_cast<int>(counter)) == 0;
}
/// A ring of which the kernel knows the thread that uses it, if there may be any.
bool make_ring() {
  struct {
    unsigned entries[2], flags, others[27];
  } how{{}, 1 << 12, {}};  // IORING_SETUP_SINGLE_ISSUER
  const long ring = syscall(SYS_io_uring_setup, 4L, &how);
  return ring < 0 || close(static_cast<int>(ring)) == 0;
}
const change of_one_thread[] = {{"SYS_perf_event_open", [](pthread_t, pid_t) { return count_faults(); }},
                                {"SYS_io_uring_setup", [](pthread_t, pid_t) { return make_ring(); }}};

// ---- threads that take turns

constexpr int takers = 8, rounds = 100;

/// Some of them are members soon, unless all threads are the kernel's, or each may have a processor.
bool some_must_be_members() {
  const std::string how = std::getenv("WEIR_THREADS");
  return std::thread::hardware_concurrency() < takers && (how == "all" || (how == "auto" && beside_spinning));
}
/// With WEIR_THREADS=auto threads become members once some have been found to wait, as these.
void await_members() {
  if (!some_must_be_members() || std::strcmp(std::getenv("WEIR_THREADS"), "auto") != 0) return;
  std::atomic<bool> found{false};
  const double until = now_s() + patience;
  std::vector<pthread_t> threads;
  for (int i = 0; i < takers; ++i)
    threads.push_back(start([&]() -> void* {
      while (!found && now_s() < until) {
        sched_yield();
        if (driving_thread() != gettid()) found = true;
      }
      return nullptr;
    }));
  for (const pthread_t each : threads) pthread_join(each, nullptr);
  CHECK(found);
}

class turns {
 public:
  explicit turns(bool until_members = some_must_be_members()) : until_members_(until_members) {}
  /// As number `me`; calls took() at each turn.
  template <class Took>
  void take(int me, Took took) {
    for (int i = 0; !is_over_; ++i) {
      pthread_mutex_lock(&mutex_);
      while (turn_ != me && !is_over_) pthread_cond_wait(&changed_, &mutex_);
      pass_on(me);
      took();
      if (driving_thread() != gettid()) some_are_members_ = true;
      if (me != 0 || i < rounds || (until_members_ && !some_are_members_ && now_s() < until_)) continue;
      pthread_mutex_lock(&mutex_);
      is_over_ = true;
      pass_on(me);
    }
  }
  void take(int me) {
    take(me, [] {});
  }
  bool are_as_they_must_be() const { return some_are_members_ || !until_members_; }

 private:
  /// The caller holds the mutex, which is given back.
  void pass_on(int me) {
    turn_ = (me + 1) % takers;
    pthread_cond_broadcast(&changed_);
    pthread_mutex_unlock(&mutex_);
  }
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
  int turn_ = 0;
  std::atomic<bool> is_over_{false}, some_are_members_{false};
  const bool until_members_;
  const double until_ = now_s() + patience;
};

/// What the calling thread, which is number 0, is and has while it takes turns.
struct finding {
  bool is_kernels = true, is_same = true;
  void ask(const state& before) {
    is_kernels &= driving_thread() == gettid();
    is_same &= state() == before;
  }
};
void check(const char* name, const finding& found) {
  if (!found.is_kernels || !found.is_same)
    std::fprintf(stderr, "%s: %s, %s\n", name, found.is_kernels ? "in the kernel" : "a member",
                 found.is_same ? "the same" : "changed");
  CHECK(found.is_kernels && found.is_same);
}

/// All but number 0, which the calling thread creates.
class other_takers {
 public:
  explicit other_takers(turns& by) {
    for (int i = 1; i < takers; ++i) takers_.push_back(start([&by, i] { return by.take(i), nullptr; }));
  }
  other_takers(const other_takers&) = delete;
  ~other_takers() {
    for (const pthread_t each : takers_) pthread_join(each, nullptr);
  }

 private:
  std::vector<pthread_t> takers_;
};

// ---- subjects

/// A thread that only computes so far is changed by its creator, at once or when it has said its number; or by itself.
void of_a_thread(const change& operation, bool by_creator, bool by_number) {
  std::atomic<pid_t> id{0};
  std::atomic<bool> is_changed{false};
  turns by;
  finding found;
  const state before;
  const pthread_t thread = start([&]() -> void* {
    id = gettid();
    if (!by_creator) CHECK(operation.make(pthread_self(), by_number ? gettid() : 0)), is_changed = true;
    while (!is_changed) {
    }
    sched_yield();  // one that has been a member before finds what it is asked here
    const state own(gettid());
    by.take(0, [&] { found.ask(own); });
    return nullptr;
  });
  while (by_number && id == 0) {
  }
  if (by_creator) CHECK(operation.make(thread, id)), is_changed = true;
  while (!is_changed) {
  }
  {
    const other_takers others(by);
  }
  pthread_join(thread, nullptr);
  check(operation.name, found);
  CHECK(by.are_as_they_must_be());
  CHECK(state() == before);
}
bool names_by_number(const change& operation) { return std::strncmp(operation.name, "pthread_", 8) != 0; }
void of_another() {
  await_members();
  for (const change& each : changes) of_a_thread(each, true, names_by_number(each));
}
void of_itself() {
  await_members();
  for (const change& each : changes) of_a_thread(each, false, false);
  for (const change& each : own_changes) of_a_thread(each, false, false);
  for (const change& each : of_one_thread) of_a_thread(each, false, false);
  for (const change& each : changes)
    if (names_by_number(each)) of_a_thread(each, false, true);
}

/// Other threads come later, and begin with what it has.
void of_first_thread(const change& operation, pid_t id = 0) {
  CHECK(operation.make(pthread_self(), id));
  const state own;
  turns by(beside == nullptr && some_must_be_members());  // what is beside has begun before
  finding found;
  const other_takers others(by);
  by.take(0, [&] { found.ask(own); });
  check(operation.name, found);
  CHECK(by.are_as_they_must_be());
}
const change& named(std::string_view name) {
  return *std::ranges::find_if(changes, [name](const change& each) { return name == each.name; });
}
void nice_of_first_thread() {
  of_first_thread({"nice", [](pthread_t, pid_t) { return nice(2) == nicer; }});
}

/// A thread that has changed itself creates others, which begin with what it has.
void inherited() {
  const others so_many;  // on processors that are as the first thread is
  for (const change& each : changes) {
    turns by(false);
    std::atomic<int> differ{0};
    pthread_join(start([&]() -> void* {
      CHECK(each.make(pthread_self(), 0));
      const state own(gettid());
      const auto take = [&](int i) {
        by.take(i, [&] {
          if (state() != own) ++differ;
        });
      };
      std::vector<pthread_t> threads;
      for (int i = 1; i < takers; ++i) threads.push_back(start([&take, i] { return take(i), nullptr; }));
      take(0);
      for (const pthread_t thread : threads) pthread_join(thread, nullptr);
      return nullptr;
    }), nullptr);
    if (differ != 0) std::fprintf(stderr, "%s: differs %d times\n", each.name, differ.load());
    CHECK(differ == 0);
  }
}

/// The same of what others cannot change, where threads that wait are members: each of those that it creates creates another one.
void inherited_of_own() {
  await_members();
  const others so_many;
  for (const change& each : own_changes) {
    turns by(false);
    std::atomic<int> differ{0}, are_members{0};
    pthread_join(start([&]() -> void* {
      CHECK(each.make(pthread_self(), 0));
      const std::string own = credentials_now();
      const auto take = [&](int i) {
        by.take(i, [&] {
          if (driving_thread() != gettid()) ++are_members;
          if (i != 0 && credentials_now() != own) ++differ;
        });
      };
      std::vector<pthread_t> threads;
      for (int i = 1; i < takers; ++i)
        threads.push_back(start([&, i] { return result_of(start([&take, i] { return take(i), nullptr; })); }));
      take(0);
      for (const pthread_t thread : threads) pthread_join(thread, nullptr);
      return nullptr;
    }), nullptr);
    if (differ != 0 || are_members != 0)
      std::fprintf(stderr, "%s: differs %d times, members %d times\n", each.name, differ.load(), are_members.load());
    CHECK(differ == 0 && are_members == 0);
  }
  // Others may be members as before.
  turns by;
  const other_takers takers(by);
  by.take(0);
  CHECK(by.are_as_they_must_be());
}

/// A name is no reason to stay with the kernel.
void names() {
  await_members();
  turns by;
  std::vector<pthread_t> threads;
  std::atomic<int> differ{0};
  const auto name = [](int i) { return "taker-" + std::to_string(i); };
  std::atomic<bool> have_names{false};
  for (int i = 0; i < takers; ++i)
    threads.push_back(start([&, i]() -> void* {
      while (!have_names) {
      }
      int turns_taken = 0;
      by.take(i, [&] {
        char text[16] = {};
        if (pthread_getname_np(pthread_self(), text, sizeof text) != 0 || name(i) != text) ++differ;
        if (++turns_taken % 16 != 0) return;
        child([&] { CHECK(prctl(PR_GET_NAME, text) == 0 && name(i) == text); });
      });
      return nullptr;
    }));
  for (int i = 0; i < takers; ++i) CHECK(pthread_setname_np(threads[static_cast<std::size_t>(i)], name(i).c_str()) == 0);
  have_names = true;
  for (const pthread_t each : threads) pthread_join(each, nullptr);
  CHECK(differ == 0);
  CHECK(by.are_as_they_must_be());
}

const subject subjects[] = {{"of another", of_another},
                            {"of itself", of_itself},
                            {"nice value of the first thread", nice_of_first_thread},
                            {"affinity of the first thread", [] { of_first_thread(named("sched_setaffinity")); }},
                       {"policy of the first thread", [] { of_first_thread(named("sched_setscheduler")); }},
                       {"attributes of the first thread", [] { of_first_thread(named("SYS_sched_setattr")); }},
                       {"priority of the first thread", [] { of_first_thread(named("setpriority")); }},
                       {"priority of the first thread by its number", [] { of_first_thread(named("setpriority"), gettid()); }},
                       {"inherited", inherited},
                       {"inherited, of its own", inherited_of_own},
                       {"names", names}};

}  // namespace

int main() { return run_all(subjects); }
