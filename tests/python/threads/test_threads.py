"""The experiments of paper 000: verdicts and charts of made-up rows, sessions with a made-up program and the real."""

import json
import math
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base import native, records
from weir.base.driver import Lost
from weir.base.statistics import Interval
from weir.cli import app
from weir.report import page
from weir.threads import charts, measuring, section, simulated, tables
from weir.threads.experiments import EXPERIMENTS, KINDS, NAMES, Program, chosen
from weir.threads.findings import Agreement, agreements, finding, findings, overhead
from weir.threads.results import Results, experiments

from ..conftest import INFO
from .made_up import COSTS, MACHINE, as_predicted, measured, programs, rows

EVERY = [one.name for one in EXPERIMENTS]


def verdicts(name: str, made: list[dict]) -> list[tuple[str, bool]]:
    """On kernel threads."""
    return [(one.says, one.holds) for one in findings(Results(name, made)) if one.threads == NAMES["kernel"]]


# ---- what is asked of the program


def test_each_experiment_has_programs_of_both_kinds_and_each_once():
    for experiment in EXPERIMENTS:
        for quick in (False, True):
            for processors in (2, 3, 16):
                planned = list(experiment.programs(COSTS, processors, quick))
                assert {one.threads for one in planned} == set(KINDS)
                assert len({one.id for one in planned}) == len(set(planned)) == len(planned)
                assert all(one.processors <= processors for one in planned)


def test_every_program_is_one_that_the_native_one_takes():
    asked = [replace(p, compute_ns=min(p.compute_ns, 1000)) for p in programs(quick=True)]
    words = "".join(f"sample {p.id}\n" for p in dict.fromkeys(asked))
    first = str(min(os.sched_getaffinity(0)))
    serve = ["serve", "--processors", first, "--sample-ms", "0.01", "--limit-ms", "0.01"]
    done = subprocess.run(
        [native.require("weir-measure-threads"), *serve],
        input=words.replace("processors=2", "processors=1"),
        capture_output=True,
        text=True,
        timeout=300,
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    partitions = [a for a in answers if "error" in a]  # one processor has no two partitions
    assert len(answers) == len(set(asked)) and all("partition" in a["id"] for a in partitions), partitions
    assert all(a["episode_ns"] > 0 and a["inner"] >= 1 for a in answers if "error" not in a)


@pytest.mark.parametrize("policy", ["shared", "partition", "coscheduling"])
@pytest.mark.parametrize("kind", KINDS)
def test_several_applications_end_under_each_policy(kind: str, policy: str):
    """Where an application waits for a turn that never comes, or a member for one of another application, it hangs."""
    settings = (
        f"members=2:processors=2:compute_ns=2000:applications=2:policy={policy}:distribution=exponential:slot_us=50"
    )
    words = f"sample {kind}:combination/share:{settings}\n" * 5
    done = subprocess.run(
        [native.require("weir-measure-threads"), "serve", "--sample-ms", "2", "--limit-ms", "20"],
        input=words,
        capture_output=True,
        text=True,
        timeout=300,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 5 and not any("error" in a for a in answers), answers


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("fibre:mcs/share:members=2:processors=1", "threads takes user or kernel"),
        ("user:mcs:members=2:processors=1", "barrier takes"),
        ("user:mcs/never:members=2:processors=1", 'no barrier is called "weir:mcs/never"'),
        ("user:mcs/share:members=2", "needs members= and processors="),
        ("user:mcs/share:members=2:processors=999", "not so many processors"),
        ("user:mcs/share:members=0:processors=1", "members takes a whole number"),
        ("user:mcs/share:members=2:processors=1:colour=red", 'no "colour"'),
        ("user:mcs/share:members=2:processors=1:policy=fair", "policy takes shared, partition or coscheduling"),
        ("user:mcs/share:members=2:processors=1:policy=coscheduling", "coscheduling needs slot_us="),
        ("user:mcs/share:members=2:processors=1:policy=partition:applications=2", "partitions are of equal size"),
    ],
)
def test_a_program_that_cannot_be_is_refused_with_the_reason(words: str, says: str):
    done = subprocess.run(
        [native.require("weir-measure-threads"), "serve"], input=f"sample {words}\n", capture_output=True, text=True
    )
    assert says in json.loads(done.stdout)["error"]


