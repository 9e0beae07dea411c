# What a project outside the tree needs: find_package(weir), or pkg-config weir.
include(CMakePackageConfigHelpers)

install(TARGETS weir EXPORT weir-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS weir-pthread LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(WEIR_OPENMP)
  install(TARGETS weir-omp LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
# Weir's barriers over each MPI, and what of that MPI whoever links them needs.
foreach(mpi mpich openmpi)
  if(TARGET weir-mpi-${mpi})
    install(TARGETS weir-mpi-${mpi} mpi-${mpi} EXPORT weir-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
if(TARGET weir-mpi)  # it looks for the others in its own folder
  install(TARGETS weir-mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
install(EXPORT weir-targets NAMESPACE weir:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weir-config.cmake.in
  ${PROJECT_BINARY_DIR}/weir-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weir-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weir-config.cmake ${PROJECT_BINARY_DIR}/weir-config-version.cmake
  DESTINATION ${package_dir})

# Relative to the .pc file, so that `cmake --install --prefix` may put it anywhere.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/weir.pc.in ${PROJECT_BINARY_DIR}/weir.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
