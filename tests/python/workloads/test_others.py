"""The drivers of other people's programs, as far as tests have their packages. No time decides a test."""

import re
import subprocess
from pathlib import Path

import pytest

from weir.base import native
from weir.run import starting

FOLDER = native.REPOSITORY / "workloads" / "others"
# Small, and with enough rows for each that it opens regions of several threads.
SMALL = {
    "blas": ["--size", "150", "--systems", "3"],
    "clustering": ["--points", "3000", "--clusters", "6", "--iterations", "4", "--starts", "3"],
    "histograms": ["--rows", "3000", "--trees", "8", "--models", "2"],
    "images": ["--width", "16", "--height", "10000"],
}
# Runtimes, threads, further options. The own runtime waits passively: its threads would take each other's processors.
OWN = {"OMP_WAIT_POLICY": "passive"}
KINDS = [("own", 2, []), ("weirs", 1, []), ("weirs", 5, [])]
IN_PYTHON = ("weirs", 2, ["--python-threads", "2"])
COMMANDS = ("dynamics", "images")  # no threads of Python call those


@pytest.fixture(scope="module")
def weirs() -> dict[str, str]:
    assert native.library(starting.LIBRARY) is not None, "libgomp-weir.so is not built: make build"
    started = starting.environment(starting.library(), {})
    return {name: value for name, value in started.items() if name.startswith("LD_")}


def run(
    name: str, words: list[str], environment: dict[str, str], threads: int, folder: Path = FOLDER
) -> subprocess.CompletedProcess:
    environment = starting.without_settings() | environment | {"OMP_NUM_THREADS": str(threads)}
    words = ["/usr/bin/python3", str(folder / f"{name}.py"), *words]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("name", SMALL)
def test_the_result_is_the_same_for_each_team_and_runtime(name: str, weirs: dict[str, str]):
    said = {}
    for kind, threads, further in KINDS if name in COMMANDS else [*KINDS, IN_PYTHON]:
        done = run(name, [*SMALL[name], *further], OWN if kind == "own" else weirs, threads)
        assert done.returncode == 0, f"{kind}, {threads} threads: {done.stderr}"
        assert re.match(rf"{name}: {threads} threads, [0-9.]+ s, ", done.stderr), done.stderr
        assert ("called from 2 threads of Python" in done.stderr) == bool(further), done.stderr
        said[kind, threads] = done.stdout
    assert len(set(said.values())) == 1, said


# One result that is a little wrong, put in the place of what the library computed.
SPOILT = {
    "blas": ("np.linalg.solve(definite, b)", "np.linalg.solve(definite, b) * (1 + 1e-9)", "a solution of matrix 0"),
    "clustering": ("max_iter=given.iterations, tol=0).fit(points)", "max_iter=1, tol=0).fit(points[::-1])", "nearer"),
    "histograms": (".fit(rows, classes)", ".fit(rows, classes[::-1])", "model 0 is right about"),
    "images": ("picture = painted()", "picture = painted()[:-1] + b'?'", "the picture is not"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_wrong_result_is_told(name: str, tmp_path: Path):
    for file in FOLDER.glob("*.py"):
        (tmp_path / file.name).write_text(file.read_text())
    right, wrong, complaint = SPOILT[name]
    source = (FOLDER / f"{name}.py").read_text()
    assert source.count(right) == 1
    (tmp_path / f"{name}.py").write_text(source.replace(right, wrong))
    done = run(name, SMALL[name], OWN, 2, tmp_path)
    assert done.returncode == 1 and f"{name}: wrong: " in done.stderr and complaint in done.stderr, done.stderr


@pytest.mark.parametrize(
    "name", [path.stem for path in FOLDER.glob("*.py") if path.stem not in ("driver", "balls", "sales")]
)
def test_a_wrong_option_is_refused(name: str):
    """Before a driver looks for its program, which may be missing."""
    for words in (["--none"], ["--python-threads", "0"]):
        done = run(name, words, {}, 2)
        assert (done.returncode, done.stdout) == (2, "") and f"{name}: error: " in done.stderr, done.stderr


def test_a_program_that_is_missing_is_told_of(tmp_path: Path):
    for file in FOLDER.glob("*.py"):
        (tmp_path / file.name).write_text(file.read_text())  # beside which there is no .venv-workloads
    done = subprocess.run(["/usr/bin/python3", tmp_path / "boosting.py"], capture_output=True, text=True)
    assert done.returncode == 2 and "scripts/setup workloads installs it" in done.stderr, done.stderr
