"""The workloads compute what they should, on each runtime and with each kind of threads. No time decides a test."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from weir.base import native
from weir.openmp.runtimes import Runtime, Stage, runtimes

FOLDER = native.REPOSITORY / "build" / "workloads"
# Small enough for any machine, also where threads spin for whole time slices.
SMALL = {
    "hydro": ["--elements", "5", "--steps", "100"],
    "wavefront": ["--rows", "12", "--columns", "40", "--pairs", "2"],
    "hosts": ["--hosts", "3", "--threads", "2", "--blocks", "7", "--regions", "20"],
    "intervals": ["--steps", "500", "--episodes", "40"],
}
INTERFACES = {"gcc": "gomp", "clang": "kmp"}
FOUND = {runtime.name: runtime for runtime in runtimes()}
KINDS = ["weir kernel", "weir user", "weir auto", *(name for name in FOUND if name != "weir")]
SIZES = (1, 2, 5)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()


def program(name: str, compiler: str) -> Path:
    path = FOLDER / f"{name}-{compiler}"
    assert path.is_file(), f"{path} is not built: ninja -C build workloads"
    return path


def run(name: str, compiler: str, words: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess:
    plain = {n: v for n, v in os.environ.items() if not n.startswith(("OMP_", "KMP_", "GOMP_", "WEIR_"))}
    return subprocess.run(
        [program(name, compiler), *words], env=plain | environment, capture_output=True, text=True, timeout=60
    )


def environment(kind: str, stage: Stage, size: int) -> dict[str, str]:
    """Own runtimes wait passively: they would take the processors from each other."""
    runtime, _, threads = kind.partition(" ")
    assert runtime in FOUND, f"{runtime} is not built: make build"
    its = {"WEIR_THREADS": threads} if threads else {"OMP_WAIT_POLICY": "passive"}
    return stage.environment(FOUND[runtime]) | its | {"OMP_NUM_THREADS": str(size)}


def serves(runtime: Runtime, compiler: str) -> bool:
    return INTERFACES[compiler] in runtime.serves


CASES = [
    pytest.param(name, compiler, kind, id=f"{name}-{compiler}-{kind.replace(' ', '-')}")
    for name in SMALL
    for compiler in INTERFACES
    for kind in KINDS
    if (its := FOUND.get(kind.partition(" ")[0])) is None or serves(its, compiler)
]


@pytest.mark.parametrize(("name", "compiler", "kind"), CASES)
def test_a_workload_verifies_its_result(name: str, compiler: str, kind: str, stage: Stage):
    for size in SIZES:
        done = run(name, compiler, SMALL[name], environment(kind, stage, size))
        assert done.returncode == 0, f"{size} threads: {done.stderr}"


@pytest.mark.parametrize("name", ["hydro", "wavefront"])
@pytest.mark.parametrize("compiler", INTERFACES)
def test_the_result_is_the_same_for_each_team_and_runtime(name: str, compiler: str, stage: Stage):
    said = {
        (kind, size): run(name, compiler, SMALL[name], environment(kind, stage, size)).stdout
        for kind in ("weir kernel", "weir user")
        for size in (1, 2, 5)
    }
    assert len(set(said.values())) == 1, said


def test_the_blast_is_sedovs(stage: Stage):
    done = run("hydro", "gcc", ["--steps", "700"], environment("weir kernel", stage, 2))
    assert done.returncode == 0, done.stderr
    at, expected = map(float, re.search(r"the shock is at (\S+), Sedov's at (\S+)", done.stdout).groups())
    assert 0.5 < expected < 0.9 and abs(at - expected) < 0.1, done.stdout
    drift, unequal = map(float, re.search(r"drifts by (\S+), symmetric to (\S+)", done.stdout).groups())
    assert drift < 1e-11 and unequal < 1e-8


def test_regions_are_counted_and_are_about_49_100_by_default(stage: Stage):
    counts = []
    for steps in ("1", "3"):
        done = run("hydro", "gcc", ["--elements", "4", "--steps", steps], environment("weir kernel", stage, 1))
        counts.append(int(re.search(r"(\d+) regions", done.stdout).group(1)))
    by_step = (counts[1] - counts[0]) // 2
    said = run("hydro", "gcc", ["--help"], {}).stdout
    steps = int(re.search(r"--steps .*; (\d+)\)", said).group(1))
    assert f"{by_step} parallel regions a step" in said
    assert abs(counts[0] + (steps - 1) * by_step - 49_100) < 50


@pytest.mark.parametrize(
    ("name", "words", "complaint"),
    [
        ("hydro", ["--elements", "2"], 'hydro: --elements takes a whole number from 3 to 96, not "2"'),
        ("hydro", ["--elements", "12x"], 'hydro: --elements takes a whole number from 3 to 96, not "12x"'),
        ("hydro", ["--steps"], "hydro: --steps takes a whole number from 1 to 1000000"),
        ("hydro", ["-s", "12"], 'hydro: no option is called "-s"; --help lists them'),
        ("wavefront", ["--columns", "2"], "wavefront: --columns 2 are fewer than the 3 threads"),
        ("hosts", ["--hosts", "0"], 'hosts: --hosts takes a whole number from 1 to 256, not "0"'),
        ("intervals", ["--episodes", "-1"],
         'intervals: --episodes takes a whole number from 1 to 100000000, not "-1"'),
    ],
)  # fmt: skip
def test_a_wrong_option_is_refused_in_one_line(name: str, words: list[str], complaint: str):
    done = run(name, "gcc", words, {"OMP_NUM_THREADS": "3"})
    assert (done.returncode, done.stdout, done.stderr) == (2, "", complaint + "\n")


@pytest.mark.parametrize("name", SMALL)
def test_help_lists_the_options(name: str):
    done = run(name, "gcc", ["--help"], {})
    assert done.returncode == 0 and done.stdout.startswith(f"{name}: ") and "--help" in done.stdout
