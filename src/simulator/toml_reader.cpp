#include "toml_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace weir::simulator {

struct toml_table::node {
  std::shared_ptr<toml::table> whole_file;
  toml::table* table;
  std::string path;    // of the file
  std::string name;    // of the table, with a dot behind it
  unsigned line;       // the line for an error message about a missing key
  std::shared_ptr<std::map<std::pair<const toml::table*, std::string>, unsigned>> chosen;  // by [sweep], in which line
  std::set<std::string> asked = {};

  toml::node* find(const char* key) {
    asked.insert(key);
    return table->get(key);
  }
};

namespace {

unsigned line_of(const toml::node& n, unsigned otherwise) {
  const unsigned line = n.source().begin.line;
  return line != 0 ? line : otherwise;
}

std::string shown(const toml::node& n) {
  std::ostringstream text;
  n.visit([&text](const auto& value) { text << value; });
  const std::string whole = text.str();
  return whole.size() > 60 ? whole.substr(0, 57) + "..." : whole;
}

std::string number_shown(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::shared_ptr<toml_table::node> parsed(const std::string& path) {
  try {
    auto whole = std::make_shared<toml::table>(toml::parse_file(path));
    return std::make_shared<toml_table::node>(toml_table::node{
        whole, whole.get(), path, "", 1, std::make_shared<decltype(toml_table::node::chosen)::element_type>()});
  } catch (const toml::parse_error& error) {
    const unsigned line = error.source().begin.line;
    throw bad_file(path + ":" + (line != 0 ? std::to_string(line) + ":" : "") + " " + std::string(error.description()));
  }
}

[[noreturn]] void complain_at(const toml_table::node& t, const char* key, unsigned line, const std::string& what) {
  throw bad_file(t.path + ":" + std::to_string(line) + ": " + t.name + key + ": " + what);
}

}  // namespace

bool toml_table::has(const char* key) const { return node_->table->contains(key); }

std::vector<std::string> toml_table::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : *node_->table) names.emplace_back(key.str());
  return names;
}

void toml_table::complain(const char* key, const std::string& expected) const {
  const toml::node* found = node_->table->get(key);
  if (const auto by_sweep = node_->chosen->find({node_->table, key}); by_sweep != node_->chosen->end())
    complain_at(*node_, key, by_sweep->second, "expected " + expected);
  complain_at(*node_, key, found != nullptr ? line_of(*found, node_->line) : node_->line, "expected " + expected);
}

std::string toml_table::text(const char* key, std::optional<std::string> otherwise) const {
  const toml::node* found = node_->find(key);
  if (found == nullptr) return otherwise ? *otherwise : (complain(key, "a text, and it is missing"), "");
  if (!found->is_string()) complain(key, "a text in quotes, not " + shown(*found));
  return found->as_string()->get();
}

double toml_table::number(const char* key, double least, double most, std::optional<double> otherwise) const {
  const std::string range = "a number from " + number_shown(least) + " to " + number_shown(most);
  const toml::node* found = node_->find(key);
  if (found == nullptr) return otherwise ? *otherwise : (complain(key, range + ", and it is missing"), 0.0);
  const auto value = found->is_number() ? found->value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value) || *value < least || *value > most) complain(key, range + ", not " + shown(*found));
  return *value;
}

unsigned toml_table::whole(const char* key, unsigned least, unsigned most, std::optional<unsigned> otherwise) const {
  const std::string range = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  const toml::node* found = node_->find(key);
  if (found == nullptr) return otherwise ? *otherwise : (complain(key, range + ", and it is missing"), 0u);
  const auto value = found->is_integer() ? found->value<std::int64_t>() : std::nullopt;
  if (!value || *value < least || *value > most) complain(key, range + ", not " + shown(*found));
  return static_cast<unsigned>(*value);
}

bool toml_table::flag(const char* key, bool otherwise) const {
  const toml::node* found = node_->find(key);
  if (found == nullptr) return otherwise;
  if (!found->is_boolean()) complain(key, "true or false, not " + shown(*found));
  return found->as_boolean()->get();
}

toml_table toml_table::table(const char* key) const {
  toml::node* found = node_->find(key);
  if (found == nullptr) complain(key, "a table [" + node_->name + key + "], and it is missing");
  if (!found->is_table()) complain(key, "a table [" + node_->name + key + "], not " + shown(*found));
  return toml_table(std::make_shared<node>(node{node_->whole_file, found->as_table(), node_->path, node_->name + key + ".",
                                                line_of(*found, node_->line), node_->chosen}));
}

