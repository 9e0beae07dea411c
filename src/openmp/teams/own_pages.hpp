// Room for objects that threads make themselves. The kernel puts a page into the memory near the thread that writes it first, so
// each object that is to lie near its thread has pages of its own.
#pragma once

#include <cstddef>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace weir::openmp {

/// For this number of objects, by index. It writes nothing there, and the user makes and destroys them. Not `apart`: they follow
/// each other.
template <class T>
class own_pages {
 public:
  own_pages(unsigned count, bool apart) : stride_(sizeof(T)) {
    if (!apart) {
      memory_ = static_cast<char*>(::operator new(count * stride_, std::align_val_t(alignof(T))));
      return;
    }
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    stride_ = (sizeof(T) + page - 1) / page * page;
    mapped_ = count * stride_;
    void* const pages = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    (void)madvise(pages, mapped_, MADV_NOHUGEPAGE);  // a huge page would belong to one thread; EINVAL: the kernel has none
    memory_ = static_cast<char*>(pages);
  }
  own_pages(const own_pages&) = delete;
  ~own_pages() {
    if (mapped_ == 0)
      ::operator delete(memory_, std::align_val_t(alignof(T)));
    else
      munmap(memory_, mapped_);
  }

  T& operator[](unsigned number) const { return *reinterpret_cast<T*>(memory_ + number * stride_); }

 private:
  char* memory_;
  std::size_t stride_, mapped_ = 0;
};

}  // namespace weir::openmp
