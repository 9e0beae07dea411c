// `workloads::team`, the team of a program that has two forms. Compiled for OpenMP it is a parallel region; otherwise it is
// threads that meet at a barrier of Weir. A program's computation is a template over the member, which has number(), count() and
// barrier().
#pragma once

#ifdef _OPENMP
#include "teams/openmp.hpp"
#else
#include "teams/weir.hpp"
#endif
