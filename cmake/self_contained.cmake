# For the wheel: its programs run on machines that have none of the libraries that they were built with. Boost and
# Concurrency Kit are linked statically, as is C++'s library. hwloc is not: its archive needs udev, of which there is none.
set(missing)
foreach(needed boost/thread/barrier.hpp=libboost-thread-dev boost/context/detail/fcontext.hpp=libboost-context-dev
    toml++/toml.h=libtomlplusplus-dev nlohmann/json.hpp=nlohmann-json3-dev ck_barrier.h=libck-dev hwloc.h=libhwloc-dev)
  string(REGEX MATCH "^(.*)=(.*)$" both ${needed})
  find_path(WEIR_HAS_${CMAKE_MATCH_2} ${CMAKE_MATCH_1} NO_CACHE)
  if(NOT WEIR_HAS_${CMAKE_MATCH_2})
    string(APPEND missing " ${CMAKE_MATCH_2}")
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "Building Weir from source takes libraries that are not here; on Debian and Ubuntu: "
    "apt-get install${missing} (or scripts/setup package, for everything)")
endif()

set(Boost_USE_STATIC_LIBS ON)
find_library(CK_LIBRARY NAMES libck.a ck)
add_link_options(-static-libstdc++)
# Objects of C++'s library have few sections: without this a program needs the newest C library for a random number generator
# that it never calls.
add_link_options(-Wl,--gc-sections)
