#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

#include "mine.hpp"

namespace bench {

namespace {

template <class Function>
Function found(void* library, const char* name) {
  void* const address = dlsym(library, name);
  if (address == nullptr)
    throw std::runtime_error(std::string("--mine: it has no function ") + name +
                             R"( (in C++ it must be extern "C": include <weir/mine.h>))");
  return reinterpret_cast<Function>(address);
}

}  // namespace

user_barrier user_barrier::load(const std::string& library) {
  // By an absolute path: a name without a slash would be looked for among the system's libraries.
  void* const handle = dlopen(std::filesystem::absolute(library).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(std::string("--mine: ") + dlerror());
  return {found<decltype(create)>(handle, "barrier_create"), found<decltype(wait)>(handle, "barrier_wait"),
          found<decltype(destroy)>(handle, "barrier_destroy")};
}

std::shared_ptr<void> user_barrier::made(unsigned members) const {
  void* const barrier = create(members);
  if (barrier == nullptr) throw std::runtime_error("barrier_create(" + std::to_string(members) + ") returned NULL");
  return {barrier, destroy};
}

void add_mine(catalogue& entries, const std::string& library) {
  const std::string name = std::filesystem::path(library).stem();
  entries.push_back(
      {{"mine:" + name, "mine", name, "own", ""}, [loaded = user_barrier::load(library)](const setting& s, const description&) {
         return make_subject([barrier = loaded.made(s.members), wait = loaded.wait](unsigned m) { wait(barrier.get(), m); });
       }});
}

}  // namespace bench
