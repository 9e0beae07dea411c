// The functions of C11 threads. The C library's objects are those of POSIX threads, and its functions do what those of POSIX do,
// but without their names. So each leads to the function that Weir has in place of that one.
#include <cstdint>

#include <pthread.h>
#include <sched.h>
#include <threads.h>

#include "threads/posix/interpose.hpp"
#include "threads/posix/joins.hpp"
#include "threads/posix/lives.hpp"
#include "threads/support/code.hpp"

namespace {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t) &&
              sizeof(once_flag) == sizeof(pthread_once_t) && sizeof(thrd_t) == sizeof(pthread_t));

pthread_mutex_t* posix(mtx_t* m) { return reinterpret_cast<pthread_mutex_t*>(m); }
pthread_cond_t* posix(cnd_t* c) { return reinterpret_cast<pthread_cond_t*>(c); }

int result_of(int error) {
  switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    default: return thrd_error;
  }
}

// As the C library passes on what a thread returns.
void* as_pointer(int result) { return reinterpret_cast<void*>(std::intptr_t{result}); }
int as_result(void* pointer) { return static_cast<int>(reinterpret_cast<std::intptr_t>(pointer)); }

int join(thrd_t of, int* result) {
  void* returned = nullptr;
  const int error = pthread_join(of, &returned);
  if (error == 0 && result != nullptr) *result = as_result(returned);
  return error;
}

}  // namespace

#define OF_C11(name, parameters, arguments, error) OF_C11_THAT(INTERPOSE, name, parameters, arguments, error)
#define WAITS_OF_C11(name, parameters, arguments, error) OF_C11_THAT(INTERPOSE_WAITING, name, parameters, arguments, error)
#define OF_C11_THAT(before, name, parameters, arguments, error)                                                  \
  before(int, name, parameters) {                                                                                \
    const bool is_allocator = weir::threads::is_called_by_allocator(__builtin_return_address(0));               \
    return is_allocator ? next_##name.get() arguments : result_of(error);                                        \
  }

WAITS_OF_C11(mtx_lock, (mtx_t* m), (m), pthread_mutex_lock(posix(m)))
WAITS_OF_C11(mtx_timedlock, (mtx_t* m, const timespec* until), (m, until), pthread_mutex_timedlock(posix(m), until))
OF_C11(mtx_unlock, (mtx_t* m), (m), pthread_mutex_unlock(posix(m)))
OF_C11(cnd_wait, (cnd_t* c, mtx_t* m), (c, m), pthread_cond_wait(posix(c), posix(m)))
OF_C11(cnd_timedwait, (cnd_t * c, mtx_t* m, const timespec* until), (c, m, until),
       pthread_cond_timedwait(posix(c), posix(m), until))
OF_C11(cnd_signal, (cnd_t* c), (c), pthread_cond_signal(posix(c)))
OF_C11(cnd_broadcast, (cnd_t* c), (c), pthread_cond_broadcast(posix(c)))
OF_C11(thrd_detach, (thrd_t of), (of), pthread_detach(of))
WAITS_OF_C11(thrd_join, (thrd_t of, int* result), (of, result), join(of, result))

#undef OF_C11_THAT
#undef WAITS_OF_C11
#undef OF_C11

INTERPOSE(int, thrd_create, (thrd_t* to, thrd_start_t run, void* what)) {
  static_assert(thrd_success == 0);
  const std::optional<int> error =
      weir::threads::create_thread(to, nullptr, {.what = what, .run_by_c11 = run}, __builtin_return_address(0));
  if (error) return result_of(*error);
  return weir::threads::created_by([=] { return next_thrd_create.get()(to, run, what); }, *to);
}

#define OF_C11_WITHOUT_RESULT(name, parameters, arguments, does)                                           \
  INTERPOSE(void, name, parameters) {                                                                      \
    const bool is_allocator = weir::threads::is_called_by_allocator(__builtin_return_address(0));          \
    is_allocator ? next_##name.get() arguments : static_cast<void>(does);                                  \
  }

OF_C11_WITHOUT_RESULT(thrd_yield, (), (), sched_yield())
OF_C11_WITHOUT_RESULT(call_once, (once_flag* flag, void (*routine)()), (flag, routine),
                      pthread_once(reinterpret_cast<pthread_once_t*>(flag), routine))

#undef OF_C11_WITHOUT_RESULT

extern "C" [[gnu::visibility("default")]] void thrd_exit(int result) { pthread_exit(as_pointer(result)); }
