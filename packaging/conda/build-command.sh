#!/bin/sh
# conda's output weir: the wheel, without the libraries that conda has packages of.
set -eu
CMAKE_BUILD_PARALLEL_LEVEL=${CPU_COUNT:-1}
export CMAKE_BUILD_PARALLEL_LEVEL
"$PYTHON" -m pip install . -v --no-deps --no-build-isolation --config-settings=cmake.define.WEIR_SELF_CONTAINED=OFF
