"""The workloads compute what they should, on each runtime and with each kind of threads. No time decides a test."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from weir.base import native
from weir.openmp.runtimes import Runtime, Stage, runtimes
from weir.run import starting

FOLDER = native.REPOSITORY / "build" / "workloads"
# Small enough for any machine, also where threads spin for whole time slices. Of two words the first is the program.
SMALL = {
    "hydro": ["--elements", "5", "--steps", "100"],
    "wavefront": ["--rows", "12", "--columns", "40", "--pairs", "2"],
    "regions": ["--regions", "9", "--steps", "500", "--parts", "7"],
    "hosts": ["--hosts", "3", "--threads", "2", "--blocks", "7", "--regions", "20", "--waves", "2"],
    "intervals": ["--steps", "500", "--episodes", "40"],
    "gauss": ["--size", "30", "--systems", "2"],
    "paths": ["--vertices", "40", "--sources", "2", "--density", "30"],
    "sort": ["--keys", "90"],
    "cholesky": ["--size", "50", "--tile", "8"],
    "aspcg": ["--cells", "14", "--block", "4", "--overlap", "2"],
    "wavefront doacross": ["--rows", "12", "--columns", "40", "--pairs", "2", "--doacross", "9"],
}
# The same result for each team and runtime, to the last bit.
UNCHANGING = ["hydro", "regions", "wavefront", "gauss", "paths", "sort", "cholesky", "aspcg", "wavefront doacross"]
# By Weir's barriers alone: each kind of barrier, of waiting and of members.
ON_WEIR = ["gauss", "paths", "sort", "intervals"]
TEAMS = {
    "one": ["--threads", "1"],
    "default": ["--threads", "5"],
    "spin": ["--threads", "2", "--barrier", "mcs", "--waiting", "spin"],
    "block": ["--threads", "5", "--barrier", "sense", "--waiting", "block"],
    "standard": ["--threads", "3", "--barrier", "weir::barrier"],
    "virtual": ["--threads", "5", "--processors", "2", "--barrier", "dissemination"],
    "virtual-spin": ["--threads", "3", "--processors", "2", "--waiting", "spin"],
    "virtual-standard": ["--threads", "5", "--processors", "1", "--barrier", "weir::barrier"],
    "bound": ["--threads", "5", "--bind", "1", "--barrier", "combination", "--waiting", "share"],
    "virtual-bound": ["--threads", "5", "--processors", "1", "--bind", "1", "--barrier", "combination"],
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
    path = FOLDER / f"{name.partition(' ')[0]}-{compiler}"
    assert path.is_file(), f"{path} is not built: ninja -C build workloads"
    return path


def run(name: str, compiler: str, words: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess:
    words = [str(program(name, compiler)), *words]
    environment = starting.without_settings() | environment
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)


def environment(kind: str, stage: Stage, size: int) -> dict[str, str]:
    """Own runtimes wait passively: they would take the processors from each other."""
    runtime, _, threads = kind.partition(" ")
    assert runtime in FOUND, f"{runtime} is not built: make build"
    settings = {"WEIR_THREADS": threads} if threads else {"OMP_WAIT_POLICY": "passive"}
    return stage.environment(FOUND[runtime]) | settings | {"OMP_NUM_THREADS": str(size)}


def serves(runtime: Runtime, compiler: str) -> bool:
    return INTERFACES[compiler] in runtime.serves


CASES = [
    pytest.param(name, compiler, kind, id=f"{name}-{compiler}-{kind}".replace(" ", "-"))
    for name in SMALL
    for compiler in INTERFACES
    for kind in KINDS
    if (found := FOUND.get(kind.partition(" ")[0])) is None or serves(found, compiler)
]


def sizes(name: str, compiler: str, kind: str) -> tuple[int, ...]:
    """LLVM's runtime (19.1) crashes in a doacross loop of GCC's with one thread, and so does Intel's of that family."""
    crashes = "doacross" in name and compiler == "gcc" and kind.startswith(("libomp", "libiomp"))
    return SIZES[1:] if crashes else SIZES


@pytest.mark.parametrize(("name", "compiler", "kind"), CASES)
def test_a_workload_verifies_its_result(name: str, compiler: str, kind: str, stage: Stage):
    for size in sizes(name, compiler, kind):
        done = run(name, compiler, SMALL[name], environment(kind, stage, size))
        assert done.returncode == 0, f"{size} threads: {done.stderr}"