std::vector<toml_table> toml_table::tables(const char* key) const {
  toml::node* found = node_->find(key);
  const std::string wanted = "one or more tables [[" + node_->name + key + "]]";
  if (found == nullptr) complain(key, wanted + ", and there is none");
  std::vector<toml_table> listed;
  if (found->is_table()) return {table(key)};
  if (!found->is_array() || found->as_array()->empty()) complain(key, wanted + ", not " + shown(*found));
  for (toml::node& each : *found->as_array()) {
    if (!each.is_table()) complain(key, wanted + ", not " + shown(each));
    listed.emplace_back(std::make_shared<node>(node{node_->whole_file, each.as_table(), node_->path, node_->name + key + ".",
                                                    line_of(each, node_->line), node_->chosen}));
  }
  return listed;
}

void toml_table::skip(const char* key) const { node_->asked.insert(key); }

void toml_table::nothing_else() const {
  for (const auto& [key, value] : *node_->table) {
    const std::string name(key.str());
    if (node_->asked.contains(name)) continue;
    std::string known;
    for (const std::string& k : node_->asked) known += (known.empty() ? "" : ", ") + k;
    complain_at(*node_, name.c_str(), std::max(key.source().begin.line, 1u), "no such key here; known are " + known);
  }
}

toml_file::toml_file(const std::string& path) : root_(parsed(path)) {}

namespace {
toml::table* sweep_of(const toml_table::node& root) {
  toml::node* found = root.table->get("sweep");
  if (found == nullptr) return nullptr;
  if (!found->is_table()) complain_at(root, "sweep", line_of(*found, 1), "expected a table [sweep]");
  return found->as_table();
}

// Stores a copy of `value` at the rest of a dotted path, in all tables of arrays along the path.
void put(toml::node& at, const std::string& rest, const toml::node& value, const toml_table::node& root, unsigned line) {
  if (toml::array* tables = at.as_array()) {
    for (toml::node& each : *tables) put(each, rest, value, root, line);
    return;
  }
  toml::table* here = at.as_table();
  if (here == nullptr) complain_at(root, rest.c_str(), line, "[sweep] leads through something that is no table");
  const std::size_t dot = rest.find('.');
  if (dot == std::string::npos) {
    value.visit([&](const auto& v) { here->insert_or_assign(rest, v); });
    (*root.chosen)[{here, rest}] = line;
    return;
  }
  toml::node* next = here->get(rest.substr(0, dot));
  if (next == nullptr) complain_at(root, rest.c_str(), line, "[sweep] leads to a table that is not there");
  put(*next, rest.substr(dot + 1), value, root, line);
}
}  // namespace

std::vector<std::pair<std::string, std::size_t>> toml_file::sweep() const {
  std::vector<std::pair<std::string, std::size_t>> axes;
  std::vector<std::pair<unsigned, std::size_t>> order;
  const toml_table::node& root = root_.raw();
  if (toml::table* sweep = sweep_of(root); sweep != nullptr)
    for (const auto& [key, value] : *sweep) {
      const unsigned line = line_of(value, 1);
      if (!value.is_array() || value.as_array()->empty())
        complain_at(root, std::string(key.str()).c_str(), line, "expected a list of values to sweep over, not " + shown(value));
      order.emplace_back(line, axes.size());
      axes.emplace_back(key.str(), value.as_array()->size());
    }
  std::sort(order.begin(), order.end());
  std::vector<std::pair<std::string, std::size_t>> in_file_order;
  for (const auto& [line, index] : order) in_file_order.push_back(axes[index]);
  return in_file_order;
}

void toml_file::choose(const std::string& path, std::size_t index) {
  const toml_table::node& root = root_.raw();
  const toml::node& list = *sweep_of(root)->get(path);
  put(*root.table, path, *list.as_array()->get(index), root, line_of(list, 1));
}

std::string toml_file::chosen(const std::string& path, std::size_t index) const {
  std::ostringstream text;
  const toml::node& value = *sweep_of(root_.raw())->get(path)->as_array()->get(index);
  value.visit([&text](const auto& v) {
    if constexpr (toml::is_string<decltype(v)>)
      text << toml::json_formatter(v);
    else
      text << v;
  });
  return text.str();
}

}  // namespace weir::simulator
