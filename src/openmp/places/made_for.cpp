#include "openmp/places/made_for.hpp"

#include <optional>
#include <string_view>

#include <link.h>

namespace weir::openmp {

namespace {

bool names_llvm(std::string_view library) { return library.starts_with("libomp.so") || library.starts_with("libiomp5.so"); }
bool names_gcc(std::string_view library) { return library.starts_with("libgomp.so"); }

/// Nothing: the object asks for neither. The addresses in the section are those of memory where the dynamic linker has written to
/// it.
std::optional<bool> asks_for_llvm(const dl_phdr_info& object, const ElfW(Phdr) & section) {
  const auto* const entries = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + section.p_vaddr);
  const char* names = nullptr;
  for (const auto* e = entries; e->d_tag != DT_NULL; ++e)
    if (e->d_tag == DT_STRTAB)
      names = reinterpret_cast<const char*>(e->d_un.d_ptr < object.dlpi_addr ? object.dlpi_addr + e->d_un.d_ptr : e->d_un.d_ptr);
  if (names == nullptr) return std::nullopt;
  for (const auto* e = entries; e->d_tag != DT_NULL; ++e) {
    if (e->d_tag != DT_NEEDED) continue;
    const std::string_view library = names + e->d_un.d_val;
    if (names_llvm(library)) return true;
    if (names_gcc(library)) return false;
  }
  return std::nullopt;
}

int ask(dl_phdr_info* object, std::size_t, void* answer) {
  for (unsigned i = 0; i < object->dlpi_phnum; ++i)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      if (const auto found = asks_for_llvm(*object, object->dlpi_phdr[i])) {
        *static_cast<std::optional<bool>*>(answer) = *found;
        return 1;  // no further object
      }
  return 0;
}
std::optional<bool> asked() {
  std::optional<bool> answer;
  dl_iterate_phdr(ask, &answer);
  return answer;
}

}  // namespace

bool is_made_for_llvm() { return asked().value_or(false); }
bool is_made_for_gcc() { return !asked().value_or(true); }

const char* usual_affinity_format() {
  return is_made_for_llvm() ? "OMP: pid %P tid %i thread %n bound to OS proc set {%A}"
                            : "level %L thread %n of %N, native %i, on processors %A";
}

}  // namespace weir::openmp
