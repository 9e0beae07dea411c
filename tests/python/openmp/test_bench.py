import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base import native, parts, records
from weir.base.console import out
from weir.base.driver import Process
from weir.base.names import Unknown
from weir.cli import app
from weir.openmp import measuring, reporting, situation, suite
from weir.openmp.cli import show
from weir.openmp.comparison import constructs
from weir.openmp.finding import finding
from weir.openmp.runtimes import Runtime, Stage, at, runtimes
from weir.openmp.section import sections
from weir.openmp.situation import Load, Situation
from weir.openmp.tables import as_csv, markdown, tables, title

from .. import skips
from ..conftest import put_fake

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
    monkeypatch.setattr(measuring, "PATIENCE_S", 5.0)  # the others answer in less
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
        answer = process.ask(f"sample {name}", 60)
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


def test_a_session_on_this_machine(tmp_path: Path):
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


def test_a_report_is_one_file_with_the_machine_and_its_transfers(tmp_path: Path):
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


def row(runtime: str, run: int, values: list[float]) -> dict:
    what = {"family": "openmp", "id": runtime, "algorithm": "barrier", "waiting": "own", "version": "1"}
    return {
        "kind": "overhead",
        "what": what | {"group": "g", "language": "C", "runtime": runtime},
        "where": {"members": 2, "processors": 2},
        "how": {"run": run, "rejected": None},
        "samples": {"overhead_ns": values},
        "cycles_per_ns": 3.0,
    }


def test_programs_of_two_compilers_on_one_runtime_are_told_apart():
    rows = [row("libomp", 0, [100.0, 101.0]), row("libomp", 0, [200.0, 201.0])]
    rows[0]["what"]["compiler"], rows[1]["what"]["compiler"] = "clang", "gcc"
    (found,) = constructs(rows)
    assert [c.runtime for c in found.costs] == ["libomp by clang", "libomp by gcc"]


def test_the_better_one_is_found_by_pairs_and_noise_is_called_noise():
    drift = [1.0, 1.5, 2.0, 3.0, 1.2, 1.1, 2.5, 1.7]
    rows = [row("a", r, [100 * d for d in drift]) for r in range(4)]
    rows += [row("b", r, [130 * d for d in drift]) for r in range(4)]
    rows += [row("c", r, [-5, 5, -3, 4, -2, 2, -1, 1]) for r in range(4)]
    (found,) = constructs(rows)
    assert [c.runtime for c in found.costs] == ["c", "a", "b"]
    assert found.best.in_the_noise and found.against_best(found.costs[1]) is None
    (without,) = constructs(rows[:8])
    better = without.against_best(without.costs[1])
    assert better is not None and better.low == pytest.approx(1.3) and better.high == pytest.approx(1.3)
    assert without.best.cycles == pytest.approx(3 * without.best.overhead.value)


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


def test_tables_can_be_pasted():
    rows = [row("a", r, [100.0, 102.0, 101.0]) for r in range(3)] + [
        row("b", r, [150.0, 153.0, 151.5]) for r in range(3)
    ]
    rows += [row("b", r, [-1.0, 1.0, 0.5]) | {"where": {"members": 4, "processors": 2}} for r in range(3)]
    text = markdown(constructs(rows))
    assert "| barrier | a, by 1.5 (1.5 … 1.5) | 101 ns | 152 ns |" in text
    assert "**C, 4 threads on 2 processors**" in text and "| barrier | in the noise |" in text
    lines = as_csv(constructs(rows)).splitlines()
    assert lines[0].startswith("language,threads,processors,load,group,construct,runtime,version,overhead_ns")
    assert "C,2,2,none,g,barrier,b,1,151.50,150.00,153.00,454.50,no,3,0,1.500,1.500,1.500,,," in lines
    assert any(line.startswith("C,4,2,none,g,barrier,b,1,0.50,-1.00,1.00,1.50,yes") for line in lines)


def test_the_papers_figures_are_three_kinds_with_a_column_for_each_runtime():
    rows = []
    groups = {
        "barrier": "synchronisation",
        "critical": "exclusion",
        "schedule-static": "schedule",
        "flush": "synchronisation",
    }
    groups |= {f"schedule-dynamic-n:{n}": "schedule" for n in (1, 16)}
    for runtime in ("a", "b"):
        for members in (2, 4):
            for name, group in groups.items():
                one = row(runtime, 0, [100.0, 101.0, 99.0])
                one["what"] |= {"algorithm": name, "group": group}
                one["where"] = {"members": members, "processors": 2, "load": "none"}
                rows.append(one)
    rows.append(row("a", 0, [500.0, 501.0, 499.0]) | {"where": {"members": 2, "processors": 2, "load": "quota:1"}})
    rows[-1]["what"] |= {"group": "synchronisation"}
    made = sections(rows)
    charts = {c.name: c for c in parts.charts(made)}
    assert [n for n in charts if "figures" in n] == ["openmp-figures-1-3", "openmp-figures-4-6", "openmp-figures-7-9"]

    def drawn(name: str) -> set[tuple]:
        values = charts[name].drawn.to_dict()["data"]["values"]
        return {(v["runtime"], v["construct"], v["members"], v.get("chunk")) for v in values}

    assert drawn("openmp-figures-1-3") == {(r, "barrier", n, None) for r in "ab" for n in (2, 4)}
    chunks = {(r, "schedule-dynamic-n", 2, n) for r in "ab" for n in (1, 16)}
    level = {(r, "schedule-static", 2, n) for r in "ab" for n in (1, 16)}
    assert drawn("openmp-figures-7-9") == chunks | level
    assert charts["openmp-synchronisation-quota-1"].title.endswith("2 threads, a quota of 1 processors")
    assert [t.title for t in parts.tables(made)] == [
        "C, 2 threads on 2 processors",
        "C, 2 threads on 2 processors, a quota of 1 processors",
        "C, 4 threads on 2 processors",
    ]


@pytest.mark.parametrize("width, runtimes_shown", [(80, 2), (80, 5), (140, 5)])
def test_a_row_of_the_table_is_one_line_of_the_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int, runtimes_shown: int
):
    names = ["libgomp", "libomp-19", "libiomp5", "weir by clang", "weir by gcc"][:runtimes_shown]
    made = []
    for i, name in enumerate(names):
        one = row(name, 0, [(i + 1) * 1e5, (i + 1) * 1e5 + 9, (i + 1) * 1e5 - 9] * 2)
        one["what"]["algorithm"] = "schedule-nonmonotonic-dynamic-n:1024"
        made.append(one)
    monkeypatch.setattr(out, "width", width)
    show(made)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    (line,) = (text for text in lines if "schedule" in text)
    assert "schedule-nonmonotonic-dynamic-n:1024" in line and "libgomp, by 2.0" in line and "100 µs" in line
    assert ("500 µs" in line) == (width == 140 and runtimes_shown == 5)
    assert any("the page shows it" in text for text in lines) == (width == 80)
