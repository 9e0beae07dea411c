"""GCC's objects that Clang links ask for GOMP_* in the version of LLVM's library, and run on Weir's runtime."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from weir.openmp.runtimes import runtimes
from weir.run import elf, needs

from .. import skips
from ..openmp_programs import CLANG, CPP, SOURCES, C, runs_ok

pytestmark = skips.mark("own", "LLVM's library has only some of GCC's functions")

PROGRAMS = ["regions.c", "schedules.c", "tasks.c", "task_bodies.cpp", "doacross.c", "routines.c"]
COMPILE = {".c": (["gcc", *C], f"clang-{CLANG}"), ".cpp": (["g++", *CPP], f"clang++-{CLANG}")}


@pytest.fixture(scope="module", params=PROGRAMS)
def linked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = SOURCES / request.param
    program = tmp_path_factory.mktemp("links") / source.stem
    words, linker = COMPILE[source.suffix]
    subprocess.run([*words, "-O1", "-fopenmp", f"-I{SOURCES}", "-c", source, "-o", f"{program}.o"], check=True)
    subprocess.run([linker, "-fopenmp=libomp", f"{program}.o", "-o", program, "-lm", "-pthread"], check=True)
    return program


def test_gccs_objects_that_clang_links_run(linked: Path, environment: dict[str, str], runtime: Path):
    asked = {(s.name, s.version) for s in elf.read(linked).lacks}
    assert ("GOMP_parallel", "VERSION") in asked and "libomp.so.5" in elf.read(linked).needed
    assert not needs.needs(linked, runtime).missing
    runs_ok(linked, environment, 4)


def test_they_run_by_weir_run(linked: Path):
    command = [sys.executable, "-m", "weir", "run", "--", linked]
    environment = os.environ | {"LD_BIND_NOW": "1", "OMP_NUM_THREADS": "4"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert (done.returncode, done.stdout.strip()) == (0, "ok"), done.stderr


def test_all_that_llvms_library_has_of_gccs_is_there_in_its_version(runtime: Path):
    library = next(r.library for r in runtimes() if r.name == f"libomp-{CLANG}")
    asked = {name for name, version in elf.read(library).has if name.startswith("GOMP_") and version == "VERSION"}
    ours = elf.read(runtime).has
    assert len(asked) > 100 and not {name for name in asked if not {(name, "VERSION"), (name, "")} & ours}
