// Dependences, as the program's code lists them.
#pragma once

#include "openmp/tasks/pending_tasks.hpp"

namespace weir::openmp {

dependences dependences_of(void** depend);

}  // namespace weir::openmp
