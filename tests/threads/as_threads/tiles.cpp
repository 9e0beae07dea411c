// Tiles (AMX) are registers of a kernel thread: once the program may use them, each member has a kernel thread of its own.
//
// The system here only seems to permit them, so that any processor will do: a filter answers for it.
#include "team.hpp"

#include <set>
#include <system_error>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#if defined(_OPENMP)
#include <omp.h>
#endif

#if defined(__x86_64__)
#include "../../../src/system/raw_call.hpp"

extern "C" int arch_prctl(int what, unsigned long to);

namespace {

constexpr int request = 0x1023;  // ARCH_REQ_XCOMP_PERM
constexpr unsigned tiles = 18;   // XTILE_DATA

void answer_requests(unsigned error) {
  const auto word = [](unsigned at) { return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at); };
  const auto unless = [](unsigned value, unsigned char skip) {
    return sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip);
  };
  sock_filter instructions[] = {
      word(offsetof(seccomp_data, nr)),      unless(SYS_arch_prctl, 5),
      word(offsetof(seccomp_data, args)),    unless(request, 3),
      word(offsetof(seccomp_data, args[1])), unless(tiles, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{std::size(instructions), instructions};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

void ask(bool by_number) {
  CHECK((by_number ? syscall(SYS_arch_prctl, request, tiles) : arch_prctl(request, tiles)) == 0);
}

/// A kernel thread each, at all times; or, where the program is told so, no members at all.
void have_kernel_threads() {
  std::vector<long> threads(static_cast<std::size_t>(members));
  try {
    team([&](int me) {
      const long own = weir::raw_call(SYS_gettid);
      threads[static_cast<std::size_t>(me)] = own;
      for (int i = 0; i < 20; ++i) {
        meet();
        CHECK(weir::raw_call(SYS_gettid) == own);
      }
    });
  } catch (const std::system_error& refused) {
    return CHECK(refused.code().value() == ENOTSUP && threads.front() == 0);
  }
  CHECK(std::set<long>(threads.begin(), threads.end()).size() == threads.size());
}

void some_region() {
  team([](int) { meet(); });
}

#if defined(_OPENMP)
/// Regions of two.
void inner_regions(bool has_kernel_threads) {
  for (int i = 0; i < 5; ++i) {
    long threads[2] = {};
    std::atomic<int> come{0};
#pragma omp parallel num_threads(2)
    {
      threads[come++] = weir::raw_call(SYS_gettid);
#pragma omp barrier
    }
    CHECK(come == 2);
    if (has_kernel_threads) CHECK(threads[0] != threads[1]);
  }
}
#endif

}  // namespace

int main() {
  for (const bool by_number : {false, true}) {
    const std::string how = by_number ? " by number" : " by name";
    subject(("from the start" + how).c_str(), [=] {
      answer_requests(0);
      ask(by_number);
      have_kernel_threads();
    });
    subject(("between regions" + how).c_str(), [=] {
      answer_requests(0);
      some_region();
      ask(by_number);
      for (int i = 0; i < 3; ++i) have_kernel_threads();
    });
    subject(("by a member" + how).c_str(), [=] {
      answer_requests(0);
      team([=](int me) {
        meet();
        if (me == 1) ask(by_number);
        meet();
      });
      for (int i = 0; i < 3; ++i) have_kernel_threads();
    });
  }
#if defined(_OPENMP)
  subject("between inner regions", [] {
    answer_requests(0);
    omp_set_max_active_levels(2);
    for (int i = 0; i < 2; ++i) {
      team([=](int me) {
        inner_regions(i > 0);
        meet();
        if (me == 1 && i == 0) ask(false);
        meet();
        inner_regions(i > 0);
      });
    }
  });
#endif
  subject("refused", [] {
    answer_requests(EOPNOTSUPP);
    CHECK(arch_prctl(request, tiles) == -1 && errno == EOPNOTSUPP);
    some_region();
  });
  return verdict();
}
#else
int main() { return verdict(); }
#endif
