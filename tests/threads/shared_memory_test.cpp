// Which memory other processes may see (src/threads/posix/shared_memory.hpp).
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include <sys/mman.h>
#include <sys/shm.h>

#include "threads/posix/shared_memory.hpp"

namespace {

using weir::threads::may_be_shared;

constexpr std::size_t bytes = 1 << 20;
void* mapped(int how, void* at = nullptr, int file = -1) {
  return mmap(at, bytes, PROT_READ | PROT_WRITE, how | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
}
void* last_of(void* mapping) { return static_cast<char*>(mapping) + bytes - 4; }

TEST(SharedMemory, StacksTheHeapAndVariablesArePrivate) {
  static int variable = 0;
  int on_stack = 0;
  const auto on_heap = std::make_unique<int>();
  EXPECT_FALSE(may_be_shared(&variable));
  EXPECT_FALSE(may_be_shared(&on_stack));
  EXPECT_FALSE(may_be_shared(on_heap.get()));
  std::thread([] {
    int on_other_stack = 0;
    EXPECT_FALSE(may_be_shared(&on_other_stack));
  }).join();
}

TEST(SharedMemory, AMappingIsWhatItIsMappedAs) {
  const int file = memfd_create("weir", 0);
  ASSERT_EQ(ftruncate(file, bytes), 0);
  void* const mappings[] = {mapped(MAP_SHARED), mapped(MAP_SHARED_VALIDATE, nullptr, file), mapped(MAP_PRIVATE),
                       mapped(MAP_PRIVATE, nullptr, file)};
  for (const int i : {0, 1, 2, 3, 0, 1, 2, 3}) {
    EXPECT_EQ(may_be_shared(mappings[i]), i < 2) << i;
    EXPECT_EQ(may_be_shared(last_of(mappings[i])), i < 2) << i;
  }
  close(file);
}

TEST(SharedMemory, WhatTakesThePlaceOfAnotherMappingIsAskedForAgain) {
  void* const place = mapped(MAP_PRIVATE);
  EXPECT_FALSE(may_be_shared(place));
  ASSERT_EQ(mapped(MAP_SHARED | MAP_FIXED, place), place);
  EXPECT_TRUE(may_be_shared(place));
  void* const other = mapped(MAP_PRIVATE);
  EXPECT_FALSE(may_be_shared(other));
  ASSERT_EQ(mremap(place, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, other), other);
  EXPECT_TRUE(may_be_shared(other));
  void* const third = mapped(MAP_PRIVATE);
  EXPECT_FALSE(may_be_shared(third));
  const int segment = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
  ASSERT_EQ(shmat(segment, third, SHM_REMAP), third);
  EXPECT_TRUE(may_be_shared(third));
  shmctl(segment, IPC_RMID, nullptr);
}

TEST(SharedMemory, AnErrorIsTheCallers) {
  errno = 0;
  EXPECT_EQ(mmap(nullptr, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), MAP_FAILED);
  EXPECT_EQ(errno, EINVAL);
  errno = 0;
  EXPECT_EQ(shmat(-1, nullptr, 0), MAP_FAILED);
  EXPECT_EQ(errno, EINVAL);
}

TEST(SharedMemory, ManyMappingsAreReadToTheirEnd) {
  // Neighbours with different protections are mappings of their own.
  constexpr int pages = 1000;
  auto* const mapping = static_cast<char*>(mmap(nullptr, pages * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (int i = 0; i < pages; i += 2) mprotect(mapping + i * 4096, 4096, PROT_READ | PROT_WRITE);
  for (int i = 0; i < pages; ++i) ASSERT_FALSE(may_be_shared(mapping + i * 4096)) << i;
  void* const shared = mapped(MAP_SHARED);
  EXPECT_TRUE(may_be_shared(shared));
}

}  // namespace
