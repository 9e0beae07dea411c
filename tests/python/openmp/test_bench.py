import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base import native, parts, records
from weir.base.driver import Process
from weir.base.names import Unknown
from weir.cli import app
from weir.openmp import measuring, reporting, situation, suite
from weir.openmp.comparison import constructs
from weir.openmp.confirming import confirmed
from weir.openmp.finding import finding
from weir.openmp.runtimes import Runtime, Stage, at, runtimes
from weir.openmp.section import sections
from weir.openmp.situation import Load, Situation
from weir.openmp.tables import markdown, tables, title

from .. import skips
from ..conftest import no_patience_with, put_fake

FAKE = """#!{python}
import json, os, sys, time
if sys.argv[1] == "list":
    names = ["barrier", "hang", "crash", "loop"]
    kind = lambda n: ("schedule", "chunk") if n == "loop" else ("task", "")
    of = lambda n: {{"name": n, "group": kind(n)[0], "parameter": kind(n)[1]}}
    print(json.dumps({{"constructs": [of(n) for n in names]}}))
    sys.exit()
for line in sys.stdin:
    word = line.split()[-1]
    if word == "quit":
        break
    if word == "hang":
        time.sleep(600)
    if word == "crash":
        sys.exit("it fell over")
    inner = 7 if "OMP_WAIT_POLICY" in os.environ else 9
    answer = {{"id": word, "inner": inner, "episode_ns": 150, "reference_ns": 100, "overhead_ns": 50, "cpu_ns": 300}}
    print(json.dumps(answer | {{"delay_ns": 100}}), flush=True)
"""


# EPCC's task kernels, by our names, in its order.
EPCC = ("task-by-all", "task-by-master", "task-others-busy", "task-undeferred", "taskwait", "task-barrier")
EPCC += ("task-nested-by-all", "task-nested-by-master", "task-tree", "task-nested")


FAKE_OF_TWO_STATES = """#!{python}
import json, sys
from pathlib import Path
if sys.argv[1] == "list":
    print(json.dumps({{"constructs": [{{"name": "barrier", "group": "synchronisation", "parameter": ""}}]}}))
    sys.exit()
costs = {{"c-gcc": (100.0, 800.0), "c-clang": (150.0, 200.0)}}[sys.argv[0].partition("openmp-")[2]]
for number, line in enumerate(sys.stdin):
    if line.strip() == "quit":
        break
    far = Path(sys.argv[0]).with_name("state").read_text() == "far"
    cost = costs[far] * (1 + number % 3 / 50)
    answer = {{"inner": 9, "episode_ns": cost + 100, "reference_ns": 100, "overhead_ns": cost, "cpu_ns": 300}}
    print(json.dumps(answer | {{"delay_ns": 100}}), flush=True)
"""


@pytest.fixture
def two_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Runtime]:
    """Two runtimes on a machine that is far for half of the time: then the one is slower, else the other."""
    for compiler in ("gcc", "clang"):
        program = tmp_path / f"weir-openmp-c-{compiler}"
        program.write_text(FAKE_OF_TWO_STATES.format(python=sys.executable))
        program.chmod(0o755)
    put_fake("fake_transfers.py", tmp_path / "weir-transfers")
    (tmp_path / "far").write_text("240")
    monkeypatch.setenv("WEIR_NATIVE", str(tmp_path))
    gomp = Runtime("libgomp", "GCC 0", Path("/nowhere/libgomp.so.1"), ("gomp",))
    return [gomp, Runtime("libomp", "LLVM 0", Path("/nowhere/libomp.so.5"), ("kmp",))]


