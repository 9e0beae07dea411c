/* The kernel thread that drives the caller. gettid() gives a member's own, under Weir's runtime. */
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

static inline long driving_thread(void) {
#if defined(__x86_64__)
  long result = SYS_gettid;
  __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long call __asm__("x8") = SYS_gettid;
  register long result __asm__("x0");
  __asm__ volatile("svc 0" : "=r"(result) : "r"(call) : "memory");
  return result;
#else
  return syscall(SYS_gettid);
#endif
}
