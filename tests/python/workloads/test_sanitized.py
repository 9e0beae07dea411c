"""The workloads in C++ under sanitizers, on Weir's runtime: it tells ThreadSanitizer what it orders."""

import os
import subprocess
from pathlib import Path

import pytest

from weir.base import native
from weir.openmp.runtimes import Stage, runtimes

from .. import skips, thorough
from ..openmp.test_threadsanitizer import refusal
from .test_workloads import SMALL

pytestmark = skips.mark("own", "other runtimes tell ThreadSanitizer nothing")
WORKLOADS = native.REPOSITORY / "workloads"
SANITIZERS = ("address,undefined", "thread")
# Not those of OpenBLAS's threads and of the C library's, which wait for ever.
FIRST = "hydro"
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0",
    "UBSAN_OPTIONS": "halt_on_error=1",
    "TSAN_OPTIONS": "report_thread_leaks=0",
}


def built(name: str, sanitizer: str, folder: Path) -> Path:
    sources = [file for file in sorted((WORKLOADS / name).glob("*.cpp")) if file.name != "over_mpi.cpp"]
    blas = sorted(Path("/usr/lib").glob("*/openblas-pthread/libopenblas.so"))
    how = ["-std=c++20", "-O0", "-g1", "-fopenmp", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=undefined"]
    made = folder / name
    done = subprocess.run(
        ["g++", *how, f"-I{WORKLOADS}", *sources, *blas[:1], "-o", made], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return made


@pytest.mark.parametrize("sanitizer", SANITIZERS)
@pytest.mark.parametrize("name", [FIRST, *thorough.more(*(n for n in SMALL if n != FIRST and " " not in n))])
def test_sanitizers_find_nothing(name: str, sanitizer: str, tmp_path: Path):
    assert not (why := refusal("gcc")), why
    weirs = next(one for one in runtimes() if one.name == "weir")
    stage = Stage()
    try:
        environment = os.environ | stage.environment(weirs) | OPTIONS | {"OMP_NUM_THREADS": "3"}
        program = built(name, sanitizer, tmp_path)
        done = subprocess.run([program, *SMALL[name]], env=environment, capture_output=True, text=True, timeout=300)
    finally:
        stage.close()
    assert done.returncode == 0 and "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done
