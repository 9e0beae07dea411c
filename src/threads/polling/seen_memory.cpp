#include "threads/polling/seen_memory.hpp"

#include <algorithm>

#include <sys/uio.h>
#include <unistd.h>

#include "system/filter.hpp"
#include "system/raw_call.hpp"

namespace weir::threads {

bool copy_by_system(void* to, std::uintptr_t from, std::size_t bytes) {
  const iovec remote{reinterpret_cast<void*>(from), bytes}, local{to, bytes};
  return filter::call<SYS_process_vm_readv>(getpid(), as_argument(&local), 1, as_argument(&remote), 1) ==
         static_cast<long>(bytes);
}

#if defined(__x86_64__)

seen_memory::seen_memory(std::uintptr_t middle) : begin_(middle - farthest) {
  constexpr std::uintptr_t page_bytes = 4096;
  const std::uintptr_t page = middle / page_bytes * page_bytes, end = begin_ + sizeof code_;
  if (reads(begin_, end)) return;
  // One of two pages cannot be read.
  reads(std::max(begin_, page), std::min(end, page + page_bytes));
}

bool seen_memory::reads(std::uintptr_t first, std::uintptr_t last) {
  if (!copy_by_system(code_ + (first - begin_), first, last - first)) return false;
  first_ = first;
  last_ = last;
  return true;
}

std::span<const std::uint8_t> seen_memory::code_at(std::uintptr_t at) const {
  if (at < first_ || at >= last_) return {};
  return {code_ + (at - begin_), last_ - at};
}

bool seen_memory::read(std::uintptr_t at, unsigned bytes, std::uint64_t& to) {
  word* const end = words_ + known_;
  word* const known = std::find_if(words_, end, [=](const word& w) { return w.at == at && w.bytes == bytes; });
  if (known == end) {
    if (known_ == most_words) return false;
    *known = {at, 0, bytes};
    if (!copy_by_system(&known->value, at, bytes)) return false;
    ++known_;
  }
  to = known->value;
  return true;
}

#else

seen_memory::seen_memory(std::uintptr_t) {}
std::span<const std::uint8_t> seen_memory::code_at(std::uintptr_t) const { return {}; }
bool seen_memory::read(std::uintptr_t, unsigned, std::uint64_t&) { return false; }

#endif

}  // namespace weir::threads
