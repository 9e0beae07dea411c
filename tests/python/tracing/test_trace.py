"""What weir trace records, what it refuses, and that the simulator runs it."""

import json
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from weir.base import records
from weir.cli import app
from weir.simulation import scenario
from weir.simulation.results import scenarios
from weir.simulation.running import Simulation
from weir.tracing import recording
from weir.tracing.recording import BARRIER, LAST, LOCK, UNLOCK, NotRecorded, Recording
from weir.tracing.writing import write

from ..openmp_programs import CLANG

SOURCE = Path(__file__).resolve().parents[2] / "profile" / "recorded.c"
COMPUTES_MS = 20


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tracing") / "recorded"
    subprocess.run(["gcc", "-fopenmp", "-O1", SOURCE, "-o", made], check=True)
    return made


def traced(program: Path, *words: str, threads: int = 3, status: int = 0, options: tuple[str, ...] = ()) -> Path:
    target = program.with_name("-".join((*words, str(threads))) + ".jsonl")
    asked = ["trace", "--threads", str(threads), "-o", str(target), *options, "--", str(program), *words]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == status, done.output
    # Members pass barriers equally often, if none ends the program.
    assert status != 0 or "inside of a region" not in " ".join(done.output.split()), done.output
    return target


def events(path: Path) -> list[list[str | float]]:
    """Of each member, in the words of the trace; computing as a number."""
    head, *rows = map(json.loads, path.read_text().splitlines())
    assert head["schema"] == "weir-trace/1"
    of: list[list[str | float]] = [[] for _ in range(head["members"])]
    for row in rows:
        said = f"{row['do']} {row['lock']}" if "lock" in row else row["do"]
        if "after_ns" in row:
            for member, ns in zip(of, row["after_ns"], strict=True):
                member += [ns, said]
        else:
            of[row["member"]].append(row["ns"] if said == "compute" else said)
    return of


def words(member: list[str | float]) -> list[str]:
    return [e for e in member if isinstance(e, str)]


def computed_ms(member: list[str | float]) -> list[float]:
    """Before each barrier, and after the last."""
    sums = [0.0]
    for e in member:
        if e == "barrier":
            sums.append(0.0)
        elif isinstance(e, int | float):
            sums[-1] += e / 1e6
    return sums


@pytest.mark.parametrize("policy", ["active", "passive"])
def test_members_compute_where_they_do_and_not_where_they_wait(
    program: Path, monkeypatch: pytest.MonkeyPatch, policy: str
):
    monkeypatch.setenv("OMP_WAIT_POLICY", policy)
    # Each computes until it has had its processor time: no other program can make that less. A hypervisor may seem to
    # make it more.
    work = traced(program, "work", str(COMPUTES_MS), options=("--runs", "3"))
    first, middle, last = (computed_ms(member) for member in events(work))
    least = COMPUTES_MS * 0.99
    assert [t >= least for t in first] == [True, True, False, True]  # serial, then between fork and barrier, and after
    assert [t >= least for t in last] == [False, False, True, False]
    assert max(middle) < COMPUTES_MS / 2


@pytest.mark.parametrize("threads", [2, 5])
def test_each_barrier_is_recorded_once_and_each_fork_and_join(program: Path, threads: int):
    members = events(traced(program, "worksharing", threads=threads))
    # In the first region a loop, sections, a single, and a copyprivate's two; in the second nothing but the join.
    assert [words(e) for e in members] == [["barrier"] * (2 + 3 + 2 + 2)] * threads


def test_exclusion_is_recorded_by_its_locks(program: Path):
    members = [words(e) for e in events(traced(program, "exclusion"))]
    first = members[0]
    assert members == [first] * 3  # the same locks of the same numbers
    body, reduction = first[1:11], first[11:13]  # after the fork
    pairs = [(body[i], body[i + 1]) for i in range(0, 10, 2)] + [(reduction[0], reduction[1])]
    assert [a.replace("lock ", "unlock ") for a, _ in pairs] == [b for _, b in pairs]
    assert sorted(a for a, _ in pairs) == [f"lock {n}" for n in range(6)]
    assert first[0] == first[13] == "barrier" and len(first) == 14