@pytest.mark.parametrize("name", UNCHANGING)
@pytest.mark.parametrize("compiler", INTERFACES)
def test_the_result_is_the_same_for_each_team_and_runtime(name: str, compiler: str, stage: Stage):
    said = {
        (kind, size): run(name, compiler, SMALL[name], environment(kind, stage, size)).stdout
        for kind in ("weir kernel", "weir user")
        for size in (1, 2, 5)
    }
    assert len(set(said.values())) == 1, said


@pytest.mark.parametrize("name", ON_WEIR)
@pytest.mark.parametrize("team", TEAMS)
def test_weirs_barriers_serve_a_workload(name: str, team: str, stage: Stage):
    done = run(name, "weir", [*SMALL[name], *TEAMS[team]], {})
    assert done.returncode == 0, done.stderr
    by_openmp = run(name, "gcc", SMALL[name], environment("weir kernel", stage, int(TEAMS[team][1])))
    assert done.stdout == by_openmp.stdout
    barrier = re.search(r"--barrier (\S+)", " ".join(TEAMS[team]))
    assert barrier is None or f", barrier {barrier[1]}," in done.stderr


def test_pipelines_have_the_same_grid(stage: Stage):
    said = {
        name: run(name, "gcc", SMALL[name], environment("weir kernel", stage, 2)).stdout
        for name in SMALL
        if program(name, "gcc").name == "wavefront-gcc"
    }
    assert len(said) == 2 and len(set(said.values())) == 1, said


def test_intervals_may_be_uneven(stage: Stage):
    done = run("intervals", "gcc", [*SMALL["intervals"], "--imbalance", "100"], environment("weir kernel", stage, 3))
    assert done.returncode == 0, done.stderr


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
        ("wavefront", ["--doacross", "600"], "wavefront: --doacross 600 is larger than --columns 512"),
        ("wavefront", ["--doacross", "1", "--rows", "2"], "wavefront: --rows 2 are fewer than the 3 threads"),
        ("gauss", ["--size", "1"], "gauss: --size 1 makes 2 columns, fewer than the 3 threads"),
        ("gauss", ["--size", "8192", "--systems", "9"],
         "gauss: --size 8192 --systems 9 need 4608 MiB; allowed are 4096"),
        ("paths", ["--vertices", "2"], "paths: --vertices 2 are fewer than the 3 threads"),
        ("paths", ["--vertices", "9"], "paths: --sources 40 are more than the 9 vertices"),
        ("sort", ["--keys", "5"], "sort: --keys 5 make 2 pairs, fewer than the 3 threads"),
        ("cholesky", ["--size", "50"], "cholesky: --tile 64 is larger than --size 50"),
        ("cholesky", ["--tile", "1"], "cholesky: --tile 1 makes 4096 x 4096 tiles; at most 512 x 512 make sense"),
    ],
)  # fmt: skip
def test_a_wrong_option_is_refused_in_one_line(name: str, words: list[str], complaint: str):
    done = run(name, "gcc", words, {"OMP_NUM_THREADS": "3"})
    assert (done.returncode, done.stdout, done.stderr) == (2, "", complaint + "\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--barrier"], "sort: --barrier takes a name"),
        (["--barrier", "mcs2"], r'sort: .*no barrier is called "mcs2"; known are auto, .*mcs.*'),
        (["--waiting", "sleep"], r'sort: .*no waiting policy is called "sleep"; known are auto, .*block.*'),
        (["--threads", "0"], 'sort: --threads takes a whole number from 1 to 1024, not "0"'),
        (["--barrier", "weir::barrier", "--waiting", "spin"],
         "sort: weir::barrier takes no waiting policy: leave --waiting spin out"),
        (["--processors", "1000", "--bind", "1"], r"sort: --bind 1: 1000 virtual processors, but there are \d+"),
    ],
)  # fmt: skip
def test_a_team_that_cannot_be_is_refused_in_one_line(words: list[str], complaint: str):
    done = run("sort", "weir", words, {})
    assert (done.returncode, done.stdout) == (2, "") and re.fullmatch(complaint + "\n", done.stderr), done.stderr


@pytest.mark.parametrize("name", [name for name in SMALL if " " not in name])
def test_help_lists_the_options(name: str):
    done = run(name, "gcc", ["--help"], {})
    assert done.returncode == 0 and done.stdout.startswith(f"{name}: ") and "--help" in done.stdout
