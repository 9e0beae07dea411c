"""Weir's OpenMP runtime under programs of each compiler: those of tests/openmp/programs, on teams of several sizes.

WEIR_TEST_RUNTIME=own runs them on the compilers' own runtimes instead: so the programs themselves are tested.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from weir.openmp.runtimes import Runtime, Stage
from weir.run import needs, starting

SOURCES = Path(__file__).resolve().parent.parent / "openmp" / "programs"
OWN = os.environ.get("WEIR_TEST_RUNTIME") == "own"
try:
    LIBRARY: Path | None = starting.library()
except starting.CannotRun:
    LIBRARY = None
CLANG = next((str(v) for v in range(19, 13, -1) if shutil.which(f"clang-{v}")), None)
C, CPP, FORTRAN = ["-std=gnu11"], ["-std=c++20"], ["-std=f2018"]
# By the ending of a program, and the name of a compiler in the tests.
COMPILERS = {
    ".c": {"gcc": ["gcc", *C], "clang": [f"clang-{CLANG}", *C]},
    ".cpp": {"gcc": ["g++", *CPP], "clang": [f"clang++-{CLANG}", *CPP]},
    ".f90": {"gfortran": ["gfortran", *FORTRAN]},
}
# threadprivate variables that are the runtime's to give, not the linker's.
CALLS = "clang-without-tls"
for languages in (".c", ".cpp"):
    COMPILERS[languages][CALLS] = [*COMPILERS[languages]["clang"], "-fnoopenmp-use-tls"]
OPENMP = {"gcc": "-fopenmp", "gfortran": "-fopenmp", "clang": "-fopenmp=libomp", CALLS: "-fopenmp=libomp"}
# Programs that call one interface by its functions' names begin with its own.
INTERFACES = {"gomp": "gcc", "kmpc": "clang"}

# Those take a second, or half of one, whatever their team; or set themselves what they need.
SIZES = {"growth": (1, 4, 33), "signals": (2, 33), "affinity_formats": (2,), "binding": (2,), "team_sizes": (2,)}
ALL = (1, 2, 3, 4, 8, 33)
# What the compilers' own runtimes cannot, and Weir's shall.
OWN_FAULTS = {
    ("binding", "gcc"): "libgomp has more threads than need be on the first place where a team grows",
    ("kmp_routines", "gcc"): "libgomp has none of LLVM's routines",
    ("forks", "gcc"): "libgomp waits in a forked child for the workers of its parent",
    ("late", "gcc"): "libgomp is unmapped while its workers run",
    ("exits_busy", "clang"): "libomp takes its threads down while another opens regions",
    ("schedule_combined", "clang"): "libomp executes iterations of schedule(simd: static, chunk) twice",
    ("threadprivate_threads", CALLS): "libomp keeps the objects of a thread that has ended",
    ("thread_ends", "gcc"): "libgomp says to a thread that ends that it is in its last region still",
    ("thread_ends", "clang"): "libomp takes memory of a thread that has ended",
}
# What Weir's does not do yet.
MISSING = {
    "target": "target regions on the host",
    "taskloops": "reductions by tasks",
    "tasking": "reductions by tasks",
}


def _cases() -> Iterator:
    for source in sorted(SOURCES.glob("*.*")):
        for compiler, words in COMPILERS.get(source.suffix, {}).items():
            if INTERFACES.get(source.stem.split("_")[0], compiler) != compiler:
                continue
            if compiler == CALLS and not source.stem.startswith("threadprivate"):
                continue
            marks = [] if shutil.which(words[0]) else [pytest.mark.skip(reason=f"no {compiler}")]
            if OWN and (why := OWN_FAULTS.get((source.stem, compiler))):
                marks.append(pytest.mark.skip(reason=why))
            if not OWN and (why := MISSING.get(source.stem)):
                marks.append(pytest.mark.xfail(reason=f"not there yet: {why}", strict=True))
            for size in SIZES.get(source.stem, ALL):
                name = f"{source.name}-{compiler}-{size}"
                yield pytest.param(source, compiler, size, marks=marks, id=name)


class Builds:
    """All programs that the chosen tests need, two at a time; a test waits for its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pool = ThreadPoolExecutor(max_workers=2)
        self._begun: dict[tuple[Path, str], Future[Path]] = {}

    def begin(self, source: Path, compiler: str) -> None:
        if (source, compiler) not in self._begun:
            self._begun[source, compiler] = self._pool.submit(self._build, source, compiler)

    def get(self, source: Path, compiler: str) -> Path:
        self.begin(source, compiler)
        return self._begun[source, compiler].result()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _build(self, source: Path, compiler: str) -> Path:
        program = self.folder / f"{source.stem}-{compiler}"
        make = [*COMPILERS[source.suffix][compiler], "-O1", source, f"-I{SOURCES}"]
        if source.stem == "late":  # the program has no OpenMP; its library has
            self._compile([*make, OPENMP[compiler], "-DLIBRARY", "-shared", "-fPIC", "-o", f"{program}.so"])
            self._compile([*make, "-o", program, "-ldl", "-pthread"])
        else:
            # Atomic objects without an instruction of their size are LLVM's to ask libatomic for.
            self._compile([*make, OPENMP[compiler], "-o", program, "-lm", "-Wl,--as-needed", "-latomic"])
        return program

    def _compile(self, words: list) -> None:
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.folder, timeout=120)
        assert done.returncode == 0, f"{words[0]} does not compile this:\n{done.stderr}"


