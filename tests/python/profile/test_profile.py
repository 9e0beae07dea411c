"""What weir profile counts, on each runtime, and how it is priced."""

import io
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from weir.base import records
from weir.cli import app
from weir.openmp.runtimes import Stage, runtimes
from weir.profile import cli as profile_cli
from weir.profile import counting, pricing
from weir.profile.cli import show
from weir.profile.counting import Directive
from weir.profile.pricing import Measured

from ..openmp_programs import CLANG

SOURCES = Path(__file__).resolve().parents[2] / "profile"
COMPILERS = {"gcc": ["gcc", "-fopenmp"], "clang": [f"clang-{CLANG}", "-fopenmp=libomp"]}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("profile")
    for name, words in COMPILERS.items():
        if words[0]:
            subprocess.run([*words, "-O1", SOURCES / "directives.c", "-o", folder / name], check=True)
    return {name: folder / name for name in COMPILERS}


@pytest.fixture(params=[1, 2, 4])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("OMP_NUM_THREADS", str(request.param))
    monkeypatch.setenv("OMP_MAX_ACTIVE_LEVELS", "1")
    return request.param


def counted(*words: object) -> dict[tuple[str, int], int]:
    counts: Counter = Counter()
    for directive, count in counting.run([str(w) for w in words]).counts.items():
        counts[directive.name, directive.threads] += count
    return dict(counts)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_regions_are_counted_with_the_size_that_they_have(built: dict[str, Path], compiler: str, threads: int):
    expected: Counter = Counter({("parallel", 1): 4, ("parallel", 3): 1})
    expected["parallel", threads] += 7
    assert counted(built[compiler], "regions") == expected


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_barrier_that_ends_a_construct_belongs_to_it(built: dict[str, Path], compiler: str, threads: int):
    expected = {"parallel": 1, "for": 5, "for nowait": 5, "chunk of a loop": 55, "sections": 5}
    # LLVM's copyprivate is a single and two barriers.
    own = {"barrier": 10, "single": 5, "copyprivate": 5} if compiler == "gcc" else {"barrier": 15, "single": 10}
    expected |= own
    if compiler == "clang" and threads == 1:
        expected["chunk of a loop"] = 5  # a thread alone takes a dynamic loop as a whole, and LLVM does not tell of it
    assert counted(built[compiler], "worksharing") == {(name, threads): count for name, count in expected.items()}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_exclusion_is_counted_by_each_thread(built: dict[str, Path], compiler: str, threads: int):
    expected = {
        "parallel": 1, "critical": 22 * threads, "lock": 11 * threads, "nest-lock": 11 * threads,
        "for": 1, "ordered": 24,
    }  # fmt: skip
    assert counted(built[compiler], "exclusion") == {(name, threads): count for name, count in expected.items()}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_tasks_are_counted(built: dict[str, Path], compiler: str, threads: int):
    # GCC joins the barrier of a single that ends a region with that of the region.
    single = "single nowait" if compiler == "gcc" else "single"
    expected = {"parallel": 1, single: 1, "task": 14, "task-dependences": 3, "taskgroup": 1, "taskwait": 1}
    assert counted(built[compiler], "tasks") == {(name, threads): count for name, count in expected.items()}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_argument_of_a_taskloop_comes_through(built: dict[str, Path], compiler: str, threads: int):
    seen = counting.run([str(built[compiler]), "taskloops"])
    assert seen.status == 0  # it looks at what its loops have done
    counts = {(d.name, d.threads): count for d, count in seen.counts.items()}
    own = {"single nowait": 1, "taskloop": 2} if compiler == "gcc" else {"single": 1, "taskloop of tasks": 2}
    own |= {"task": 20, "taskgroup": 2} if compiler == "clang" else {}
    assert counts == {(name, threads): count for name, count in ({"parallel": 1} | own).items()}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_region_in_a_single_leaves_the_singles_barrier_alone(built: dict[str, Path], compiler: str, threads: int):
    inner = 3 if threads == 1 else 1  # a region of one thread is no active level
    expected = Counter({("single", threads): 50, ("barrier", inner): 50, ("parallel", inner): 50})
    expected["parallel", threads] += 1
    assert counted(built[compiler], "nested") == expected


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_lock_that_is_tried_is_counted_once_it_is_got(built: dict[str, Path], compiler: str, threads: int):
    assert counted(built[compiler], "tried") == {("parallel", threads): 1, ("lock", threads): 11 * threads}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_region_that_the_program_ends_in_is_counted(built: dict[str, Path], compiler: str, threads: int):
    counts = counted(built[compiler], "inside")
    assert counts["parallel", threads] == 1 and counts["barrier", threads] == 1


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("end", "barriers", "status"), [("fork", 36, 0), ("exec", 34, 0), ("exit", 17, 5), ("kill", 17, -9)]
)
def test_counts_outlive_however_a_process_ends(
    built: dict[str, Path], monkeypatch: pytest.MonkeyPatch, compiler: str, end: str, barriers: int, status: int
):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    seen = counting.run([str(built[compiler]), end])
    assert seen.status == status and seen.uncounted == 0
    assert sum(c for d, c in seen.counts.items() if d.name == "barrier") == barriers


