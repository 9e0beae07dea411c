// A program at a fixed address that takes the address of malloc(), as Debian's Python does: it seems to contain an allocator, but
// its threads are members.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

void* (*volatile allocate)(std::size_t);

int main() {
  allocate = std::malloc;  // in the code, where it is a constant
  std::free(allocate(1));
  std::vector<std::thread> threads;
  std::atomic<bool> found{false};
  for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) threads.emplace_back([&found] { found.wait(false); });
  for (int i = 0; i < 30'000 && !found; ++i) {  // the monitor says who it is soon after it has begun
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string name;
      std::getline(std::ifstream(thread.path() / "comm"), name);
      if (name == "weir-monitor") found = true;
    }
    if (!found) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::puts(found ? "ok" : "no member");
  found = true;
  found.notify_all();
  for (std::thread& each : threads) each.join();
}
