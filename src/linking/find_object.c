/* Which file's exception tables cover a program counter: GCC's unwinder asks glibc for it, from 2.35 on. What carries
   its unwinder with it (-static-libgcc) and shall load beside older C libraries asks this instead, in dl_iterate_phdr's
   way, as unwinders did before. Exceptions alone pay for it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE

struct search {
  ElfW(Addr) counter;
  struct dl_find_object* found;
};

static int look(struct dl_phdr_info* file, size_t size, void* data) {
  (void)size;
  const struct search* const search = data;
  ElfW(Addr) begin = 0, end = 0;
  void* tables = NULL;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const part = &file->dlpi_phdr[i];
    const ElfW(Addr) at = file->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && search->counter - at < part->p_memsz) {
      begin = at;
      end = at + part->p_memsz;
    } else if (part->p_type == PT_GNU_EH_FRAME) {
      tables = (void*)at;
    }
  }
  if (end == 0 || tables == NULL) return 0;
  *search->found =
      (struct dl_find_object){.dlfo_map_start = (void*)begin, .dlfo_map_end = (void*)end, .dlfo_eh_frame = tables};
  return 1;
}

__attribute__((visibility("hidden"))) int _dl_find_object(void* counter, struct dl_find_object* found) {
  struct search search = {(ElfW(Addr))counter, found};
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}

#endif