# ---- a session


class Made:
    """Answers as the program would, with what the formulas predict."""

    asked: list[str] = []
    interrupts_after = 10**9
    loses = ""

    def __init__(self, *_: object) -> None:
        pass

    def ask(self, command: str, _: float) -> dict:
        what = command.removeprefix("sample ")
        Made.asked.append(what)
        if len(Made.asked) > Made.interrupts_after:
            raise KeyboardInterrupt
        if Made.loses and what.startswith(Made.loses):
            raise Lost("no answer within 60 s")
        name, _, kind = what.partition(":")
        if name in ("switch", "quantum"):
            episode = (COSTS.switch_ns if name == "switch" else COSTS.quantum_ns)[kind]
        else:
            episode = next(as_predicted(one) for one in programs() if one.id == what)
        answer = {"episode_ns": episode, "reference_ns": episode / 2, "overhead_ns": episode / 2, "cpu_ns": 2 * episode}
        return answer | {"id": what, "inner": 3}

    def quit(self) -> None:
        pass


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> type[Made]:
    Made.asked, Made.interrupts_after, Made.loses = [], 10**9, ""
    monkeypatch.setattr(measuring.driver, "Program", Made)
    monkeypatch.setattr(simulated, "floor", lambda *_: [])
    monkeypatch.setattr(measuring.calibrate, "transfers", lambda _: {(0, 1): 50.0})
    monkeypatch.setattr(native, "find", lambda _: None)  # no probe of transfers
    monkeypatch.setattr(simulated.Simulator, "rows", lambda *_: [])
    return Made


def session(
    path: Path, *names: str, rounds: int = 2, samples: int | None = None
) -> tuple[measuring.Session, list[dict]]:
    plan = measuring.Plan(chosen(names), [0, 1], rounds, samples, quick=False)
    with records.Writer(path) as writer:
        done = measuring.Session(plan, writer, lambda *_: lambda *_: None)
        done.run(INFO)
    found, complaints = records.read([path])
    assert complaints == []
    return done, found


def test_a_session_measures_each_program_in_turns(made: type[Made], tmp_path: Path):
    done, found = session(tmp_path / "r.jsonl", "overhead", samples=3)
    assert not done.interrupted
    asked = [what for what in made.asked if what.startswith(KINDS)]
    ids = {p.id for p in programs("overhead")}
    turns = [asked[i : i + len(ids)] for i in range(0, len(asked), len(ids))]
    assert len(turns) == 2 * 3 and all(set(turn) == ids for turn in turns)
    rows_of = [r for r in found if r.get("source") == "measured" and r["what"]["experiment"] == "overhead"]
    assert len(rows_of) == 2 * len(ids) and all(len(r["samples"]["episode_ns"]) == 3 for r in rows_of)
    assert {r["how"]["switch_ns"] for r in rows_of} == set(COSTS.switch_ns.values())


def test_what_was_measured_until_ctrl_c_is_kept(made: type[Made], tmp_path: Path):
    made.interrupts_after = 100
    done, found = session(tmp_path / "r.jsonl", "overhead")
    assert done.interrupted
    kept = [r for r in found if r["kind"] == "overhead" and r["what"]["experiment"] == "overhead"]
    assert sum(len(r["samples"]["episode_ns"]) for r in kept) == 100 - 24  # less switches and quanta
    assert not any(r.get("source") != "measured" for r in kept)
    assert any(not r["how"]["complete"] for r in kept)


