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
from weir.run import starting

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
OPENMP = {"gcc": "-fopenmp", "gfortran": "-fopenmp", "clang": "-fopenmp=libomp"}

SIZES = {"growth": (1, 4, 33), "signals": (2, 33)}  # those take a second, or half of one, whatever their team
ALL = (1, 2, 3, 4, 8, 33)
# What the compilers' own runtimes cannot, and Weir's shall.
OWN_FAULTS = {
    ("allocators", "clang"): "libomp faults in omp_realloc without an allocator, and in omp_calloc of too much",
    ("detached", "gcc"): "libgomp does not leave a barrier that waited for a detached task",
    ("forks", "gcc"): "libgomp waits in a forked child for the workers of its parent",
    ("late", "gcc"): "libgomp is unmapped while its workers run",
    ("exits_busy", "clang"): "libomp takes its threads down while another opens regions",
    ("taskwait_nowait", "clang"): "libomp waits there all the same",
    ("thread_ends", "gcc"): "libgomp says to a thread that ends that it is in its last region still",
    ("thread_ends", "clang"): "libomp takes memory of a thread that has ended",
}
# What Weir's does not do yet.
MISSING = {
    "routines": "the affinity format: omp_set_affinity_format and its kin",
}


def _cases() -> Iterator:
    for source in sorted(SOURCES.glob("*.*")):
        for compiler, words in COMPILERS.get(source.suffix, {}).items():
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


def test_target_constructs_end_the_program_where_a_device_is_mandatory(
    environment: dict[str, str], builds: Builds, runtime: Path | None
):
    if runtime is None:
        pytest.skip("libgomp executes them on the host")
    program = builds.get(SOURCES / "target.c", "gcc")
    status, said, _ = say(program, environment | {"OMP_TARGET_OFFLOAD": "mandatory"}, 2)
    assert status == 1 and "OMP_TARGET_OFFLOAD is mandatory" in said


def test_the_default_allocator_is_the_environments(environment: dict[str, str], builds: Builds):
    program = builds.get(SOURCES / "allocators.c", "gcc")
    status, said, _ = say(program, environment | {"OMP_ALLOCATOR": "omp_large_cap_mem_alloc"}, 2)
    assert status == 0, said


@pytest.mark.parametrize("compiler", [c for c in ("gcc", "clang") if c == "gcc" or CLANG])
def test_an_allocator_of_the_environment_has_its_traits(
    environment: dict[str, str], builds: Builds, runtime: Path | None, compiler: str
):
    if runtime is None:
        pytest.skip("their allocators are their own")
    program = builds.get(SOURCES / "default_allocator.c", compiler)
    said = "omp_default_mem_space:alignment=512,pool_size=1000,fallback=null_fb"
    status, told, _ = say(program, environment | {"OMP_ALLOCATOR": said}, 2)
    assert status == 0, told


def test_leagues_are_as_the_environment_says(environment: dict[str, str], builds: Builds, runtime: Path | None):
    if runtime is None:
        pytest.skip("how many they make is their own affair")
    for compiler in ("gcc", "clang") if CLANG else ("gcc",):
        program = builds.get(SOURCES / "default_league.c", compiler)
        status, said, _ = say(program, environment | {"OMP_NUM_TEAMS": "3", "OMP_TEAMS_THREAD_LIMIT": "2"}, 4)
        assert status == 0, said


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
