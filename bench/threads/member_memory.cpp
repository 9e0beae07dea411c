// What a member costs in memory: weir-member-memory crowd|threads|openmp [MEMBERS]
//
// The memory is measured when all members exist, and each has called a function of the C library and waited once.
// /proc/self/status has the resident and virtual memory of the process, and its page tables. /proc/meminfo has the kernel stacks
// of the whole system, which other programs change, too; so take the least of several runs. `openmp` is a team of the runtime on
// which the program is started.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <weir/crowd.hpp>
#include <weir/machine/gate.hpp>

namespace {

struct figures {
  double resident = 0, virtual_size = 0, page_tables = 0, kernel_stacks = 0;  // in KiB
};

double of(const char* file, const char* name) {
  double kib = 0;
  char line[256];
  std::FILE* const in = std::fopen(file, "r");
  while (in != nullptr && std::fgets(line, sizeof line, in) != nullptr)
    if (std::strncmp(line, name, std::strlen(name)) == 0) kib = std::atof(line + std::strlen(name) + 1);
  if (in != nullptr) std::fclose(in);
  return kib;
}

figures now() {
  constexpr const char *own = "/proc/self/status", *machine = "/proc/meminfo";
  return {of(own, "VmRSS"), of(own, "VmSize"), of(own, "VmPTE"), of(machine, "KernelStack")};
}

std::atomic<unsigned> there{0};
std::atomic<bool> measured{false};
weir::gate end;
figures before, after;

void member(unsigned number, unsigned members) {
  char text[64];
  std::snprintf(text, sizeof text, "%u", number);
  // acq_rel: the last one measures after all.
  if (there.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
    usleep(100'000);  // until all others sleep
    after = now();
    measured.store(true, std::memory_order_release);  // release: the figures
    end.open();
  }
  const auto ended = [] { return measured.load(std::memory_order_acquire); };
  while (!ended()) end.sleep_unless(ended);
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  const unsigned members = count > 2 ? static_cast<unsigned>(std::atoi(words[2])) : 1000;
  if (what == "crowd") {
    weir::crowd(4, [](unsigned) { weir::this_member::yield(); }).join();  // what is needed once
    before = now();
    weir::crowd(members, [&](unsigned m) { member(m, members); }).join();
  } else if (what == "threads") {
    before = now();
    std::vector<std::thread> running;
    for (unsigned m = 0; m < members; ++m) running.emplace_back(member, m, members);
    for (auto& t : running) t.join();
#if defined(_OPENMP)
  } else if (what == "openmp") {
#pragma omp parallel num_threads(4)
    weir::this_member::yield();
    before = now();
    std::atomic<unsigned> number{0};
#pragma omp parallel num_threads(members)
    {
      const unsigned me = number++;
#pragma omp barrier
      if (me == 0) {
        usleep(100'000);
        after = now();
      }
#pragma omp barrier
    }
    if (number != members) return std::fprintf(stderr, "a team of %u only\n", number.load()), 1;
#endif
  } else {
    std::fprintf(stderr, "usage: weir-member-memory crowd|threads|openmp [MEMBERS]\n");
    return 2;
  }
  const auto each = [&](double figures::*which) { return (after.*which - before.*which) / members; };
  std::printf("%s of %u, KiB each: resident %.1f, virtual %.0f, page tables %.1f, kernel stack %.1f\n", what.c_str(), members,
              each(&figures::resident), each(&figures::virtual_size), each(&figures::page_tables), each(&figures::kernel_stacks));
}