def test_the_time_given_is_shared_among_the_experiments(
    made: type[Made], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    now = iter(range(10**9))
    monkeypatch.setattr(measuring.time, "monotonic", lambda: float(next(now)))  # a second for each look
    plan = measuring.Plan(chosen(["spinning", "overhead"]), [0, 1], 1, None, False, seconds=60)
    with records.Writer(tmp_path / "r.jsonl") as writer:
        done = measuring.Session(plan, writer, lambda *_: lambda *_: None)
        done.run(INFO)
    samples = {name: [p for p in programs(name) if p.id in made.asked] for name in ("spinning", "overhead")}
    assert all(20 <= len(found) <= 35 for found in samples.values()), samples
    assert [str(c) for c in done.complaints]


def test_a_program_that_hangs_loses_its_own_row_only(made: type[Made], tmp_path: Path):
    made.loses = "user:mcs/"
    done, found = session(tmp_path / "r.jsonl", "overhead", rounds=1)
    failed = {r["what"]["id"] for r in found if r["kind"] == "failure"}
    assert failed == {p.id for p in programs("overhead") if p.id.startswith("user:mcs/")}
    assert [str(c) for c in done.complaints] and section.left_out(found)
    assert {r["what"]["algorithm"] for r in found if r["kind"] == "overhead"} >= {"counter", "mcs", "combination"}


def test_predictions_are_of_what_was_really_computed(made: type[Made], tmp_path: Path):
    """The made-up program computes half of an episode; all that were asked for the same count as one."""
    _, found = session(tmp_path / "r.jsonl", "processors", rounds=1)
    results = Results("processors", found)
    for kind in KINDS:
        computed = {p.compute_ns for p in results.of("predicted", threads=kind)}
        assert len(computed) == 1 and computed.pop() < min(one.compute_ns for one in programs("processors"))
        assert results.of(threads=kind)[0].compute_ns != 100e3


# ---- findings


@pytest.mark.parametrize("name", EVERY)
def test_on_a_machine_that_follows_the_formulas_all_holds(name: str):
    held = verdicts(name, rows(programs(name)))
    # Where the formula, an upper bound, is above what the paper measured.
    unlike = ("tree", " 4 context switches of computing.") if name == "overhead" else ()
    judged = [holds for says, holds in held if not any(words in says for words in unlike)]
    assert judged and all(judged), held


@pytest.mark.parametrize(
    ("name", "wrong", "says"),
    [
        ("spinning", lambda p: 2.1 * p.compute_ns, "A central barrier that spins"),
        ("spinning", lambda p: 4e6 if p.barrier == "counter" else 1e6, "Spinning central barriers"),
        ("spinning", lambda p: 3 * as_predicted(p), "The time of a central barrier that spins"),
        ("blocking", lambda p: as_predicted(p) + 4e6, "Blocking barriers are"),
        ("blocking", lambda p: 1e6 if p.waiting == "spin" else 2e6, "Blocking barriers perform"),
        ("overhead", lambda p: 1e6 * p.members**2, "The overhead of a blocking combination barrier"),
        ("processors", lambda p: p.members * p.compute_ns, "The completion time follows"),
        ("processors", lambda p: p.members * p.compute_ns, "A team with one processor"),
        ("policies", lambda p: 9e6 if p.policy == "partition" else 1e6, "Partitions with combination"),
        ("policies", lambda p: 9e6 if p.policy == "partition" else 1e6, "Programs with uneven work"),
        ("policies", lambda p: 9e6 if p.policy == "partition" else 1e6, "Partitions outperform"),
    ],
)
def test_where_a_finding_does_not_hold_it_is_said(name: str, wrong: object, says: str):
    held = verdicts(name, rows(programs(name), wrong))
    judged = [holds for said, holds in held if said.startswith(says)]
    assert judged and not any(judged), held


def test_the_overhead_is_against_twice_the_time_with_a_processor_each():
    double = Program("overhead", "kernel", "mcs", "share", 4, 2, 1000.0)
    alone = replace(double, members=2)
    results = Results("overhead", [MACHINE, measured(double, 3300.0), measured(alone, 1500.0)])
    said = [overhead(results, p) for p in results.of()]
    assert said.count(None) == 1 and next(s for s in said if s)[0] == pytest.approx(0.1)


def test_agreement_is_counted_by_points():
    one = Agreement("spinning", "kernel", "simulated", 8, 6, 1.0, 0.5, 2.0)
    assert one.agrees and not replace(one, near=5).agrees
    found = agreements(Results("processors", rows(programs("processors"))))
    assert {(a.threads, a.source) for a in found} == {(k, s) for k in KINDS for s in ("simulated", "predicted")}
    assert all(a.near == a.points for a in found)
    off = agreements(Results("processors", rows(programs("processors"), lambda p: 2 * as_predicted(p))))
    assert not any(a.agrees for a in off)


def test_other_programs_are_a_reason_where_they_had_the_processors():
    def reasons(had: float) -> list[str]:
        results = Results("processors", rows(programs("processors"), lambda p: 2 * as_predicted(p), had))
        return [cell.note for row in tables.of_agreements(results).rows for cell in row[3:]]

    assert all("40% of the processors" in why for why in reasons(0.6))
    assert not any("of the processors" in why for why in reasons(1.0))


def test_one_sentence_counts_what_holds():
    assert finding([]).startswith("The records do not show")
    said = finding(rows(programs("processors")))
    assert (
        said
        == "Of what Markatos et al. found in 1991, 2 of 2 hold on kernel threads and 2 of 2 hold on user-level threads."
    )


def test_efficiency_is_computing_over_the_processors_time():
    one = next(p for p in programs("policies") if p.policy == "partition")
    results = Results("policies", [MACHINE, measured(one, 4 * one.compute_ns)])
    efficiency: Interval = results.of()[0].efficiency
    assert efficiency.value == pytest.approx(0.5, rel=0.01) and efficiency.low <= efficiency.value <= efficiency.high


# ---- the page


@pytest.mark.parametrize("name", EVERY)
def test_a_chart_has_measured_simulated_and_predicted_curves_of_both_kinds(name: str):
    results = Results(name, rows(programs(name)))
    found = charts.values(results)
    for source in ("measured", "simulated", "predicted"):
        panels = {v["panel"] for v in found if v["source"] == source}
        assert {kind for kind in NAMES.values() if any(kind in panel for panel in panels)} == set(NAMES.values())
    assert charts.draw(results).to_dict()["data"]["values"]


def test_nothing_is_judged_where_others_had_the_processors(tmp_path: Path):
    load = {"kind": "load", "session": "s", "processors": 2, "seconds": 9.0, "others_s": 9.0, "stolen_s": 0.0}
    spinning = rows(programs("spinning"))
    assert len(tables.for_terminal([MACHINE, *spinning])) == len(tables.for_terminal([MACHINE, *spinning, load])) + 1
    heads = tables.of_findings(findings(Results("spinning", spinning))).heads
    for row, judged in ((MACHINE, True), (load, False)):
        page.write([MACHINE, *spinning, row], [], tmp_path / "t.html")
        text = (tmp_path / "t.html").read_text()
        assert all(f">{head}</th>" in text for head in heads) == judged and 'id="threads-spinning"' in text


@pytest.mark.parametrize("name", EVERY)
def test_one_point_is_no_chart_and_nothing_no_section(name: str):
    one = programs(name)[:1]
    results = Results(name, rows(one))
    assert charts.draw(results) is None
    assert section.sections(rows(one))
    assert section.sections([]) == [] and not section.wants([])
    assert section.sections([MACHINE]) == [] and experiments([MACHINE]) == []
    assert tables.for_terminal([MACHINE]) == [] and tables.as_csv([MACHINE]) == ""


def test_the_page_shows_all_experiments(tmp_path: Path):
    made = rows(programs(quick=True))
    page.write(made, [], tmp_path / "p.html")
    html = (tmp_path / "p.html").read_text()
    assert html.count('"threads-') >= len(EVERY) and "What threads cost here" in html
    lines = tables.as_csv(made).splitlines()
    assert len(lines) == 1 + sum(r["kind"] == "overhead" and r["what"]["experiment"] != "costs" for r in made)


# ---- the real thing


def test_a_session_on_this_machine(tmp_path: Path):
    path = tmp_path / "r.jsonl"
    words = ["bench", "threads", "--quick", "--experiments", "overhead", "--samples", "2", "-o", str(path)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    found, complaints = records.read([path])
    assert complaints == []
    ids = {p["what"]["id"] for p in found if p["kind"] == "overhead" and p["what"]["experiment"] == "overhead"}
    for source in ("measured", "simulated", "predicted"):
        assert {r["what"]["id"] for r in found if r.get("source") == source} >= ids, source
    assert CliRunner().invoke(app, ["report", str(path), "-o", str(tmp_path / "r.html")]).exit_code == 0


@pytest.mark.parametrize("name", EVERY)
def test_a_sweep_has_no_points_but_the_programs(name: str):
    for kind in KINDS:
        for waiting in ("spin", "share"):
            computed = {p: p.compute_ns for p in programs(name) if p.threads == kind and p.waiting == waiting}
            sweep = [line.split(" = ")[1] for line in simulated._sweep(computed).splitlines()] if computed else []
            assert math.prod(len(json.loads(values)) for values in sweep) == max(1, len(computed))
