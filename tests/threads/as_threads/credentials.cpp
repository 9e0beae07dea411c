// setuid() and its kin reach every thread of the process by a signal of the C library's, and return.
#include "team.hpp"

#include <grp.h>

namespace {

struct call {
  const char* name;
  int (*make)();
};
const call calls[] = {
    {"setuid", [] { return setuid(getuid()); }},
    {"seteuid", [] { return seteuid(geteuid()); }},
    {"setreuid", [] { return setreuid(getuid(), geteuid()); }},
    {"setresuid", [] { return setresuid(getuid(), geteuid(), geteuid()); }},
    {"setgid", [] { return setgid(getgid()); }},
    {"setegid", [] { return setegid(getegid()); }},
    {"setregid", [] { return setregid(getgid(), getegid()); }},
    {"setresgid", [] { return setresgid(getgid(), getegid(), getegid()); }},
    {"setgroups", [] {
       if (geteuid() != 0) return 0;  // not for others
       gid_t groups[256];
       const int count = getgroups(256, groups);
       return setgroups(static_cast<std::size_t>(count), groups);
     }},
    {"initgroups", [] { return geteuid() != 0 ? 0 : initgroups("root", getgid()); }},
};
void make_all() {
  for (const call& entry : calls) {
    if (const int result = entry.make(); result != 0) {
      std::fprintf(stderr, "%s: %s\n", entry.name, std::strerror(errno));
      CHECK(result == 0);
    }
  }
}

void by_one_member() {
  team([](int me) {
    for (int i = 0; i < 5; ++i) {
      if (me == i % members) make_all();
      compute(0.001);
      meet();
    }
    if (me == members - 1) make_all();  // the others wait for the region's end
  });
}

void by_all_members() {
  team([](int) {
    for (int i = 0; i < 3; ++i) {
      make_all();
      meet();
    }
  });
}

void by_a_thread_beside() {
  std::atomic<bool> ends{false};
  std::atomic<int> made{0};
  struct argument {
    std::atomic<bool>* ends;
    std::atomic<int>* made;
  } shared{&ends, &made};
  pthread_t thread;
  pthread_create(&thread, nullptr, [](void* given) -> void* {
    auto* to = static_cast<argument*>(given);
    for (; !*to->ends; sleep_for(0.001)) {
      make_all();
      ++*to->made;
    }
    return nullptr;
  }, &shared);
  for (int round = 0; round < 10; ++round) {
    team([](int) {
      for (int i = 0; i < 20; ++i) {
        compute(0.0002);
        meet();
      }
    });
  }
  ends = true;
  pthread_join(thread, nullptr);
  CHECK(made > 0);
}

void between_regions() {
  for (int round = 0; round < 20; ++round) {
    team([](int) { meet(); });
    if (round % 3 == 1) sleep_for(0.01);  // those of the team may have gone to sleep
    make_all();
  }
}

void members_see_what_another_has_set() {
  if (geteuid() != 0) return;
  team([](int me) {
    if (me == 1) CHECK(seteuid(12345) == 0);
    meet();
    CHECK(geteuid() == 12345 && syscall(SYS_geteuid) == 12345);
    meet();
    if (me == 2 % members) CHECK(seteuid(0) == 0);
    meet();
    CHECK(syscall(SYS_geteuid) == 0);
  });
  CHECK(syscall(SYS_geteuid) == 0);
}

/// As the kernel keeps it for the thread that runs.
bool is_of_group(gid_t which) {
  gid_t groups[256];
  const long count = syscall(SYS_getgroups, std::size(groups), groups);
  for (long i = 0; i < count; ++i)
    if (groups[i] == which) return true;
  return false;
}

void members_are_of_the_groups_that_another_has_set() {
  if (geteuid() != 0) return;
  static constexpr gid_t one = 54321, other = 54322;
  team([](int me) {
    if (me == 1) CHECK(setgroups(1, &one) == 0);
    meet();
    CHECK(is_of_group(one) && !is_of_group(other));
    meet();
    if (me == 2 % members) CHECK(initgroups("root", other) == 0);
    meet();
    CHECK(is_of_group(other) && !is_of_group(one));
  });
  CHECK(is_of_group(other) && !is_of_group(one));
}

}  // namespace

int main() {
  subject("by one member", by_one_member);
  subject("by all members", by_all_members);
  subject("by a thread beside", by_a_thread_beside);
  subject("between regions", between_regions);
  subject("members see what another has set", members_see_what_another_has_set);
  subject("members are of the groups that another has set", members_are_of_the_groups_that_another_has_set);
  return verdict();
}
