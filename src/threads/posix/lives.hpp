// How a thread of the program is created, by whichever function.
#pragma once

#include <optional>

#include <pthread.h>

#include "threads/program/program_thread.hpp"

namespace weir::threads {

/// Called by a function that creates threads; `caller`: its return address. Nothing: this is left to the C library's function.
std::optional<int> create_thread(pthread_t* to, const pthread_attr_t* attributes, beginning does, const void* caller);

}  // namespace weir::threads
