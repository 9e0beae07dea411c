# For the wheel: its programs run on machines that have none of the libraries that they were built with. Boost and
# Concurrency Kit are linked statically, as is C++'s library. hwloc is not: its archive needs udev, of which there is none.
set(Boost_USE_STATIC_LIBS ON)
find_library(CK_LIBRARY NAMES libck.a ck)
add_link_options(-static-libstdc++)
# C++'s library is of few sections for each object: without this a program needs the newest C library for a random
# number generator that it never calls.
add_link_options(-Wl,--gc-sections)
set(CMAKE_INSTALL_LIBDIR lib)  # an environment has its libraries there on every distribution
