#include "affinity_shown.hpp"

#include <climits>
#include <cstdio>
#include <mutex>

#include <unistd.h>

#include <weir/machine/processors.hpp>

#include "affinity_format.hpp"
#include "places.hpp"

namespace weir::openmp {

namespace {

struct format_variable {
  std::mutex mutex;
  std::string text = initial_settings().affinity_format;
};
format_variable& variable() {
  // Not destroyed: threads may show themselves while the program ends.
  static format_variable& v = *new format_variable;
  return v;
}

std::string host() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

std::string affinity_format() {
  const std::lock_guard lock(variable().mutex);
  return variable().text;
}

void set_affinity_format(std::string_view format) {
  const std::lock_guard lock(variable().mutex);
  variable().text = format;
}

std::string affinity_text(const member& me, std::string_view format) {
  const std::string own = format.empty() ? affinity_format() : "";
  return in_format(format.empty() ? own : format,
                   {.level = static_cast<int>(me.of->level),
                    .thread = static_cast<int>(me.number),
                    .threads = static_cast<int>(me.of->size),
                    .ancestor = me.of->parent != nullptr ? static_cast<int>(me.of->parent->number) : -1,
                    .host = host(),
                    .process = getpid(),
                    .native_thread = gettid(),
                    .processors = ranges(running_on())});
}

void show_affinity(const member& me, std::string_view format) {
  // At once, so that lines of several threads do not mix.
  std::fputs((affinity_text(me, format) + '\n').c_str(), stderr);
}

bool is_news(member& parent, const team& t, bool moved) {
  const team*& before = parent.last_shown;
  if (before != nullptr && (t.size == 1 || (before == &t && !moved))) return false;
  before = &t;
  return true;
}

}  // namespace weir::openmp