def test_runtimes_are_compared_within_the_state_of_the_machine(two_states: list[Runtime], tmp_path: Path):
    file = tmp_path / "r.jsonl"
    rows = measured(two_states, file, ["barrier"], rounds=2, samples=30)
    near, far = constructs(rows)
    assert (near.place.state.name, far.place.state.name) == ("near", "far")
    for found, best, worth in ((near, "libgomp", 1.5), (far, "libomp", 4.0)):
        assert found.best.runtime == best
        ratio = found.against_best(found.costs[1])
        assert worth * 0.95 < ratio.low <= ratio.high < worth * 1.05
    for name, holds in (
        ("p.html", ["a cache line takes 46 ns", "at times far", "by 4."]),
        ("t.md", ["a cache line takes 46 ns", "libgomp, by 1.5", "libomp, by 4."]),
        ("t.csv", [",state,transfer_ns,share_of_time", ",near,46.", ",far,241."]),
    ):
        done = CliRunner().invoke(app, ["report", str(file), "-o", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
        text = (tmp_path / name).read_text()
        assert [part for part in holds if part not in text] == []
    names = [chart.name for chart in parts.charts(sections(rows))]
    assert names == ["openmp-synchronisation-none-near", "openmp-synchronisation-none-far"]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Runtime]:
    """One program, made up, and a runtime that it does not look at."""
    program = tmp_path / "weir-openmp-c-gcc"
    program.write_text(FAKE.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("WEIR_NATIVE", str(tmp_path))
    return [Runtime("libgomp", "GCC 0", Path("/nowhere/libgomp.so.1"), ("gomp",))]


def measured(found: list[Runtime], path: Path, only: list[str] | None, **how: int) -> list[dict]:
    plan = suite.plan(found, only, None, cross=False)
    conditions = measuring.Conditions((Situation(2, (0, 1)),), how.get("rounds", 2), how.get("samples", 4))
    with records.Writer(path) as writer:
        measuring.Measuring(plan.series, conditions, writer).run({"cycles_per_ns": 2.0})
    rows, complaints = records.read([path])
    assert complaints == []
    return rows


def test_a_construct_that_hangs_or_crashes_loses_its_own_row_only(
    fake: list[Runtime], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    no_patience_with(monkeypatch, "hang")
    rows = measured(fake, tmp_path / "r.jsonl", ["barrier", "hang", "crash"], rounds=1)
    by_name = {r["what"]["algorithm"]: r for r in rows if r["kind"] != "machine"}
    assert by_name["barrier"]["kind"] == "overhead" and by_name["barrier"]["how"]["complete"]
    assert "no answer" in by_name["hang"]["how"]["stopped"]
    assert "it fell over" in by_name["crash"]["how"]["stopped"]
    assert by_name["hang"]["kind"] == by_name["crash"]["kind"] == "failure"


def test_constructs_with_a_parameter_are_measured_for_each_chunk(fake: list[Runtime]):
    plan = suite.plan(fake, ["loop"], None, cross=False)
    assert [s.construct for s in plan.series] == [f"loop:{n}" for n in suite.VALUES["chunk"]]
    assert plan.missing == [
        "weir-openmp-c-clang is not built: C by clang is left out",
        "weir-openmp-fortran-gfortran is not built: Fortran by gfortran is left out",
    ]


@pytest.fixture
def with_programs(fake: list[Runtime], tmp_path: Path) -> list[Runtime]:
    """The made-up program has a whole program, too, and so has a library of tasks."""
    for name, listed in (("weir-openmp-c-gcc", '["barrier", "whole"]'), ("weir-tasks-tbb", '["whole"]')):
        text = FAKE.format(python=sys.executable).replace('["barrier", "hang", "crash", "loop"]', listed)
        text = text.replace('else ("task", "")', 'else ("program", "") if n == "whole" else ("synchronisation", "")')
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return [*fake, Runtime("onetbb", "libtbb 0", Path("/nowhere/libtbb.so.12"), ("tbb",))]


def test_whole_programs_are_measured_where_they_are_asked_for(with_programs: list[Runtime], tmp_path: Path):
    def planned(*names: str) -> list[tuple[str, str]]:
        plan = suite.plan(with_programs, list(names) or None, None, cross=False)
        return [(s.runtime.name, s.construct) for s in plan.series]

    assert planned() == planned("synchronisation") == [("libgomp", "barrier")]
    assert planned("program") == planned("whole") == [("libgomp", "whole"), ("onetbb", "whole")]
    (tmp_path / "weir-tasks-tbb").unlink()
    missed = "weir-tasks-tbb is not built: C++ by g++ is left out"
    assert missed in suite.plan(with_programs, ["whole"], None, cross=False).missing
    assert missed not in suite.plan(with_programs, None, None, cross=False).missing


def test_whole_programs_compare_across_languages(with_programs: list[Runtime], tmp_path: Path):
    rows = measured(with_programs, tmp_path / "r.jsonl", ["barrier", "program"])
    assert {r["what"]["language"] for r in rows if r["kind"] == "overhead"} == {"C", "C++"}
    of_barrier, of_program = constructs(rows)
    assert {c.runtime for c in of_barrier.costs} == {"libgomp"}
    assert {c.runtime for c in of_program.costs} == {"libgomp", "onetbb"}
    assert [title(table) for table in tables([of_barrier, of_program])] == [
        "C, 2 threads on 2 processors: overhead of one directive",
        "whole programs, 2 threads on 2 processors: time of one run",
    ]
    assert "**whole programs, 2 threads on 2 processors**: time of one run" in markdown([of_program])
    ours = [row | {"what": row["what"] | {"runtime": "weir"}} for row in rows if row["kind"] == "overhead"]
    assert finding([*rows, *ours]).startswith("Of 1 OpenMP constructs")


@pytest.mark.parametrize("program", ["weir-openmp-c-gcc", "weir-openmp-c-clang", "weir-tasks-tbb"])
def test_each_task_construct_and_program_runs(program: str):
    """A program whose result is wrong answers with an error. On Weir: others take minutes beside tests."""
    if program == "weir-tasks-tbb":
        skips.unless("onetbb")
    listed = json.loads(subprocess.run([native.require(program), "list"], capture_output=True).stdout)["constructs"]
    wanted = {c["name"]: c["group"] for c in listed if c["group"] in ("task", "program")}
    recursive = {"fibonacci", "queens", "tree-search"}
    assert set(wanted) >= recursive | (set() if "tbb" in program else {*EPCC, "sparse-lu", "cholesky"})
    stage = Stage()
    weir = next(runtime for runtime in runtimes() if runtime.name == "weir")
    process = Process(program, ["--sample-ms", "0.01"], {"OMP_NUM_THREADS": "2"} | stage.environment(weir))
    for name, group in wanted.items():
        answer = process.ask(f"sample {name}", 300)
        assert "error" not in answer, answer
        assert answer["threads"] == 2
        if group == "program":
            assert (answer["inner"], answer["reference_ns"]) == (1, 0)
            assert answer["overhead_ns"] == answer["episode_ns"] > 1e5
    process.quit()
    stage.close()


def test_unknown_names_list_the_known(fake: list[Runtime]):
    with pytest.raises(Unknown, match="no construct is called 'barier'; known are barrier, hang, crash, loop"):
        suite.plan(fake, ["barier"], None, cross=False)
    with pytest.raises(Unknown, match="no OpenMP runtime is called 'libgom'; known are libgomp"):
        suite.plan(fake, None, ["libgom"], cross=False)
    with pytest.raises(Unknown, match="install gcc"):
        suite.plan([], None, None, cross=False)


@pytest.mark.parametrize("runtime", runtimes(), ids=lambda r: r.name)
def test_a_built_program_runs_on_the_runtime_that_it_is_given(runtime: Runtime):
    stage = Stage()
    for program, (_, _, interface) in suite.PROGRAMS.items():
        if interface not in runtime.serves or native.find(program) is None:
            continue
        environment = os.environ | stage.environment(runtime)
        said = json.loads(
            subprocess.run([native.require(program), "list"], capture_output=True, env=environment).stdout
        )
        assert Path(said["library"]).resolve() == runtime.library
    stage.close()


def test_a_session_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(measuring, "PATIENCE_S", 300.0)
    path = tmp_path / "r.jsonl"
    words = ["bench", "openmp", "--constructs", "barrier,parallel,critical,schedule-static-n", "--rounds", "2"]
    done = CliRunner().invoke(app, [*words, "--samples", "4", "-o", str(path)])
    assert done.exit_code == 0, done.output
    assert re.search(r"schedule-static-n:64", done.output)
    rows, complaints = records.read([path])
    assert complaints == []
    found = constructs(rows)
    assert {c.name for c in found} >= {"barrier", "parallel", "critical", "schedule-static-n:1"}
    names = {cost.runtime for c in found for cost in c.costs}
    assert "libgomp" in names and any(n.startswith("libomp") for n in names)
    for row in (r for r in rows if r["kind"] == "overhead"):
        samples = row["samples"]
        assert len(samples["episode_ns"]) == 4
        for whole, own, over in zip(*(samples[n] for n in ("episode_ns", "reference_ns", "overhead_ns")), strict=True):
            assert over == pytest.approx(whole - own, abs=0.01)


def test_a_report_is_one_file_with_the_machine_and_its_transfers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(measuring, "PATIENCE_S", 300.0)
    path = tmp_path / "here.jsonl"
    words = ["bench", "openmp", "--report-to", str(path), "--runtimes", "libgomp", "--rounds", "1", "--samples", "3"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert f"weirsimulateopenmp--beside{path}" in "".join(done.output.split())  # lines end anywhere
    rows, complaints = records.read([path])
    assert complaints == []
    machine = next(row for row in rows if row["kind"] == "machine")
    assert machine["host"]["signature"] and machine["host"]["affinity"]
    processors = machine["host"]["affinity"]
    assert [(a, b) for a, b, _ in machine["settings"]["transfers"]] == list(reporting.pairs(processors))
    assert all(1 < ns < 1e5 for _, _, ns in machine["settings"]["transfers"])
    measured = {(row["what"]["algorithm"], row["where"]["members"]) for row in rows if row["kind"] == "overhead"}
    assert measured == {(c, n) for c in reporting.CONSTRUCTS for n in reporting.sizes(len(processors))}
    refused = CliRunner().invoke(app, [*words, "--load", "beside"])
    assert refused.exit_code == 2 and "--load does not go with --report-to" in refused.output


def test_a_session_that_has_used_its_time_keeps_a_sample_of_each(fake: list[Runtime], tmp_path: Path):
    plan = suite.plan(fake, ["barrier"], None, cross=False)
    here = tuple(Situation(n, (0, 1)) for n in (2, 4))
    with records.Writer(tmp_path / "r.jsonl") as writer:
        measuring.Measuring(plan.series, measuring.Conditions(here, 5, 3, seconds=0.0), writer).run({})
    rows = [r for r in records.read([tmp_path / "r.jsonl"])[0] if r["kind"] == "overhead"]
    assert [(r["where"]["members"], r["how"]["samples"], r["how"]["complete"]) for r in rows] == [
        (2, 1, False), (4, 1, False),
    ]  # fmt: skip


def test_the_page_shows_the_suite(fake: list[Runtime], tmp_path: Path):
    measured(fake, tmp_path / "r.jsonl", ["barrier", "loop"])
    words = ["report", str(tmp_path / "r.jsonl"), "-o", str(tmp_path / "p.html")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "p.html").read_text()
    assert "What OpenMP costs on this machine" in page
    assert re.search(r"<td[^>]*>barrier</td><td[^>]*>50 ns \(100 cycles\)</td>", page)
    assert "loop:256" in page


def test_an_environment_is_a_series_of_its_own(fake: list[Runtime], tmp_path: Path):
    told = [suite.environment("default"), suite.environment("OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0")]
    plan = suite.plan(fake, ["barrier"], None, False, told)
    assert [s.environment for s in plan.series] == [(), (("GOMP_SPINCOUNT", "0"), ("OMP_WAIT_POLICY", "passive"))]
    assert len({s.process for s in plan.series}) == 2
    for wrong in ("PATH=/x", "OMP_WAIT_POLICY", "OMP_NUM_THREADS=4"):
        with pytest.raises(Unknown, match="is none"):
            suite.environment(wrong)


def test_what_an_environment_says_reaches_the_program(fake: list[Runtime], tmp_path: Path):
    told = [suite.environment("default"), suite.environment("OMP_WAIT_POLICY=passive")]
    plan = suite.plan(fake, ["barrier"], None, False, told)
    with records.Writer(tmp_path / "r.jsonl") as writer:
        measuring.Measuring(plan.series, measuring.Conditions((Situation(2, (0, 1)),), 1, 3), writer).run({})
    rows = [r for r in records.read([tmp_path / "r.jsonl"])[0] if r["kind"] == "overhead"]
    assert [(r["what"]["environment"], r["how"]["inner"]) for r in rows] == [
        ({}, 9),
        ({"OMP_WAIT_POLICY": "passive"}, 7),
    ]
    (of_barrier,) = constructs(rows)
    assert {c.runtime for c in of_barrier.costs} == {"libgomp", "libgomp OMP_WAIT_POLICY=passive"}


def test_a_situation_that_cannot_be_had_is_left_out_and_said(
    fake: list[Runtime], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def none_here(*_: object) -> None:
        return None

    monkeypatch.setattr(situation, "_version_1", none_here)
    monkeypatch.setattr(situation, "_version_2", none_here)
    places = (Situation(2, (0, 1), Load.read("quota:1")), Situation(2, (0, 1)))
    with records.Writer(tmp_path / "r.jsonl") as writer:
        session = measuring.Measuring(
            suite.plan(fake, ["barrier"], None, False).series, measuring.Conditions(places, 1, 3), writer
        )
        session.run({})
    assert any("left out: a quota needs a cgroup" in c for c in session.complaints)
    rows = [r for r in records.read([tmp_path / "r.jsonl"])[0] if r["kind"] == "overhead"]
    assert [r["where"]["load"] for r in rows] == ["none"]


def test_a_runtime_may_lie_anywhere(tmp_path: Path, fake: list[Runtime]):
    known = next(r for r in runtimes() if r.name == "libgomp")
    copy = tmp_path / "libmine.so"
    copy.write_bytes(known.library.read_bytes())
    assert at(copy).serves == ("gomp",)
    plan = suite.plan(fake, ["barrier"], [str(copy)], cross=False)
    assert [s.runtime.library for s in plan.series] == [copy]
    (tmp_path / "text.so").write_text("no library")
    for wrong, says in ((tmp_path / "text.so", "is no OpenMP runtime"), (tmp_path / "gone.so", "No such file")):
        with pytest.raises(Unknown, match=says):
            suite.plan(fake, ["barrier"], [str(wrong)], cross=False)


@pytest.mark.parametrize(
    ("runtime", "setting", "word"),
    [
        ("libgomp", "OMP_WAIT_POLICY=passive", ""),
        ("libgomp", "OMP_SCHEDULE=dynamic,4", ""),
        ("libgomp", "KMP_BLOCKTIME=7", "has no KMP_BLOCKTIME"),
        ("libgomp", "OMP_SCHEDULE=sometimes", "it stays DYNAMIC"),
        ("weir", "WEIR_BARRIER=sense", ""),
        ("weir", "WEIR_TEST_FORK_BARRIER=tree", ""),
        ("weir", "WEIR_TEST_FORK_BARRIER=dissemination", "it stays auto"),
    ],
)
def test_a_setting_that_a_runtime_does_not_take_names_no_row(runtime: str, setting: str, word: str):
    told = [suite.environment("default"), suite.environment(setting)]
    plan = confirmed(suite.plan(runtimes(), ["barrier"], [runtime], False, told))
    kept = {bool(s.environment) for s in plan.series}
    said = [each for each in plan.missing if each.startswith(f"{runtime} does not take {setting}: ")]
    assert (kept, len(said)) == (({False}, 1) if word else ({False, True}, 0)), plan.missing
    assert all(word in each for each in said)
