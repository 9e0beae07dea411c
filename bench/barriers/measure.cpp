// weir-measure: Weir's barriers, the peers that need no OpenMP runtime, and the floor; or a user's own barrier.
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "../machine/busy.hpp"
#include "../machine/floor.hpp"
#include "arguments.hpp"
#include "mine.hpp"

int main(int count, char** words) {
  using namespace bench;
  try {
    const arguments asked = parse({words + 1, words + count});
    if (asked.verb == "--help") {
      std::cout << "weir-measure" << usage << '\n';
      return 0;
    }
    if (asked.verb == "busy") burn(asked.processor, asked.within_session);

    if (asked.verb == "check") {
      const auto found = check_contract(user_barrier::load(asked.library), asked.serve.team);
      std::cout << found.dump() << std::endl;
      std::_Exit(0);  // members may never return
    }

    // A user's barrier has a process of its own, so that it can break nothing else.
    const bool is_mine = !asked.library.empty();
    catalogue entries;
    if (is_mine) {
      add_mine(entries, asked.library);
    } else {
      add_weir(entries, asked.levels);
      add_standard(entries);
#ifdef CK_VERSION  // it was there when this was built
      add_concurrency_kit(entries);
#endif
    }
    if (asked.verb == "list") {
      auto list = list_of(entries);
      if (!is_mine)
        for (auto& f : floor_list(asked.serve.team.processors)) list.push_back(f);
      std::cout << list.dump() << '\n';
      return 0;
    }

    protocol p(entries, /*with_floor=*/!is_mine, asked.serve);
    crew members(asked.serve.team);
    std::vector<std::thread> threads;
    try {
      for (unsigned m = 0; m < asked.serve.team.members; ++m) threads.emplace_back([&members, m] { members.serve(m); });
    } catch (const std::system_error& e) {
      members.dismiss();
      for (auto& t : threads) t.join();
      throw std::runtime_error("cannot start thread " + std::to_string(threads.size() + 1) + " of " +
                               std::to_string(asked.serve.team.members) + " (" + e.what() +
                               "): ask for fewer members, or raise the limit on threads (ulimit -u)");
    }
    p.answer_all(members);
    members.dismiss();
    for (auto& t : threads) t.join();
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "weir-measure: " << e.what() << '\n';
    return 2;
  }
}