def test_gcc_programs_on_another_runtime_are_counted_once(built: dict[str, Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    stage = Stage()
    for runtime in (r for r in runtimes() if "kmp" in r.serves):
        for name, value in stage.environment(runtime).items():
            monkeypatch.setenv(name, value)
        counts = counting.run([str(built["gcc"]), "barriers"]).counts
        assert {(d.name, d.threads): c for d, c in counts.items()} == {("barrier", 2): 17, ("parallel", 2): 1}
        assert {Path(d.runtime).resolve() for d in counts} == {runtime.library}
    stage.close()


def test_fortran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    subprocess.run(["gfortran", "-fopenmp", SOURCES / "directives.f90", "-o", tmp_path / "f"], check=True)
    expected = {"parallel": 1, "barrier": 9, "lock": 18, "for": 9, "chunk of a loop": 36, "single": 9}
    assert counted(tmp_path / "f") == {(name, 2): count for name, count in expected.items()}


HOST = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
  for (int i = 1; i < count; ++i) {
    void *library = dlopen(words[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) { fprintf(stderr, "%s\\n", dlerror()); return 2; }
    void (*work)(void) = (void (*)(void))dlsym(library, "work");
    work();
  }
  return 0;
}
"""
PLUGIN = """
#include <omp.h>
#include <stdlib.h>
void work(void) {
  int threads = 0;
#pragma omp parallel num_threads(SIZE)
  {
#pragma omp barrier
#pragma omp master
    threads = omp_get_num_threads(); /* asked of the library's own runtime: it must be in the same team */
  }
  if (threads != SIZE) abort();
}
"""


def test_libraries_that_bring_their_own_runtimes_each_keep_theirs(tmp_path: Path):
    """As Python packages do: loaded late, in no global scope, with a copy of libgomp under a name of its own."""
    own = next(r for r in runtimes() if r.name == "libgomp").library
    (tmp_path / "libgomq.so.1").write_bytes(own.read_bytes().replace(b"libgomp.so.1\0", b"libgomq.so.1\0"))
    (tmp_path / "host.c").write_text(HOST)
    (tmp_path / "plugin.c").write_text(PLUGIN)
    subprocess.run(["gcc", tmp_path / "host.c", "-o", tmp_path / "host"], check=True)
    make = ["gcc", "-fopenmp", "-shared", "-fPIC", tmp_path / "plugin.c", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run([*make, "-DSIZE=2", "-o", tmp_path / "one.so"], check=True)
    compile_two = ["gcc", "-fopenmp", "-fPIC", "-DSIZE=3", "-c", tmp_path / "plugin.c", "-o", tmp_path / "two.o"]
    subprocess.run(compile_two, check=True)
    subprocess.run(["gcc", "-shared", tmp_path / "two.o", f"-Wl,-rpath,{tmp_path}", f"-L{tmp_path}", "-l:libgomq.so.1",
                    "-o", tmp_path / "two.so"], check=True)  # fmt: skip
    seen = counting.run([str(tmp_path / n) for n in ("host", "one.so", "two.so")])
    assert seen.status == 0
    found = {(d.name, d.threads, Path(d.runtime).resolve().name): c for d, c in seen.counts.items()}
    assert found == {
        ("parallel", 2, own.name): 1, ("barrier", 2, own.name): 1,
        ("parallel", 3, "libgomq.so.1"): 1, ("barrier", 3, "libgomq.so.1"): 1,
    }  # fmt: skip


MIXED = """
void work(void);
int main(void) {
  int k = 0;
#pragma omp parallel num_threads(2) firstprivate(k)
  __asm__ volatile("" : : "r"(&k) : "memory");
  work();
  return 0;
}
"""
NUMBERED = """
#include <omp.h>
#include <stdlib.h>
void work(void) {
  int seen[2] = {0, 0};
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    ++seen[omp_get_thread_num()];
  }
  if (seen[0] != 1 || seen[1] != 1) abort();
}
"""


def test_a_call_goes_where_the_dynamic_linker_would_have_bound_it(tmp_path: Path):
    """GCC's library in LLVM's program: its own libgomp comes later in the global scope than the program's libomp."""
    (tmp_path / "mixed.c").write_text(MIXED)
    (tmp_path / "numbered.c").write_text(NUMBERED)
    subprocess.run(["gcc", "-fopenmp", "-fPIC", "-shared", tmp_path / "numbered.c", "-o", tmp_path / "libnumbered.so"],
                   check=True)  # fmt: skip
    subprocess.run([f"clang-{CLANG}", "-fopenmp=libomp", tmp_path / "mixed.c", f"-L{tmp_path}", "-lnumbered",
                    f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "mixed"], check=True)  # fmt: skip
    seen = counting.run([str(tmp_path / "mixed")])
    assert seen.status == 0
    assert {(d.name, d.threads): c for d, c in seen.counts.items()} == {("parallel", 2): 2, ("critical", 2): 2}
    assert all("libomp" in Path(d.runtime).name for d in seen.counts)


def test_threads_beyond_the_table_are_counted_as_lost(built: dict[str, Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(counting, "ROWS", 1)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    seen = counting.run([str(built["gcc"]), "exclusion"])
    assert seen.uncounted == 1
    assert {d.name: c for d, c in seen.counts.items()}["critical"] == 22


G = "/lib/libgomp.so.1"


def test_prices_are_made_of_the_suites_overheads():
    measured = {
        "parallel": 500.0, "for": 240.0, "barrier": 200.0, "reduction": 800.0, "single": 190.0, "taskwait": 700.0,
        "task-by-all": 100.0, "schedule-dynamic-n:1": 50_000.0, "schedule-static": 1_000.0, "flush": 40.0,
        "critical": 30.0,
    }  # fmt: skip
    table = {(G, name): [Measured(ns, 2, False)] for name, ns in measured.items()}
    prices = {
        "parallel": 500, "for": 240, "for nowait": 40, "single nowait": 0, "reduction": 300, "taskwait": 250,
        "task": 100,
        "chunk of a loop": 49_000 / 2048, "flush": 20, "atomic": 30,
    }  # fmt: skip
    prices["taskloop of tasks"] = 0  # no construct of the suite is needed for it, and none was measured
    lines = pricing.bill({Directive(name, 2, G): 10 for name in prices}, table)
    assert {line.directive.name: line.each_ns for line in lines} == {n: pytest.approx(v) for n, v in prices.items()}
    assert lines[0].directive.name == "parallel" and lines[0].total_ns == pytest.approx(5000)
    assert [line.total_ns for line in lines] == sorted((line.total_ns for line in lines), reverse=True)


def test_a_price_of_noise_is_nothing_and_of_another_size_is_marked():
    table = {
        (G, "master"): [Measured(-3.0, 2, True)],
        (G, "barrier"): [Measured(200.0, 2, False), Measured(900.0, 8, False)],
    }
    counted = [
        Directive("master", 2, G),
        Directive("barrier", 6, G),
        Directive("barrier", 8, G),
        Directive("lock", 2, G),
    ]
    found = {line.directive: line for line in pricing.bill(dict.fromkeys(counted, 5), table)}
    assert found[Directive("master", 2, G)].each_ns == 0 and found[Directive("master", 2, G)].noise
    six, eight = found[Directive("barrier", 6, G)], found[Directive("barrier", 8, G)]
    assert (six.each_ns, six.nearest) == (900.0, True) and (eight.each_ns, eight.nearest) == (900.0, False)
    assert found[Directive("lock", 2, G)].each_ns is None and found[Directive("lock", 2, G)].total_ns == 0


def test_every_event_has_a_price(built: dict[str, Path], tmp_path: Path):
    """The library names its events in the table; each is priced by constructs of the suite."""
    table = tmp_path / "table"
    table.write_bytes(counting.MAGIC + (1).to_bytes(4, "little") + bytes(counting.HEADER_BYTES + counting.ROW_BYTES))
    environment = os.environ | {"LD_PRELOAD": str(counting.library()), "WEIR_PROFILE_FILE": str(table)}
    subprocess.run(["true"], env=environment, check=True)
    names = [n.decode() for n in table.read_bytes()[20 : counting.HEADER_BYTES].split(b"\0") if n]
    assert set(pricing.RULES) <= set(names)
    known = json.loads(
        subprocess.run([counting.native.require("weir-openmp-c-gcc"), "list"], capture_output=True).stdout
    )
    suite = {c["name"] for c in known["constructs"]}
    assert {n.partition(":")[0] for name in names for n in pricing.rule(name).needs} <= suite


def test_a_whole_profile(built: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    words = [
        sys.executable,
        "-m",
        "weir",
        "profile",
        "-o",
        str(tmp_path / "bill.json"),
        "--",
        str(built["gcc"]),
        "echo",
    ]
    done = subprocess.run(
        words, input="its own words\n", capture_output=True, text=True, env=os.environ | {"COLUMNS": "100"}
    )
    assert (done.returncode, done.stdout) == (0, "its own words\n"), done.stderr
    assert "Where its synchronisation time goes" in done.stderr
    bill = json.loads((tmp_path / "bill.json").read_text())
    lines = {line["directive"]: line for line in bill["lines"]}
    assert set(lines) == {"parallel", "barrier"} and lines["barrier"]["count"] == 1
    assert lines["barrier"]["each_ns"] > 0 and lines["barrier"]["total_ns"] == lines["barrier"]["each_ns"]


def test_overheads_from_records_and_the_programs_status(
    built: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    overheads = tmp_path / "o.jsonl"
    base = {"kind": "overhead", "how": {"run": 0, "rejected": None, "method": "overhead"}}
    what = {"family": "openmp", "waiting": "own", "version": "", "group": "g", "language": "C", "runtime": "libgomp"}
    where = {"members": 2, "processors": 2, "pinned": False, "load": "none", "delay_ns": 100}
    lists = {name: [250.0] * 4 for name in records.LISTS}
    with records.Writer(overheads) as writer:
        for name in ("parallel", "barrier"):
            writer.write(base | {"what": what | {"id": name, "algorithm": name}, "where": where, "samples": lists})
    words = ["profile", "--overheads", str(overheads), "-o", str(tmp_path / "b.json"), "--", str(built["gcc"]), "exit"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 5, done.output
    bill = {line["directive"]: line for line in json.loads((tmp_path / "b.json").read_text())["lines"]}
    assert bill["barrier"]["total_ns"] == pytest.approx(17 * 250)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["/nowhere/program"], "no such program"),
        ([__file__], "cannot be executed"),
        (["true"], "executed no OpenMP directive"),
        ([], "no program was named"),
    ],
)
def test_bad_input(words: list[str], says: str):
    done = CliRunner().invoke(app, ["profile", "--", *words])
    assert done.exit_code == 2 and says in " ".join(done.output.split())


def test_a_bill_of_more_than_the_run_is_doubted(
    built: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    directive = Directive("barrier", 2, G)
    seen = counting.Profile(Counter({directive: 1000}), 1e-3, 0, 0, 0)
    for ns, doubted in ((500.0, False), (2000.0, True)):
        said: list[str] = []
        monkeypatch.setattr("weir.profile.cli.warn", said.append)
        monkeypatch.setattr("weir.profile.cli.err", Console(file=io.StringIO(), width=120))
        show(pricing.bill(seen.counts, {(G, "barrier"): [Measured(ns, 2, False)]}), seen)
        shown = profile_cli.err.file.getvalue()
        assert bool(said) == doubted
        assert ("less than that" in shown) == doubted and ("50.00 %" in shown and "50.0 %." in shown) != doubted
        assert "200" not in shown.replace("2.00 ms", "")


def test_more_kinds_and_team_sizes_than_a_row_holds_are_said(tmp_path: Path):
    source = tmp_path / "many.c"
    source.write_text("""
int main(void) {
  for (int n = 1; n <= 260; ++n) {
#pragma omp parallel num_threads(n)
    ;
  }
  return 0;
}
""")
    subprocess.run(["gcc", "-fopenmp", source, "-o", tmp_path / "many"], check=True)
    seen = counting.run([str(tmp_path / "many")])
    assert sum(seen.counts.values()) == 240 and seen.full == 20
