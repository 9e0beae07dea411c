# A few of the programs as tests, under each MPI's launcher. MPI itself is not instrumented.

# weir_watched(MPI PROCESSES PROGRAM ARGUMENTS...): no sanitizer may report an error in Weir.
set(launcher-mpich mpiexec.mpich)
set(launcher-openmpi mpirun.openmpi)
# Both MPIs leak memory; the stack of a leak shows whether it is Weir's. Open MPI acquires locks in different orders.
set(environment ASAN_OPTIONS=exitcode=0:abort_on_error=1 TSAN_OPTIONS=detect_deadlocks=0
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1)
function(weir_watched mpi processes program)
  find_program(WEIR_LAUNCHER_${mpi} ${launcher-${mpi}})
  if(NOT TARGET ${program}-${mpi} OR NOT WEIR_LAUNCHER_${mpi})
    return()
  endif()
  set(how ${processes} ${ARGN})
  list(JOIN how "-" how)
  set(test mpi.${program}-${mpi}.${how})
  add_test(NAME ${test} COMMAND ${WEIR_LAUNCHER_${mpi}} -n ${processes} $<TARGET_FILE:${program}-${mpi}> ${ARGN})
  set_tests_properties(${test} PROPERTIES RUN_SERIAL TRUE TIMEOUT 120 ENVIRONMENT "${environment}"
    FAIL_REGULAR_EXPRESSION "ERROR: AddressSanitizer;runtime error;WARNING: ThreadSanitizer;weir::;weir_mpi_")
endfunction()

# ThreadSanitizer sees only the threads of one process.
if(WEIR_SANITIZE MATCHES thread)
  weir_watched(openmpi 2 team 2 funneled)
  weir_watched(openmpi 2 team 3 serialized)
  return()
endif()

foreach(mpi mpich openmpi)
  # This program is linked with libweir-mpi.so instead of preloading it, because a sanitizer must be loaded first.
  if(TARGET weir-mpi-${mpi})
    add_executable(unmodified-${mpi} programs/unmodified.cpp)
    target_link_libraries(unmodified-${mpi} PRIVATE weir-mpi mpi-${mpi})
    target_compile_options(unmodified-${mpi} PRIVATE -Wno-cast-function-type)
    add_dependencies(test-programs unmodified-${mpi})
  endif()
  weir_watched(${mpi} 2 contract 4)
  weir_watched(${mpi} 5 contract 2)
  weir_watched(${mpi} 3 communicators)
  weir_watched(${mpi} 2 team 2 multiple)
  weir_watched(${mpi} 4 unmodified communicators)
  weir_watched(${mpi} 2 unmodified threads)
  weir_watched(${mpi} 2 unmodified at_exit)
  weir_watched(${mpi} 2 unmodified callback)
endforeach()
# MPICH loses its connections when a process dies.
list(APPEND environment OMPI_MCA_orte_enable_recovery=1)
weir_watched(openmpi 3 dying none return messages test)
