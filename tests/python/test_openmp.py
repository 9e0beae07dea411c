import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir import native, records
from weir.cli import app
from weir.openmp import measuring, suite
from weir.openmp.comparison import constructs
from weir.openmp.runtimes import Runtime, Stage, runtimes

FAKE = """#!{python}
import json, sys, time
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
        time.sleep(60)
    if word == "crash":
        sys.exit("it fell over")
    answer = {{"id": word, "inner": 9, "episode_ns": 150, "reference_ns": 100, "overhead_ns": 50, "cpu_ns": 300}}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Runtime]:
    """One program, made up, and a runtime that it does not look at."""
    program = tmp_path / "weir-openmp-c-gcc"
    program.write_text(FAKE.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("WEIR_NATIVE", str(tmp_path))
    monkeypatch.setattr(measuring, "PATIENCE_S", 1.0)
    return [Runtime("libgomp", "GCC 0", Path("/nowhere/libgomp.so.1"), ("gomp",))]


def measured(found: list[Runtime], path: Path, only: list[str] | None, **how: int) -> list[dict]:
    plan = suite.plan(found, only, None, cross=False)
    conditions = measuring.Conditions((2,), 2, how.get("rounds", 2), how.get("samples", 4))
    with records.Writer(path) as writer:
        measuring.Measuring(plan.series, conditions, writer).run({"cycles_per_ns": 2.0})
    rows, complaints = records.read([path])
    assert complaints == []
    return rows


def test_a_construct_that_hangs_or_crashes_loses_its_own_row_only(fake: list[Runtime], tmp_path: Path):
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


def test_unknown_names_list_the_known(fake: list[Runtime]):
    with pytest.raises(suite.Unknown, match="no construct is called 'barier'; known are barrier, hang, crash, loop"):
        suite.plan(fake, ["barier"], None, cross=False)
    with pytest.raises(suite.Unknown, match="no OpenMP runtime is called 'libgom'; known are libgomp"):
        suite.plan(fake, None, ["libgom"], cross=False)
    with pytest.raises(suite.Unknown, match="install gcc"):
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


def test_a_sitting_on_this_machine(tmp_path: Path):
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
