#!/bin/sh
# conda's output libweir: the component `runtime` of the CMake build.
set -eu
# shellcheck disable=SC2086  # CMAKE_ARGS, from conda's compilers, are words
cmake -S . -B build-conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib -DWEIR_TESTS=OFF -DWEIR_BENCH=OFF -DWEIR_SIMULATOR=OFF -DWEIR_MPI=OFF
cmake --build build-conda --parallel "${CPU_COUNT:-1}" --target weir-omp weir-pthread
cmake --install build-conda --component runtime