def test_as_many_barriers_as_asked_after_those_left_out(program: Path):
    whole = events(traced(program, "many", "100"))
    assert [len(words(e)) for e in whole] == [100] * 3
    some = events(traced(program, "many", "100", options=("--skip", "60", "--barriers", "30")))
    assert [len(words(e)) for e in some] == [30] * 3
    rest = events(traced(program, "many", "100", options=("--skip", "90", "--barriers", "30")))
    assert [len(words(e)) for e in rest] == [10] * 3
    target = str(program.with_name("none.jsonl"))
    done = CliRunner().invoke(app, ["trace", "--skip", "100", "-o", target, "--", str(program), "many", "100"])
    assert done.exit_code == 2 and "make --skip smaller" in done.output


def test_a_member_may_do_more_than_a_part_of_the_file_holds(program: Path):
    assert [len(words(e)) for e in events(traced(program, "many", "9000", threads=2))] == [9000] * 2


def test_a_trace_ends_with_the_last_barrier_that_all_passed(program: Path):
    members = events(traced(program, "ends", status=3))
    assert [words(e) for e in members] == [["barrier"] * 3] * 3  # the fork and two


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("nested", "it nests teams"),
        ("sizes", "its teams have different sizes"),
        ("tasks", "it has tasks"),
        ("ordered", "it has ordered loops"),
        ("threads", "several of its threads begin regions"),
        ("processes", "several of its processes execute regions"),
        ("none", "began no region of several threads"),
    ],
)
def test_what_cannot_be_recorded_is_refused(program: Path, what: str, why: str):
    target = program.with_name(f"{what}.jsonl")
    done = CliRunner().invoke(app, ["trace", "-o", str(target), "--threads", "2", "--", str(program), what])
    assert done.exit_code == 2 and why in " ".join(done.output.split()), done.output
    assert not target.exists()


def test_a_program_of_llvms_runtime_is_refused(program: Path, tmp_path: Path):
    made = tmp_path / "clang"
    subprocess.run([f"clang-{CLANG}", "-fopenmp=libomp", "-O1", SOURCE, "-o", made], check=True)
    done = CliRunner().invoke(app, ["trace", "-o", str(tmp_path / "t.jsonl"), "--", str(made), "many", "100"])
    assert done.exit_code == 2 and "another compiler than GCC" in " ".join(done.output.split())


def made(ns: list[int], ends: tuple[int, ...] = (LOCK, UNLOCK, BARRIER), status: int = 0) -> Recording:
    """Of one member."""
    locks = [np.zeros(len(ends), np.int64)]
    return Recording([np.array(ends, np.int8)], locks, [np.array(ns)], 0, False, False, 1.0, status)


def test_members_that_do_different_things_have_lines_of_their_own(tmp_path: Path):
    one, other, third = made([1, 2, 3]), made([4, 5, 6]), made([7, 0], (BARRIER, LAST))
    ends, ns = ([getattr(recorded, of)[0] for recorded in (one, other)] for of in ("ends", "ns"))
    both = replace(one, ends=ends, ns=ns, locks=[np.array([0, 0, 0]), np.array([1, 1, 0])])
    expected = [[1, "lock 0", 2, "unlock 0", 3, "barrier"], [4, "lock 1", 5, "unlock 1", 6, "barrier"]]
    write(both, tmp_path / "t.jsonl", {})
    assert events(tmp_path / "t.jsonl") == expected
    write(replace(both, ends=[ends[0], third.ends[0]], ns=[ns[0], third.ns[0]]), tmp_path / "t.jsonl", {})
    assert events(tmp_path / "t.jsonl") == [expected[0], [7, "barrier"]]


