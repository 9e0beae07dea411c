#include "openmp/placing/affinity_display.hpp"

#include <atomic>
#include <climits>
#include <cstdio>
#include <memory>

#include <unistd.h>

#include <weir/machine/processors.hpp>

#include "openmp/places/affinity_format.hpp"
#include "openmp/places/made_for.hpp"
#include "openmp/places/places.hpp"
#include "openmp/settings/initial.hpp"

namespace weir::openmp {

namespace {

// Every text to which affinity-format-var has been set, once each, the newest first. No text is deleted, since other threads may
// be reading it. There is no lock, since the child of a fork might find the lock taken.
struct format {
  std::string text;
  const format* older;
};
constinit std::atomic<const format*> newest{nullptr}, in_force{nullptr};  // in_force: null until a routine sets it

const format* known(std::string_view text, const format* from) {
  while (from != nullptr && from->text != text) from = from->older;
  return from;
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

std::string affinity_format() {
  // acquire, everywhere here: the text, from the thread that set it; release below.
  const format* const now = in_force.load(std::memory_order_acquire);
  return now != nullptr ? now->text : initial_settings().affinity_format.value_or(usual_affinity_format());
}

void set_affinity_format(std::string_view text) {
  const format* first = newest.load(std::memory_order_acquire);
  const format* found = known(text, first);
  if (found == nullptr) {
    auto fresh = std::make_unique<format>(std::string(text), first);
    while (found == nullptr && !newest.compare_exchange_weak(first, fresh.get(), std::memory_order_acq_rel)) {
      fresh->older = first;
      found = known(text, first);
    }
    if (found == nullptr) found = fresh.release();
  }
  in_force.store(found, std::memory_order_release);
}

std::string affinity_text(const member& me, std::string_view format) {
  const std::string default_format = format.empty() ? affinity_format() : "";
  return in_format(format.empty() ? default_format : format,
                   {.level = static_cast<int>(me.of->level),
                    .thread = static_cast<int>(me.number),
                    .threads = static_cast<int>(me.of->size),
                    .ancestor = me.of->parent != nullptr ? static_cast<int>(me.of->parent->number) : -1,
                    .host_name = host_name(),
                    .process = getpid(),
                    .native_thread = gettid(),
                    .processors = ranges(running_on())});
}

void show_affinity(const member& me, std::string_view format) {
  // In one call, so that lines of several threads do not mix.
  std::fputs((affinity_text(me, format) + '\n').c_str(), is_made_for_llvm() ? stdout : stderr);
}

bool is_to_be_shown(const team& t, bool moved) {
  constinit static thread_local unsigned level = 0, size = 0;  // of the thread's last region
  const bool is_as_before = t.level == level && t.size == size;
  level = t.level;
  size = t.size;
  return moved || !is_as_before;
}

}  // namespace weir::openmp
