// Under which versions a routine of the API is found, beside those in api_versions.hpp, which says why: for the files that
// define routines of their own.
#pragma once

#define FOUND_AS(name, versioned) __asm__(".symver weir_" #name ", " #name versioned);
#define FOUND_IN_BOTH(name, openmp) FOUND_AS(name, "@@VERSION") FOUND_AS(name, "@" openmp)
