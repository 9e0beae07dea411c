// Dependences, as the program's code lists them.
#pragma once

#include "openmp/tasks/dependences.hpp"

namespace weir::openmp {

dependences dependences_of(void** depend);

}  // namespace weir::openmp
