// weir-measure-libgomp and weir-measure-libomp: one source, two compilers, two runtimes.
#include <cstdlib>
#include <iostream>
#include <omp.h>
#include <stdexcept>
#include <thread>

#include "arguments.hpp"

int main(int count, char** words) {
  using namespace bench;
  try {
    const arguments asked = parse({words + 1, words + count});
    if (asked.verb == "busy" || asked.verb == "check") throw std::invalid_argument(asked.verb + " is weir-measure's");
    if (!asked.library.empty()) throw std::invalid_argument("--mine is weir-measure's");
    if (asked.verb == "--help") {
      std::cout << "weir-measure (OpenMP)" << usage << '\n';
      return 0;
    }
    catalogue entries;
    add_openmp(entries);
    if (asked.verb != "serve") {
      std::cout << list_of(entries).dump() << '\n';
      return 0;
    }
    protocol p(entries, /*with_floor=*/false, asked.serve);
    crew members(asked.serve.team);
    // The coordinator is a thread outside the region; all threads of the region are members.
    std::thread coordinator([&] {
      p.answer_all(members);
      members.dismiss();
    });
    omp_set_dynamic(0);
#pragma omp parallel num_threads(static_cast<int>(asked.serve.team.members))
    {
#pragma omp single
      if (const int given = omp_get_num_threads(); given != static_cast<int>(asked.serve.team.members)) {
        std::cerr << "weir-measure (OpenMP): the runtime gives " << given << " threads, not "
                  << asked.serve.team.members << ": raise or unset OMP_THREAD_LIMIT\n";
        std::_Exit(2);  // the coordinator may be waiting for a command
      }
      members.serve(static_cast<unsigned>(omp_get_thread_num()));
    }
    coordinator.join();
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "weir-measure (OpenMP): " << e.what() << '\n';
    return 2;
  }
}
