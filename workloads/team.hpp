// The team of a program that has two forms, `workloads::team`: compiled for OpenMP, a parallel region; else threads that meet at
// a barrier of Weir's. A program's computation is a template over its member: number(), count() and barrier().
#pragma once

#ifdef _OPENMP
#include "teams/openmp.hpp"
#else
#include "teams/weir.hpp"
#endif
