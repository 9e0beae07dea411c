# Installs what a project outside the tree needs: find_package(weir), or pkg-config weir. The components: `development` is the
# library, `runtime` the libraries that are loaded into unmodified programs, and one component for each MPI.
include(CMakePackageConfigHelpers)
include(${CMAKE_CURRENT_LIST_DIR}/strip_installed.cmake)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
set(libraries weir)
if(TARGET weir-calls)
  list(APPEND libraries weir-calls)
endif()
install(TARGETS ${libraries} EXPORT weir-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT weir-targets NAMESPACE weir:: DESTINATION ${package_dir} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  PATTERN "*.md" EXCLUDE)

# For gdb: the stacks of members on virtual processors.
install(FILES ${PROJECT_SOURCE_DIR}/src/threads/gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/weir COMPONENT development)

# weir-mpi looks for the barriers over each MPI in its own folder.
foreach(target weir-pthread weir-omp weir-mpi)
  if(TARGET ${target})
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
    weir_strip_installed(${target} runtime)
  endif()
endforeach()
if(TARGET weir-omp)
  install(FILES ${PROJECT_BINARY_DIR}/src/libweir-omp.so DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()

# Weir's barriers over each MPI, and the parts of that MPI that their users link: in separate files, because each may be installed
# without the other.
foreach(mpi mpich openmpi)
  if(TARGET weir-mpi-${mpi})
    install(TARGETS weir-mpi-${mpi} mpi-${mpi} EXPORT weir-${mpi}-targets
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${mpi})
    install(EXPORT weir-${mpi}-targets NAMESPACE weir:: DESTINATION ${package_dir} COMPONENT ${mpi})
  endif()
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weir-config.cmake.in
  ${PROJECT_BINARY_DIR}/weir-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weir-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weir-config.cmake ${PROJECT_BINARY_DIR}/weir-config-version.cmake
  DESTINATION ${package_dir} COMPONENT development)

# Relative to the .pc file, so that `cmake --install --prefix` may put it anywhere.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
# What a C compiler does not link by itself, for a static libweir in C.
set(cxx_libraries ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM cxx_libraries ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_DUPLICATES cxx_libraries)
list(TRANSFORM cxx_libraries PREPEND -l)
list(JOIN cxx_libraries " " cxx_libraries)
configure_file(${PROJECT_SOURCE_DIR}/cmake/weir.pc.in ${PROJECT_BINARY_DIR}/weir.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
    -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake COMMENT "Removing what was installed" VERBATIM)
  include(${PROJECT_SOURCE_DIR}/cmake/debian.cmake)
endif()