@pytest.fixture(scope="session")
def builds(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builds]:
    builds = Builds(tmp_path_factory.mktemp("openmp-programs"))
    for item in request.session.items:
        wanted = getattr(getattr(item, "callspec", None), "params", {})
        if (OWN or LIBRARY) and {"source", "compiler"} <= wanted.keys() and not item.get_closest_marker("skip"):
            builds.begin(wanted["source"], wanted["compiler"])
    yield builds
    builds.close()


@pytest.fixture(scope="session")
def runtime() -> Path | None:
    """None: each compiler's own."""
    if not OWN and LIBRARY is None:
        pytest.skip(f"{starting.LIBRARY} is not built")
    return None if OWN else LIBRARY


@pytest.fixture(scope="session")
def own_environment() -> dict[str, str]:
    """The compilers' own runtimes', and nothing of the user's that says how."""
    plain = {n: v for n, v in os.environ.items() if not n.startswith(("OMP_", "KMP_", "GOMP_", "WEIR_"))}
    # They spin for long, and would take the processors from each other.
    return plain | {"OMP_WAIT_POLICY": "passive"}


@pytest.fixture(scope="session")
def environment(runtime: Path | None, own_environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """What makes programs run on the runtime under test."""
    if runtime is None:
        yield own_environment
        return
    stage = Stage()
    plain = {n: v for n, v in own_environment.items() if n != "OMP_WAIT_POLICY"}
    yield plain | stage.environment(Runtime("weir", "", runtime, ("gomp", "kmp")))
    stage.close()


def say(program: Path, environment: dict[str, str], size: int) -> tuple[int, str, str]:
    """Its status, and what it said: all, and where it should have said ok."""
    try:
        done = subprocess.run(
            [program],
            env=environment | {"OMP_NUM_THREADS": str(size)},
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=30,
        )
    except subprocess.TimeoutExpired:
        pytest.fail(f"{program.name} with {size} threads does not end")
    return done.returncode, done.stdout + done.stderr, done.stdout


@pytest.mark.parametrize(("source", "compiler", "size"), list(_cases()))
def test_program(environment: dict[str, str], builds: Builds, source: Path, compiler: str, size: int):
    status, all_of_it, said = say(builds.get(source, compiler), environment, size)
    assert status == 0 and said.strip() == "ok", f"{source.name}, {size} threads: status {status}\n{all_of_it}"


@pytest.mark.skipif(OWN, reason="what they do where threads are bound is theirs")
@pytest.mark.parametrize("where", ["sockets", "threads", "threads(1)"])
@pytest.mark.parametrize("name", ["barriers.c", "forks.c", "hosts.c", "nests.c", "reductions.c", "thread_ends.cpp"])
def test_programs_where_threads_are_bound_and_shown(environment: dict[str, str], builds: Builds, name: str, where: str):
    source = SOURCES / name
    bound = {"OMP_PLACES": where, "OMP_PROC_BIND": "spread,close", "OMP_DISPLAY_AFFINITY": "true"}
    status, all_of_it, said = say(builds.get(source, "gcc"), environment | bound, 4)
    assert status == 0 and said.strip() == "ok", f"{name}, places: {where}: status {status}\n{all_of_it}"
    assert "level 1 thread 0 of" in all_of_it


HALVED = ["counter", "sense", "sensor", "distributed-sensor", "tree", "mcs", "tournament", "tournament-tree"]


@pytest.mark.skipif(OWN, reason="they have no barriers by name")
@pytest.mark.parametrize("program", ["regions", "nests", "reductions", "sizes"])
@pytest.mark.parametrize("barrier", HALVED)
def test_barriers_by_name(environment: dict[str, str], builds: Builds, barrier: str, program: str):
    names = {f"WEIR_{half}BARRIER": barrier for half in ("", "FORK_", "JOIN_", "REDUCTION_")}
    for size in (2, 7):
        status, all_of_it, said = say(builds.get(SOURCES / f"{program}.c", "clang"), environment | names, size)
        assert status == 0 and said.strip() == "ok", f"{size} threads: status {status}\n{all_of_it}"


WAITS = [
    {"OMP_WAIT_POLICY": "active"},
    {"OMP_WAIT_POLICY": "passive"},
    {"KMP_BLOCKTIME": "0"},
    {"GOMP_SPINCOUNT": "10"},
]


@pytest.mark.skipif(OWN, reason="a runtime's own affair")
@pytest.mark.parametrize("wait", WAITS, ids=lambda wait: "-".join(next(iter(wait.items()))))
def test_waits(environment: dict[str, str], builds: Builds, wait: dict[str, str]):
    for program in ("regions", "reductions", "barriers"):
        status, all_of_it, said = say(builds.get(SOURCES / f"{program}.c", "gcc"), environment | wait, 3)
        assert status == 0 and said.strip() == "ok", f"{program}: status {status}\n{all_of_it}"


@pytest.mark.parametrize("compiler", [c for c in ("gcc", "clang") if c == "gcc" or CLANG])
def test_programs_run_on_the_runtime_under_test(
    environment: dict[str, str], builds: Builds, runtime: Path | None, compiler: str
):
    program = builds.get(SOURCES / "regions.c", compiler)
    traced = subprocess.run(
        [program], env=environment | {"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True
    )
    name = {"gcc": "libgomp.so.1", "clang": "libomp.so.5"}[compiler]
    found = next(line.split()[2] for line in traced.stdout.splitlines() if line.split()[0] == name)
    assert runtime is None or Path(found).resolve() == runtime


STUB = """
void __kmpc_push_num_threads_list(void *where, int thread, unsigned length, int *numbers);
int main(void) {
  __kmpc_push_num_threads_list(0, 0, 0, 0);
  return 0;
}
"""


def test_a_stub_says_its_name_and_is_known_for_one(environment: dict[str, str], runtime: Path | None, tmp_path: Path):
    if runtime is None or CLANG is None:
        pytest.skip("a stub of Weir's, in a program of Clang's")
    (tmp_path / "stub.c").write_text(STUB)
    program = tmp_path / "stub"
    subprocess.run([f"clang-{CLANG}", "-fopenmp=libomp", tmp_path / "stub.c", "-o", program], check=True)
    status, words, _ = say(program, environment, 2)
    assert status != 0 and "__kmpc_push_num_threads_list is not supported" in words
    assert [n.symbol.name for n in needs.needs(program, runtime).missing] == ["__kmpc_push_num_threads_list"]


VAST = """
int main(void) {
  long n = 1l << EACH;
#pragma omp parallel for ordered(2)
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
#pragma omp ordered depend(source)
    }
  return 0;
}
"""


@pytest.mark.parametrize(("each", "why"), [(25, "has not as many"), (32, "more iterations than 64 bits")])
@pytest.mark.parametrize("compiler", [c for c in ("gcc", "clang") if c == "gcc" or CLANG])
def test_a_doacross_nest_that_is_too_large_says_so(
    environment: dict[str, str], runtime: Path | None, tmp_path: Path, compiler: str, each: int, why: str
):
    if runtime is None:
        pytest.skip("others keep what is done of a nest otherwise")
    (tmp_path / "vast.c").write_text(VAST)
    program = tmp_path / "vast"
    make = [*COMPILERS[".c"][compiler], OPENMP[compiler], f"-DEACH={each}", tmp_path / "vast.c", "-o", program]
    subprocess.run(make, check=True)
    status, words, _ = say(program, environment, 2)
    assert status != 0 and words.startswith("weir: a doacross nest") and why in words


# A fault of a runtime each, which the program of that construct must notice. On the compilers' own: it is the programs
# that are tested.
FAULTS = {
    ("barriers", "gcc"): "void GOMP_barrier(void) {}",
    ("barriers", "clang"): "void __kmpc_barrier(void *where, int thread) {}",
    ("singles", "gcc"): "_Bool GOMP_single_start(void) { return 1; }",
    ("singles", "clang"): "int __kmpc_single(void *where, int thread) { return 1; }",
    ("ordered", "gcc"): "void GOMP_ordered_start(void) {}",
    ("ordered", "clang"): "void __kmpc_ordered(void *where, int thread) {}",
    ("routines", "gcc"): "int omp_get_level(void) { return 0; }",
    ("routines", "clang"): "int omp_get_level(void) { return 0; }",
    ("tasks", "gcc"): "void GOMP_taskwait(void) {}",
    ("binding", "clang"): "int omp_get_place_num(void) { return 0; }",
    ("affinity_formats", "gcc"): "int omp_get_affinity_format(char *text, long size) { return 0; }",
    ("team_sizes", "gcc"): "int omp_get_max_threads(void) { return 4; }",
    ("kmp_routines", "clang"): "int kmp_get_blocktime(void) { return 200; }",
    ("tasks", "clang"): "int __kmpc_omp_taskwait(void *where, int thread) { return 0; }",
}


@pytest.mark.parametrize(("name", "compiler"), FAULTS)
def test_programs_notice_faults(
    builds: Builds, own_environment: dict[str, str], tmp_path: Path, name: str, compiler: str
):
    if compiler == "clang" and CLANG is None:
        pytest.skip("no clang")
    (tmp_path / "fault.c").write_text(FAULTS[name, compiler])
    subprocess.run(["gcc", "-shared", "-fPIC", tmp_path / "fault.c", "-o", tmp_path / "fault.so"], check=True)
    program = builds.get(SOURCES / f"{name}.c", compiler)
    status, _, said = say(program, own_environment | {"LD_PRELOAD": str(tmp_path / "fault.so")}, 4)
    assert status != 0 and "ok" not in said
