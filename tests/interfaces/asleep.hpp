// Whether a thread has come to where it waits for long: it sleeps there.
#pragma once

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

/// Of the thread that has left its number (gettid()), as its last word before it waits. It may sleep on its way, but not for 20
/// looks in a row.
inline void await_sleep_of(const std::atomic<pid_t>& thread) {
  for (int looks_in_a_row = 0; looks_in_a_row < 20; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    std::string line;
    std::ifstream file("/proc/self/task/" + std::to_string(thread.load()) + "/stat");
    std::getline(file, line);
    const auto name_ends = line.rfind(") ");
    looks_in_a_row = name_ends != std::string::npos && line[name_ends + 2] == 'S' ? looks_in_a_row + 1 : 0;
  }
}