def test_times_are_the_least_of_several_runs():
    runs = [made([5, 900, 7]), made([6, 10, 8]), made([700, 11, 6])]
    assert recording.least(runs).ns[0].tolist() == [5, 10, 6]
    for other in (made([1, 2], (LOCK, BARRIER)), made([1, 2, 3], (BARRIER, BARRIER, BARRIER))):
        with pytest.raises(NotRecorded, match="did not do the same"):
            recording.least([*runs, other])
    moved = replace(runs[0], locks=[np.array([1, 1, 0])])
    with pytest.raises(NotRecorded):
        recording.least([*runs, moved])


def test_a_recorded_program_runs_on_the_simulator(program: Path, tmp_path: Path):
    runs = {"work": ("work", "5"), "exclusion": ("exclusion",)}
    traces = {name: traced(program, *arguments) for name, arguments in runs.items()}
    text = f"""
machine = "ideal"
[[application]]
barrier = "mcs"
trace = "{traces["work"]}"
[sweep]
"application.trace" = ["{traces["work"]}", "{traces["exclusion"]}"]
"application.slower" = [1, 3]
"""
    (tmp_path / "s.toml").write_text(text)
    with records.Writer(tmp_path / "s.jsonl") as writer:
        running = Simulation(scenario.plan(tmp_path / "s.toml"), writer)
        running.run()
    assert running.failures == []
    result = scenarios(records.read([tmp_path / "s.jsonl"])[0])[0]
    for path in traces.values():
        barriers = Counter(words(events(path)[0]))["barrier"]
        rows = [result.at(trace=str(path), slower=n)[0] for n in (1, 3)]
        assert {row["applications"][0]["episodes"] for row in rows} == {barriers}
    # Nothing but computing takes any time there: the serial parts, and what the slowest computes before each barrier.
    longest = sum(max(times) for times in zip(*map(computed_ms, events(traces["work"])), strict=True))
    once, slower = (result.value("completion", trace=str(traces["work"]), slower=n) / 1e6 for n in (1, 3))
    assert (once, slower) == (pytest.approx(longest), pytest.approx(3 * longest))


def test_it_says_how_to_simulate_the_trace_and_a_report_refuses_it(program: Path, tmp_path: Path):
    trace = tmp_path / "made.jsonl"
    done = CliRunner().invoke(app, ["trace", "--threads", "3", "-o", str(trace), "--", str(program), "work", "2"])
    lines = done.output.splitlines()
    begin, end = (next(i for i, line in enumerate(lines) if line.startswith(word)) for word in ("machine", "and run: "))
    trace.with_suffix(".toml").write_text("\n".join(lines[begin:end]) + "\n")
    assert lines[end] == f"and run: weir simulate {trace.with_suffix('.toml')}"
    again = CliRunner().invoke(app, ["simulate", str(trace.with_suffix(".toml")), "-o", str(tmp_path / "s.jsonl")])
    assert again.exit_code == 0 and "mcs" in again.output, again.output
    refused = CliRunner().invoke(app, ["report", str(trace), "-o", str(tmp_path / "page.html")])
    assert refused.exit_code == 2 and "weir trace has recorded" in refused.output and "weir simulate" in refused.output


def test_runs_before_one_that_fails_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    answers = iter([made([5, 9, 7]), made([6, 1, 8]), made([1, 1, 1], status=-2)])
    monkeypatch.setattr(recording, "record", lambda *_: next(answers))
    done = CliRunner().invoke(app, ["trace", "--runs", "9", "-o", str(tmp_path / "t.jsonl"), "--", "program"])
    assert done.exit_code == 130
    assert events(tmp_path / "t.jsonl") == [[5, "lock 0", 1, "unlock 0", 7, "barrier"]]
    assert json.loads((tmp_path / "t.jsonl").read_text().splitlines()[0])["runs"] == 2
