// Members of a crowd, known to the C library's functions by name: each has a number of its own, though one kernel thread drives
// all.
#include <weir/crowd.hpp>

#include <set>

#include <unistd.h>

int main() {
  constexpr unsigned members = 4;
  pid_t ids[members];
  weir::crowd crowd(members, [&](unsigned me) { ids[me] = gettid(); }, {.processors = 1});
  crowd.join();
  return std::set<pid_t>(ids, ids + members).size() == members ? 0 : 1;
}
