// System calls without the functions of the C library, for two reasons. errno stays as it is: a program does not expect a barrier
// to change it, and on a virtual processor it may be another thread's. And the replacements of those functions
// (threads/calls, threads/posix) are for the program's calls, not for Weir's.
#pragma once

#include <cerrno>

#include <sys/syscall.h>
#include <unistd.h>

namespace weir {

/// The bare system call. Returns its result, or -errno, which is less than zero.
inline long raw_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
#if defined(__x86_64__)
  long result = number;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
  const int before = errno;
  long result = syscall(number, a, b, c, d, e, f);
  if (result < 0) result = -errno;
  errno = before;
  return result;
#endif
}

template <class T>
long as_argument(T* p) {
  return reinterpret_cast<long>(p);
}

}  // namespace weir
