# The parts that depend on this machine's MPI, and nothing else: `weir build mpi` configures, builds and installs them from the
# sources in the wheel.
set(WEIR_MPI ON)
add_subdirectory(src EXCLUDE_FROM_ALL)
find_package(nlohmann_json 3.11 QUIET)
if(NOT nlohmann_json_FOUND)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
  target_include_directories(nlohmann_json::nlohmann_json SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/third-party)
endif()
set(definitions WEIR_VERSION="${PROJECT_VERSION}" WEIR_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
add_library(bench-transfer-probe OBJECT bench/machine/transfer_probe.cpp)  # what bench/mpi has from bench
target_compile_options(bench-transfer-probe PRIVATE -O2)
target_link_libraries(bench-transfer-probe PUBLIC weir::weir)
add_subdirectory(bench/mpi)

# Programs and libraries are in one folder, where they find each other.
add_custom_target(weir-local-mpi ALL)
foreach(target weir-mpi weir-mpi-mpich weir-mpi-openmpi weir-mpi-measure-mpich weir-mpi-measure-openmpi weir-mpi-scale)
  if(TARGET ${target})
    add_dependencies(weir-local-mpi ${target})
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
    # The module that smpirun loads is looked for as a program, and Debian's CMake installs modules that cannot be executed.
    install(TARGETS ${target} DESTINATION . PERMISSIONS
      OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()
