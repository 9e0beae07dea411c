#include <weir/barrier.hpp>
#include <weir/team_barrier.hpp>

#include <cstdio>
#include <thread>
#include <vector>

int main() {
  constexpr unsigned members = 4;
  unsigned phases = 0;
  weir::barrier standard(members, [&]() noexcept { ++phases; });
  weir::team_barrier numbered(members, {.algorithm = "mcs"});
  weir::team_barrier<weir::barriers::dissemination, weir::waiting::yield> typed(members);
  std::vector<std::thread> team;
  for (unsigned m = 0; m < members; ++m)
    team.emplace_back([&, m] {
      for (int i = 0; i < 100; ++i) {
        standard.arrive_and_wait();
        numbered.arrive_and_wait(m);
        typed.arrive_and_wait(m);
      }
    });
  for (auto& member : team) member.join();
  std::printf("%u phases\n", phases);
  return phases == 100 ? 0 : 1;
}
