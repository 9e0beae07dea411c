// weir-mpi-measure-NAME: barriers of processes, and of threads and processes, under the launcher of one MPI.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include <weir/machine/native.hpp>

#include "arguments.hpp"
#include "clocks.hpp"
#include "conversation.hpp"
#include "ensemble.hpp"
#include "site.hpp"
#include "session.hpp"
#include "subjects.hpp"

namespace bench::mpi {

namespace {

using nlohmann::json;

int number_of(const std::string& level) {
  return level == "multiple" ? MPI_THREAD_MULTIPLE : level == "serialized" ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
}

std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of("\n\r,"));
}

class lines {
 public:
  lines(const std::string& path, bool open) : to_file_(!path.empty()) {
    if (to_file_ && open) file_.open(path);
    if (to_file_ && open && !file_) throw std::runtime_error("cannot write " + path);
  }
  void operator()(const json& event) { (to_file_ ? file_ : std::cout) << event.dump() << std::endl; }

 private:
  const bool to_file_;
  std::ofstream file_;
};

json about(const site& s, const conversation& talk, const arguments& asked) {
  return {{"event", "site"},
          {"processes", talk.size()},
          {"threads", asked.threads},
          {"nodes", s.nodes},
          {"processors", s.processors},
          {"pinned", s.pinned},
          {"dedicated", s.dedicated},
          {"level", asked.level},
          {"library", library()},
          {"version", WEIR_VERSION},
          {"compiler", WEIR_COMPILER},
          {"cycles_per_ns", weir::native::ticks_per_microsecond() / 1000}};
}

void show_clocks(const std::vector<clock_offset>& found, lines& say) {
  for (std::size_t i = 0; i < found.size(); ++i)
    say({{"event", "clock"}, {"rank", i + 1}, {"offset_ns", found[i].offset_ns}, {"uncertainty_ns", found[i].uncertainty_ns},
         {"pretended_ns", found[i].pretended_ns}});
}

// Makes each barrier in all processes, or in none.
std::vector<std::unique_ptr<subject>> made(const arguments& asked, const std::vector<std::string>& methods, conversation& talk,
                                           lines& say, std::vector<series>& plan) {
  std::vector<std::unique_ptr<subject>> subjects;
  for (const std::string& id : asked.subjects) {
    json event{{"event", "subject"}, {"id", id}};
    try {
      subjects.push_back(make(id, asked.threads, talk.size()));
      event["choice"] = subjects.back()->choice();
      for (const std::string& method : methods) plan.push_back({id, method, subjects.size() - 1});
    } catch (const std::exception& e) {
      event["failed"] = e.what();
    }
    if (talk.rank() == 0) say(event);
  }
  return subjects;
}

void measure(const arguments& asked) {
  conversation talk(MPI_COMM_WORLD);
  const process_clock clock(talk.rank(), asked.pretended);
  lines say(asked.output, talk.rank() == 0);
  const site here = site_of(talk, asked.threads);
  if (talk.rank() == 0) say(about(here, talk, asked));
  const std::vector<std::string> suits = {here.dedicated ? "round-time" : "consecutive"};
  std::vector<series> plan;
  auto subjects = made(asked, asked.methods.empty() ? suits : asked.methods, talk, say, plan);
  ensemble ranks(talk, clock, asked.threads, here.of_mine, subjects);
  if (talk.rank() != 0) return ranks.serve();
  // If processors are shared, pings would take time slices, and no method would use the clocks.
  const bool clocks = std::any_of(plan.begin(), plan.end(), [](const series& s) { return s.method == "round-time"; });
  if (clocks) show_clocks(ranks.synchronise(), say);
  session(ranks, asked, here, std::move(plan), [&say](const json& event) { say(event); }).run();
  if (clocks) show_clocks(ranks.synchronise(), say);
  ranks.end();
  say({{"event", "end"}});
}

}  // namespace

}  // namespace bench::mpi

int main(int count, char** words) {
  using namespace bench::mpi;
  arguments asked;
  try {
    asked = parse({words + 1, words + count});
  } catch (const std::exception& e) {
    std::cerr << "weir-mpi-measure: " << e.what() << '\n';
    return 2;
  }
  if (asked.help) {
    std::cout << "weir-mpi-measure" << usage << '\n';
    return 0;
  }
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&count, &words, number_of(asked.level), &level);
  try {
    if (level < number_of(asked.level)) throw std::runtime_error("this MPI has no threads at level " + asked.level);
    measure(asked);
  } catch (const std::exception& e) {
    std::cerr << "weir-mpi-measure: " << e.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
}
