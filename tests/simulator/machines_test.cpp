// Every file in machines/: it loads, farther is not nearer, each number has its source, and barriers run on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "plain_machine.hpp"
#include "simulator/toml_reader.hpp"

namespace weir::simulator {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(WEIR_MACHINES))
    if (entry.path().extension() == ".toml") found.push_back(entry.path().stem().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::string path_of(const std::string& name) { return WEIR_MACHINES "/" + name + ".toml"; }

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(MachineFiles, HaveTheSignatureOfTheirMachine) {
  const machine_model m = read_machine(path_of("epyc-9554-2s"));
  EXPECT_EQ(signature(topology_of(m)), "128 processors in 16 groups in 2 groups");
  EXPECT_EQ(as_described(m).find("cache")->groups, 16u) << "the nearest groups";
  EXPECT_EQ(as_described(cut(m, 8)).find("cache")->groups, 16u) << "also of a team that uses a part";
}

class MachineFile : public testing::TestWithParam<std::string> {};

TEST_P(MachineFile, IsConsistent) {
  const machine_model m = read_machine(path_of(GetParam()));
  EXPECT_LE(m.processor.hit, m.distances.front().fetch) << "a hit takes longer than another cache";
  for (std::size_t i = 1; i < m.distances.size(); ++i) {
    const distance &near = m.distances[i - 1], &far = m.distances[i];
    EXPECT_LT(near.group, far.group) << far.name;
    EXPECT_LE(near.fetch, far.fetch) << far.name;
    EXPECT_LE(near.memory, far.memory) << far.name;
    EXPECT_NE(near.name, far.name);
  }
  for (const distance& d : m.distances) EXPECT_LE(d.busy, std::max(d.fetch, d.memory)) << d.name;
}

TEST_P(MachineFile, HasASourceForEachNumber) {
  const std::string text = text_of(path_of(GetParam()));
  const std::size_t sources = text.find("[sources]");
  ASSERT_NE(sources, std::string::npos);
  std::set<std::string> known;
  const std::regex source(R"re(\n"?([\w +]+)"? = "([^"]+)")re"), cited(R"re(\[([\w +]+)\])re");
  const std::string listed = text.substr(sources);
  for (std::sregex_iterator s(listed.begin(), listed.end(), source); s != std::sregex_iterator(); ++s) known.insert((*s)[1]);
  std::istringstream lines(text.substr(0, sources));
  std::set<std::string> used;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t comment = line.find('#');
    const std::string said = comment == std::string::npos ? "" : line.substr(comment);
    for (std::sregex_iterator c(said.begin(), said.end(), cited); c != std::sregex_iterator(); ++c) {
      EXPECT_TRUE(known.contains((*c)[1])) << "no such source: " << line;
      used.insert((*c)[1]);
    }
    const bool number = std::regex_search(line, std::regex(R"(^\w+ = [\d.e]+)")) && !line.starts_with("processors") &&
                        !line.starts_with("group");
    EXPECT_TRUE(!number || said.find('[') != std::string::npos || said.find("estimated: ") != std::string::npos) << line;
  }
  EXPECT_EQ(used, known) << "a source that no number has";
}

// The topology's levels are the distances, but for a distance of one processor or of all.
TEST_P(MachineFile, HasATopologyThatAgreesWithItsDistances) {
  const machine_model m = read_machine(path_of(GetParam()));
  const topology t = topology_of(m);
  EXPECT_EQ(t.processors().size(), m.processors);
  const unsigned step = std::max(1u, m.processors / 64);
  for (unsigned a = 0; a < m.processors; a += step)
    for (unsigned b = 0; b < m.processors; b += step)
      for (unsigned c = 0; c < m.processors; c += 7 * step)
        if (a != b && a != c && m.between(a, b) < m.between(a, c)) {
          ASSERT_LT(t.distance(static_cast<int>(a), static_cast<int>(b)), t.distance(static_cast<int>(a), static_cast<int>(c)));
        }
}

TEST_P(MachineFile, IsInTheTableOfMachines) {
  EXPECT_NE(text_of(WEIR_MACHINES "/README.md").find("| `" + GetParam() + "` |"), std::string::npos);
}

TEST_P(MachineFile, RunsBarriers) {
  const machine_model whole = read_machine(path_of(GetParam()));
  const machine_model m = cut(whole, std::min(64u, whole.processors));
  for (const char* barrier : {"sense", "dissemination", "mcs"}) {
    simulation experiment(plain::with(m, {plain::team(m.processors, barrier, "spin", 3)}), 1);
    const run_result r = experiment.run();
    ASSERT_EQ(r.applications.at(0).episodes.size(), 3u) << barrier;
    EXPECT_GE(r.applications[0].episodes[2].first_leaving, r.applications[0].episodes[2].last_arrival) << barrier;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MachineFile, testing::ValuesIn(names()), [](const auto& of) {
  std::string name = of.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// The last of the groups within the last distance may have fewer processors; a whole group may not be missing.
TEST(MachineFiles, MayEndWithAnIncompleteGroup) {
  const plain::folder folder;
  const std::string text = text_of(path_of("xeon-6980p")), has = "processors = 128";
  const auto with = [&](const std::string& count) {
    std::string changed = text;
    return folder.file("changed.toml", changed.replace(changed.find(has), has.size(), "processors = " + count));
  };
  const machine_model m = read_machine(path_of("xeon-6980p"));
  EXPECT_EQ(m.processors, 128u);
  EXPECT_EQ(m.between(0, 42), 0u);
  EXPECT_EQ(m.between(42, 43), 1u);
  EXPECT_EQ(m.between(86, 127), 0u);
  EXPECT_EQ(read_machine(with("129")).processors, 129u);
  EXPECT_EQ(read_machine(with("87")).processors, 87u);
  EXPECT_THROW(read_machine(with("86")), bad_file);
  EXPECT_THROW(read_machine(with("130")), bad_file);
}

}  // namespace
}  // namespace weir::simulator
