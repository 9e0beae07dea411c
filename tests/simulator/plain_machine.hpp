// Machines and scenarios made in code, with costs that are easy to add up.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "simulator/run.hpp"
#include "simulator/scenario.hpp"

namespace plain {

using namespace weir::simulator;

/// Two processors a chip: 10 ns from a cache on it, 100 beyond; memory 50 and 150; a line is busy for 5 and 20.
inline machine_model machine(unsigned processors = 8) {
  machine_model m;
  m.name = "plain";
  m.built = m.processors = processors;
  m.processor.hit = from_ns(1);
  m.processor.poll = from_ns(4);
  m.processor.store = from_ns(1);
  m.processor.atomic = from_ns(2);
  m.distances = {{"chip", 2, from_ns(10), from_ns(50), from_ns(5), 0, 0},
                 {"machine", processors, from_ns(100), from_ns(150), from_ns(20), 0, 0}};
  m.system.quantum = from_us(1000);
  return m;
}

/// Nothing costs anything: what is left is scheduling.
inline machine_model ideal(unsigned processors) {
  machine_model m = machine(processors);
  m.processor = {};
  m.distances = {{"machine", processors, 0, 0, 0, 0, 0}};
  return m;
}

inline application team(unsigned members, const std::string& barrier = "sense", const std::string& waiting = "spin",
                        unsigned barriers = 10, double compute_us = 1) {
  application a;
  a.members = members;
  a.barrier = barrier;
  a.waiting = waiting;
  a.barriers = barriers;
  a.compute = from_us(compute_us);
  return a;
}

inline scenario with(const machine_model& m, std::vector<application> applications, policy by = policy::partition) {
  scenario s;
  s.machine = m;
  s.system.by = by;
  s.system.quantum = m.system.quantum;
  s.applications = std::move(applications);
  return s;
}

/// A folder of files that is gone afterwards.
class folder {
 public:
  folder() : path_(std::filesystem::temp_directory_path() / ("weir-test-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace plain
