#!/bin/sh
# Builds a project outside the tree against an installed Weir, once by find_package and once by pkg-config, and its programs
# with what is installed besides: barriers over each MPI, the OpenMP runtime. Usage: against.sh PREFIX PROJECT_DIR
set -eu
prefix=$1 project=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake -S "$project" -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/by-cmake" >/dev/null
"$work/by-cmake/uses_weir"
"$work/by-cmake/uses_weir_c"
if [ -x "$work/by-cmake/uses_calls" ]; then "$work/by-cmake/uses_calls"; fi

# The barriers over each MPI that there is; and a program of that MPI, with MPI_Barrier taken over from where it was installed.
launch() {
  case $1 in
    mpich) shift; mpiexec.mpich -n 2 "$@" ;;
    openmpi) shift; mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 "$@" ;;
  esac
}
for mpi in mpich openmpi; do
  [ -x "$work/by-cmake/uses_weir_$mpi" ] && command -v "mpiexec.$mpi" >/dev/null || continue
  launch "$mpi" "$work/by-cmake/uses_weir_$mpi"
  "mpicc.$mpi" "$project/plain_mpi.c" -o "$work/plain_$mpi"
  library=$(find "$prefix" -name libweir-mpi.so)
  WEIR_MPI_PRICE=0 WEIR_MPI_VERBOSE=1 launch "$mpi" env LD_PRELOAD="$library" "$work/plain_$mpi" 2>&1 | grep -q 'weir: barrier of 2 processes'
  echo "over $mpi"
done

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name weir.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046  # the flags are words
c++ -std=c++20 "$project/main.cpp" -o "$work/by-pkg-config" $(pkg-config --cflags --libs weir)
"$work/by-pkg-config"
# shellcheck disable=SC2046
cc "$project/main.c" -o "$work/c-by-pkg-config" $(pkg-config --static --cflags --libs weir)
"$work/c-by-pkg-config"
# An older C++ is refused in a line or two, and by each header.
for header in barrier team_barrier crowd locks; do
  echo "#include <weir/$header.hpp>" >"$work/older.cpp"
  # shellcheck disable=SC2046
  ! c++ -std=c++17 -fsyntax-only "$work/older.cpp" $(pkg-config --cflags weir) 2>"$work/said" || exit 1
  [ "$(grep -c 'error' "$work/said")" -le 2 ]
  grep -q 'compile with -std=c++20' "$work/said"
done
if [ -x "$work/by-cmake/uses_calls" ]; then
  # shellcheck disable=SC2046
  c++ -std=c++20 "$project/uses_calls.cpp" -o "$work/calls-by-pkg-config" $(pkg-config --cflags weir) $(pkg-config --libs-only-L weir) -lweir-calls $(pkg-config --libs weir)
  "$work/calls-by-pkg-config"
fi

# The OpenMP runtime, linked by its name instead of the compiler's own.
library=$(find "$prefix/lib" -name libgomp-weir.so)
if [ -n "$library" ]; then
  folder=$(dirname "$library")
  cc -fopenmp -c "$project/uses_openmp.c" -o "$work/uses_openmp.o"
  case $folder in
    */site-packages/*) name=-l:libgomp-weir.so ;;  # a wheel has no symbolic links
    *) name=-lweir-omp ;;
  esac
  cc "$work/uses_openmp.o" -L"$folder" "$name" -Wl,-rpath,"$folder" -o "$work/uses_openmp"
  OMP_NUM_THREADS=3 "$work/uses_openmp" 3
  echo "on libgomp-weir.so"
fi
