// Is each memory order of a text needed? One after the other is weakened by itself, and the explorer must find a breach in one of
// the candidates under weak memory, or a table gives the reason for the order.
//
// The places are taken from the text and from the operations of the explored machine: both must name the same ones.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulator/explorer/explorer.hpp"

namespace explored_orders {

using namespace weir::explorer;
using order = std::memory_order;

inline const std::filesystem::path source = WEIR_SOURCE;

/// A line with an order that could be weaker.
struct site {
  std::string file;  // below the source's root
  unsigned line = 0;
  order written{};
  friend auto operator<=>(const site&, const site&) = default;
};

inline const char* name_of(order o) {
  switch (o) {
    case order::relaxed: return "relaxed";
    case order::acquire: return "acquire";
    case order::release: return "release";
    case order::acq_rel: return "acq_rel";
    default: return "seq_cst";
  }
}

inline std::vector<order> weaker_than(order o) {
  switch (o) {
    case order::acquire:
    case order::release: return {order::relaxed};
    case order::acq_rel: return {order::acquire, order::release};
    case order::seq_cst: return {order::acq_rel};
    default: return {};
  }
}

inline std::string trimmed(std::string line) {
  line.erase(std::min(line.find("//"), line.size()));
  const auto begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(' ') + 1 - begin);
}

/// Adds the lines of a file that name an order, or a fence of the machine, with their text.
inline void scan(const std::filesystem::path& file, std::map<site, std::string>& found) {
  std::ifstream in(file);
  std::string line;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    const std::string text = trimmed(line);
    for (const char* fence : {"achine::full_fence()", "achine::fence_after_update()", "achine::fence_everywhere()"})
      if (text.find(fence) != std::string::npos) found[{file.lexically_relative(source), number, order::seq_cst}] = text;
    for (const order o : {order::acquire, order::release, order::acq_rel, order::seq_cst}) {
      const std::string written = std::string("std::memory_order_") + name_of(o);
      const auto at = text.find(written);
      if (at == std::string::npos || text.find("= " + written) != std::string::npos) continue;  // a default argument
      EXPECT_EQ(text.find(written, at + 1), std::string::npos) << "two of the same order on one line: " << text;
      found[{file.lexically_relative(source), number, o}] = text;
    }
  }
}

struct candidate {
  std::string name;
  subject s;
  std::set<site> reached = {};
};

/// An order that no candidate needs, and its reason; `weaker`: seq_cst if none reaches the place.
struct kept {
  std::string file, text;
  order weaker;
  const char* why;
};

/// The path depends on how the compiler was called. None of a test's own.
inline site site_of(const std::source_location& at, order written) {
  const std::string path = at.file_name();
  const auto begin = std::min({path.find("include/weir/"), path.find("src/simulator/"), path.find("src/threads/"),
                               path.find("src/openmp/"), path.size()});
  return {path.substr(begin), at.line(), written};
}

inline verdict explored_with(const candidate& c, const decltype(subject::order_at)& order_at) {
  subject s = c.s;
  s.order_at = order_at;
  return explore(s, {.memory = memory_model::weak, .most_states = 1'000'000});
}

/// The first breach if one order is weaker; "" if none.
inline std::string found_with(const std::vector<candidate>& candidates, const site& at, order weaker) {
  for (const candidate& c : candidates) {
    if (!c.reached.contains(at)) continue;
    const verdict v = explored_with(c, [&](const std::source_location& here, order written) {
      return written == at.written && here.line() == at.line && site_of(here, written) == at ? weaker : written;
    });
    if (!v.holds) return c.name + ": " + v.violated;
  }
  return "";
}

inline bool is_kept(const std::vector<kept>& table, const site& s, const std::string& text, order weaker) {
  return std::any_of(table.begin(), table.end(),
                     [&](const kept& k) { return k.file == s.file && k.text == text && k.weaker == weaker; });
}

/// `written`: the places of the text.
inline void expect_needed(const std::map<site, std::string>& written, std::vector<candidate> candidates,
                          const std::vector<kept>& table) {
  std::set<std::string> files;
  for (const auto& each : written) files.insert(each.first.file);
  std::set<site> reached;
  for (candidate& c : candidates) {
    const verdict v = explored_with(c, [&](const std::source_location& at, order written_here) {
      const site here = site_of(at, written_here);
      if (files.contains(here.file) && !weaker_than(written_here).empty()) c.reached.insert(here);
      return written_here;
    });
    EXPECT_TRUE(v.holds && v.complete) << c.name << '\n' << v.timeline;
    reached.insert(c.reached.begin(), c.reached.end());
  }
  for (const site& s : reached)
    EXPECT_TRUE(written.contains(s)) << s.file << ':' << s.line << ": an order that the text does not show on this line";

  unsigned tried = 0, found = 0, unreached = 0, survived = 0;
  for (const auto& [s, text] : written) {
    const std::string where = s.file + ':' + std::to_string(s.line) + ": " + text;
    const bool listed = is_kept(table, s, text, order::seq_cst);
    EXPECT_NE(reached.contains(s), listed) << where << (listed ? "\nis reached now" : "\nis never reached");
    unreached += listed;
    if (!reached.contains(s)) continue;
    for (const order weaker : weaker_than(s.written)) {
      const std::string what = found_with(candidates, s, weaker);
      const bool is_listed = is_kept(table, s, text, weaker);
      EXPECT_NE(what.empty(), !is_listed) << where << "\nas " << name_of(weaker)
                                          << (is_listed ? " is found now: " + what : " breaks nothing");
      ++tried;
      found += !what.empty();
      survived += what.empty();
    }
  }
  EXPECT_EQ(unreached + survived, table.size()) << "a line of the table is nowhere in the text";
  std::cout << written.size() << " places, " << reached.size() << " of them explored; " << tried << " weaker orders: " << found
            << " found, " << survived << " survive\n";
}

}  // namespace explored_orders
