#include "openmp/core/affinity_shown.hpp"

#include <atomic>
#include <climits>
#include <cstdio>
#include <memory>

#include <unistd.h>

#include <weir/machine/processors.hpp>

#include "openmp/places/affinity_format.hpp"
#include "openmp/places/places.hpp"

namespace weir::openmp {

namespace {

// Every text that it has been set to, once each, the newest first: none goes, as others may be reading it. No lock: the child of a
// fork might find it taken.
struct format {
  std::string text;
  const format* older;
};
constinit std::atomic<const format*> newest{nullptr}, in_force{nullptr};  // in_force: null until a routine sets it

const format* known(std::string_view text, const format* from) {
  while (from != nullptr && from->text != text) from = from->older;
  return from;
}

std::string host() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

std::string affinity_format() {
  // acquire, everywhere here: the text, from who set it; release below.
  const format* const now = in_force.load(std::memory_order_acquire);
  return now != nullptr ? now->text : initial_settings().affinity_format;
}

void set_affinity_format(std::string_view text) {
  const format* first = newest.load(std::memory_order_acquire);
  const format* its = known(text, first);
  if (its == nullptr) {
    auto fresh = std::make_unique<format>(std::string(text), first);
    while (its == nullptr && !newest.compare_exchange_weak(first, fresh.get(), std::memory_order_acq_rel)) {
      fresh->older = first;
      its = known(text, first);
    }
    if (its == nullptr) its = fresh.release();
  }
  in_force.store(its, std::memory_order_release);
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
