// All other functions, by the calls of replaced_functions.hpp: one that ends at once, or fails. Here errno says what came of it.
#include "../posix/replaced_functions.hpp"
#include "row.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <string_view>

namespace {

// What is not determined of some, or must not be done.
struct restriction {
  std::string_view name;
  unsigned how;
};
constexpr restriction restrictions[] = {
    {"sched_setscheduler", no_handler}, {"_Fork", no_child},  // its child knows of no other threads
};
constexpr std::string_view left_out[] = {
    // tests/python/threads/test_conformance.py says why not.
    "_exit", "_Exit", "get_nprocs", "get_nprocs_conf", "iopl", "ioperm", "arch_prctl", "sched_setattr", "setgroups", "initgroups",
    "epoll_pwait2",
    "mq_receive", "mq_timedreceive", "mq_send", "mq_timedsend",  // with another number of a queue each time: in rows_reading.cpp
};

/// Changes of the mask, of the state or by a jump are made for what follows: said, and undone by the caller's end.
void make_ready(place&) {
  static const bool once = (replaced::make_files(), true);
  (void)once;
  replaced::make_things();
}

}  // namespace

rows rows_of_the_rest(const rows& others) {
  rows made;
  for (const replaced::row& each : replaced::rows) {
    const auto is_it = [&each](const auto& other) { return std::string_view(other.name) == each.name; };
    if (std::ranges::any_of(others, is_it) || std::ranges::find(left_out, std::string_view(each.name)) != std::end(left_out))
      continue;
    unsigned how = alone;
    for (const restriction& limit : restrictions)
      if (limit.name == each.name) how |= limit.how;
    made.push_back({each.name, returns::nothing, how, {{"at once", [run = each.call](place&) { return run(), 0; }, make_ready}}});
  }
  return made;
}
