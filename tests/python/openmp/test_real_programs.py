"""Programs of others, as they are installed: on Weir's OpenMP runtime they compute what they compute on their own.

Each is run as `weir run` starts it, and on the runtime that it came with; the results of the same number of threads are
compared. They are the same to the last bit but where the program adds up in the order in which its threads come.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from weir.base import native
from weir.openmp.suite import PROGRAMS, VALUES
from weir.run import starting

from .. import skips, thorough

SCRIPTS = Path(__file__).resolve().parents[2] / "openmp" / "real"
THREADS = (2, 7, *thorough.more(1, 4))
Environment = Mapping[str, str]


@pytest.fixture(scope="module")
def weirs(runtime: Path | None, own_environment: Environment) -> dict[str, str]:
    skips.unless("own", "they are compared with these anyhow")
    assert runtime is not None
    started = starting.environment(runtime, {})
    return {name: value for name, value in started.items() if name in own_environment or name.startswith("LD_")}


def run(words: Sequence[str | Path], environment: Environment, threads: int) -> None:
    environment = {**environment, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, errors="replace", timeout=300)
    assert done.returncode == 0, f"{threads} threads: status {done.returncode}\n{done.stdout}{done.stderr}"


def asked_of(words: Sequence[str | Path], environment: Environment, folder: Path) -> dict[str, set[str]]:
    """The libraries that answer to OpenMP's names, as the dynamic linker says, by the library that asks."""
    run(words, {**environment, "LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": str(folder / "bindings")}, 2)
    found: dict[str, set[str]] = {}
    said = "".join(path.read_text(errors="replace") for path in folder.glob("bindings.*"))
    for asks, answers in re.findall(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: normal symbol `(?:GOMP|omp)_", said):
        found.setdefault(Path(asks).name, set()).add(Path(answers).name)
    return found


def all_ask_weirs(asked: dict[str, set[str]], name: str) -> bool:
    """But a libgomp that has been loaded and asks itself."""
    others = {library: of for library, of in asked.items() if not library.startswith("libgomp")}
    return any(name in library for library in others) and all(of == {starting.LIBRARY} for of in others.values())


def with_path(environment: Environment, folder: Path) -> dict[str, str]:
    before = environment.get("LD_LIBRARY_PATH")
    return {**environment, "LD_LIBRARY_PATH": f"{before}:{folder}" if before else str(folder)}


def compare(
    script: Sequence[str | Path],
    own: Environment,
    weirs: Environment,
    folder: Path,
    threads: int,
    rounded: Sequence[str],
) -> None:
    """Of a script that is given a file's name for its results; those in `rounded` may differ in their last bits."""
    results = {}
    for name, environment in (("own", own), ("weirs", weirs)):
        run([*script, folder / f"{name}.npz"], environment, threads)
        results[name] = np.load(folder / f"{name}.npz")
    assert results["own"].files == results["weirs"].files
    for name in results["own"].files:
        expected, found = results["own"][name], results["weirs"][name]
        if name in rounded:
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=name)
        else:
            assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes(), name


# ---- NumPy and SciPy on OpenBLAS with OpenMP: Debian's, whose BLAS is whichever the linker finds

PYTHON = Path("/usr/bin/python3")
LINEAR_ALGEBRA = [PYTHON, SCRIPTS / "linear_algebra.py"]


@pytest.fixture(scope="module")
def openblas() -> Path:
    """The folder in which it goes by BLAS's name."""
    found = next(Path("/usr/lib").glob("*/openblas-openmp/libblas.so.3"), None)
    assert found, "no libopenblas0-openmp: scripts/setup installs it"
    return found.parent


@pytest.mark.parametrize("threads", THREADS)
def test_linear_algebra(own_environment: Environment, weirs: Environment, openblas: Path, tmp_path: Path, threads: int):
    own, weirs = with_path(own_environment, openblas), with_path(weirs, openblas)
    compare(LINEAR_ALGEBRA, own, weirs, tmp_path, threads, rounded=())


def test_openblas_runs_on_weirs(weirs: Environment, openblas: Path, tmp_path: Path):
    asked = asked_of([*LINEAR_ALGEBRA, tmp_path / "results.npz"], with_path(weirs, openblas), tmp_path)
    assert all_ask_weirs(asked, "openblas"), asked


# ---- scikit-learn: its wheel brings a libgomp by a name of its own, which is loaded and asked for nothing

LEARNING = [sys.executable, SCRIPTS / "learning.py"]


@pytest.mark.parametrize("threads", THREADS)
def test_learning(own_environment: Environment, weirs: Environment, tmp_path: Path, threads: int):
    # KMeans adds up its threads' centres in the order in which they come.
    compare(LEARNING, own_environment, weirs, tmp_path, threads, rounded=("lloyd_centres", "elkan_centres"))


def test_learning_runs_on_weirs(weirs: Environment, tmp_path: Path):
    asked = asked_of([*LEARNING, tmp_path / "results.npz"], weirs, tmp_path)
    assert all_ask_weirs(asked, "_k_means_lloyd") and all_ask_weirs(asked, "histogram"), asked


# ---- threadpoolctl, which finds runtimes by their files' names: PyPI's, and Debian's over the BLAS with OpenMP

MEMBERS = """
#include <omp.h>
int members(void) {
  int found = 0;
#pragma omp parallel
#pragma omp single
  found = omp_get_num_threads();
  return found;
}
"""


@pytest.mark.parametrize("python", (sys.executable, PYTHON))
def test_threadpoolctl_limits_its_threads(
    weirs: Environment, runtime: Path | None, openblas: Path, tmp_path: Path, python: str | Path
):
    (tmp_path / "members.c").write_text(MEMBERS)
    compiled = ["gcc", "-shared", "-fPIC", "-fopenmp", tmp_path / "members.c", "-o", tmp_path / "members.so"]
    subprocess.run(compiled, check=True)
    # No more than processors: OpenBLAS takes no more, and threadpoolctl then gives its number back to OpenMP, too.
    environment = {**with_path(weirs, openblas), "OMP_NUM_THREADS": "2"}
    script = [python, SCRIPTS / "thread_limits.py", tmp_path / "members.so"]
    done = subprocess.run(script, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and not done.stderr, done.stderr
    before, limited, _, after = phases = json.loads(done.stdout)
    for (said, members), expected in zip(phases, (2, 1, 3, 2), strict=True):
        assert members == expected == said[str(runtime)], said
    assert set(limited[0].values()) == {1} and after == before, phases


@pytest.mark.parametrize("python", (sys.executable, PYTHON))
def test_threadpoolctl_limits_scikit_learn(weirs: Environment, openblas: Path, python: str | Path):
    environment = {**with_path(weirs, openblas), "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [python, SCRIPTS / "limited_learning.py"], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    limited, afterwards = json.loads(done.stdout)
    assert limited == [1, 0], limited
    assert afterwards[0] == 2 and afterwards[1] > 0, afterwards


# ---- the same in threads of Python, over the BLAS with OpenMP: teams of several threads at a time

NESTED = [PYTHON, SCRIPTS / "nested_learning.py"]


@pytest.mark.parametrize(("threads", "levels"), ((2, 1), (4, 2)))
def test_nested_learning(
    own_environment: Environment, weirs: Environment, openblas: Path, tmp_path: Path, threads: int, levels: int
):
    nested = {"OMP_MAX_ACTIVE_LEVELS": str(levels)}
    own, weirs = with_path({**own_environment, **nested}, openblas), with_path({**weirs, **nested}, openblas)
    sums = ("cluster_scores", "linear_scores", "bagged", "norms", "centres")
    compare(NESTED, own, weirs, tmp_path, threads, rounded=sums)


def test_nested_learning_runs_on_weirs(weirs: Environment, openblas: Path, tmp_path: Path):
    asked = asked_of([*NESTED, tmp_path / "results.npz"], with_path(weirs, openblas), tmp_path)
    assert all_ask_weirs(asked, "openblas") and all_ask_weirs(asked, "_k_means_lloyd"), asked


# ---- ImageMagick

CONVERT = next((path for path in Path("/usr/bin").glob("convert") if shutil.which(path)), None)
PICTURE = (
    "-size 240x180 gradient:red-blue -swirl 90 ( +clone -blur 0x3 ) -compose difference -composite -resize 150% "
    "-rotate 13 -emboss 1 -median 2 -modulate 110,80,90 -equalize -sharpen 0x2 -wave 5x40 -charcoal 1 -depth 16"
)


def paint(picture: Path) -> list[str | Path]:
    return [CONVERT or "convert", *PICTURE.split(), picture]


@pytest.mark.parametrize("threads", THREADS)
def test_pictures(own_environment: Environment, weirs: Environment, tmp_path: Path, threads: int):
    run(paint(tmp_path / "own.ppm"), own_environment, threads)
    run(paint(tmp_path / "weirs.ppm"), weirs, threads)
    assert (tmp_path / "own.ppm").read_bytes() == (tmp_path / "weirs.ppm").read_bytes()


def test_pictures_are_painted_on_weirs(weirs: Environment, tmp_path: Path):
    asked = asked_of(paint(tmp_path / "picture.ppm"), weirs, tmp_path)
    assert all_ask_weirs(asked, "libMagickCore"), asked


# ---- the suite of overheads: every construct that a compiler has, once


@pytest.mark.parametrize("name", [name for name, (*_, asks) in PROGRAMS.items() if asks != "tbb"])
@pytest.mark.parametrize("threads", THREADS)
def test_the_suite(weirs: Environment, name: str, threads: int):
    program = native.find(name)
    assert program is not None, f"{name} is not built: make build"
    environment = {**weirs, "OMP_NUM_THREADS": str(threads)}
    listed = json.loads(subprocess.run([program, "list"], env=environment, capture_output=True, check=True).stdout)
    assert Path(listed["library"]).resolve().name == starting.LIBRARY
    wanted = [f"{c['name']}:{n}" for c in listed["constructs"] for n in VALUES[c["parameter"]][:2]]
    wanted += [c["name"] for c in listed["constructs"] if not VALUES[c["parameter"]]]
    shared = str(len(os.sched_getaffinity(0)))
    serve = [program, "serve", "--delay-ns", "50", "--sample-ms", "0.02", "--limit-ms", "1", "--processors", shared]
    commands = "".join(f"sample {construct}\n" for construct in wanted) + "quit\n"
    done = subprocess.run(serve, env=environment, input=commands, capture_output=True, text=True, timeout=300)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and [a["id"] for a in answers] == wanted, done.stderr
    assert all("error" not in a and a["threads"] == threads for a in answers)
