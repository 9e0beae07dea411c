# What `pip install .` installs beside the Python package: its programs and libraries, the files that they read, and the sources
# for `weir build mpi`. Component python.
set(native weir/native)

add_custom_target(wheel)
foreach(target weir-info weir-measure weir-measure-libgomp weir-measure-threads weir-transfers weir-simulate weir-simulate-openmp
    weir-explore weir-omp weir-pthread weir-profile weir-trace)
  if(TARGET ${target})
    add_dependencies(wheel ${target})
    install(TARGETS ${target} DESTINATION ${native} COMPONENT python)
  endif()
endforeach()
# Programs built by another compiler are files of a custom command, not targets.
get_property(programs GLOBAL PROPERTY WEIR_PROGRAMS_OF_OTHER_COMPILERS)
foreach(target measure-libomp openmp-c-gcc openmp-c-clang openmp-fortran-gfortran)
  if(TARGET ${target})
    add_dependencies(wheel ${target})
  endif()
endforeach()
install(PROGRAMS ${programs} DESTINATION ${native} COMPONENT python)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/machines ${PROJECT_SOURCE_DIR}/scenarios DESTINATION weir COMPONENT python
  FILES_MATCHING PATTERN "*.toml" PATTERN "*.jsonl")

install(DIRECTORY ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/bench
  ${PROJECT_SOURCE_DIR}/cmake DESTINATION weir/source COMPONENT python)
install(FILES ${PROJECT_SOURCE_DIR}/CMakeLists.txt DESTINATION weir/source COMPONENT python)
# The only other library that these sources need, headers only.
find_package(nlohmann_json 3.11 REQUIRED)
get_target_property(json_headers nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
list(GET json_headers 0 json_headers)
install(DIRECTORY ${json_headers}/nlohmann DESTINATION weir/source/third-party COMPONENT python)

# The licences of the libraries that are linked in, as the distribution provides them.
foreach(package libboost-dev libck-dev libhwloc15 libudev1 libtomlplusplus-dev nlohmann-json3-dev libstdc++6)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION weir/licences RENAME ${package} COMPONENT python)
  endif()
endforeach()

# The library goes into the environment's prefix, where find_package looks if the environment is activated.
install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${SKBUILD_DATA_DIR}
  --component development COMMAND_ERROR_IS_FATAL ANY)" COMPONENT python)
if(TARGET weir-calls)
  add_dependencies(wheel weir-calls)
endif()
