"""`weir simulate openmp`: records as those of `weir bench openmp`, on machines that are not here."""

import json
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base import native, records
from weir.base.console import out
from weir.base.parts import Table
from weir.base.states import State
from weir.base.statistics import Interval
from weir.cli import app
from weir.openmp import reporting
from weir.openmp import section as measured
from weir.openmp.comparison import constructs
from weir.report import page
from weir.simulation import calibrate
from weir.simulation import section as scenarios
from weir.simulation.machine_plan import machine_file
from weir.simulation.openmp import beside, section, tables
from weir.simulation.openmp.cli import show
from weir.simulation.openmp.plan import PROGRAM
from weir.simulation.openmp.results import simulated

from ..conftest import heeding_interrupts

NAMES = ("overhead", "episode", "reference")
NAMED = "parallel,reduction,schedule-guided-n:1,task-by-master,taskwait"


def run(*words: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["simulate", "openmp", *map(str, words)])
    assert done.exit_code == code, done.output
    return re.sub(r"\s+", " ", done.output)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("openmp") / "made.jsonl"
    names = ("--constructs", "parallel,barrier", "--machines", "kunpeng-920,grace-2s")
    run(*names, "--threads", "2,64", "--seeds", 2, "-o", path)
    return path


ALONE = "nested-parallel"  # the suite has no regions within regions


def test_constructs_are_called_as_weir_bench_openmp_calls_them():
    known = {c["name"]: c["group"] for c in native.ask(PROGRAM, "list")["constructs"] if c["name"] != ALONE}
    sources = "".join(p.read_text() for p in sorted((native.REPOSITORY / "bench" / "openmp").glob("*.c")))
    for name, group in known.items():
        # A schedule's name is followed by its chunk.
        assert f'{{"{name.partition(":")[0]}", WORK' in sources and f'= {{"{group}", constructs' in sources, name


def test_rows_are_those_of_the_suite_and_keep_apart_from_measured_ones(made: Path):
    rows, complaints = records.read([made])
    assert complaints == []
    figures = [r for r in rows if r["kind"] == "overhead"]
    assert len(figures) == 2 * 2 * 2 * 5 * 2
    for row in figures:
        assert row["source"] == "simulated" and row["where"]["homes"] == "first-touch"
        assert (row["what"]["runtime"] == "weir") != row["what"]["runtime"].endswith(", model")
        lists = row["samples"]
        assert len({len(values) for values in lists.values()}) == 1
        for overhead, episode, reference in zip(*(lists[f"{n}_ns"] for n in NAMES), strict=True):
            assert overhead == episode - reference
        counts = row["counts"]
        assert counts["read_line"] <= counts["busiest_line"] <= sum(counts["moved"])
        assert 0 < counts["critical_path"] <= sum(counts["moved"])
    assert constructs(rows) == [] and not measured.wants(rows) and not scenarios.wants(rows)
    assert section.wants(rows)
    assert [(of.machine, len(of.constructs)) for of in simulated(rows)] == [
        ("Huawei Kunpeng 920, 64 cores", 4), ("2 × NVIDIA Grace, 144 cores", 4)
    ]  # fmt: skip


def test_the_same_seed_gives_the_same_digits_however_many_simulators(tmp_path: Path):
    def samples(jobs: int) -> list[object]:
        path = tmp_path / f"{jobs}.jsonl"
        where = ("--machines", "kunpeng-920", "--threads", "8,16")
        run("--constructs", NAMED, *where, "--seeds", 2, "--jobs", jobs, "-o", path)
        rows = map(json.loads, path.read_text().splitlines())
        return [(r["what"], r["how"], r["samples"], r["counts"]) for r in rows if r["kind"] == "overhead"]

    assert samples(1) == samples(4)


def test_the_lines_of_a_large_barrier_lie_beside_those_who_wait(tmp_path: Path):
    """Each member makes its own."""

    def barrier(homes: str) -> float:
        path = tmp_path / f"{homes}.jsonl"
        words = ("--machines", "epyc-9654-2s", "--threads", 128, "--constructs", "barrier", "--runtimes", "weir")
        run(*words, "--homes", homes, "--seeds", 1, "-o", path)
        (of,) = simulated(records.read([path])[0])
        return of.constructs[0].best.overhead.value

    assert barrier("first-touch") < 1.05 * barrier("waiter")


def test_no_runtime_is_faster_than_the_machine_lets_it_be(made: Path):
    for of in simulated(records.read([made])[0]):
        for construct in of.constructs:
            over = tables.over_floor(construct)
            assert over is not None and 1 < over < 10


def test_a_page_shows_each_machine_with_a_chart_and_counts(made: Path, tmp_path: Path):
    rows, _ = records.read([made])
    made_of = section.sections(rows)
    assert [s.heading for s in made_of] == ["Huawei Kunpeng 920, 64 cores", "2 × NVIDIA Grace, 144 cores"]
    for of_machine in made_of:
        chart, overheads, counted = of_machine.parts
        assert chart.drawn is not None and "best model" in chart.title
        assert len(overheads.rows) == len(counted.rows) == 4
    page.write(rows, [], tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text()
    assert "What OpenMP costs on simulated machines" in html and "Which runtime is better where" not in html


def test_records_without_a_later_count_are_shown(made: Path):
    rows, _ = records.read([made])
    for row in rows:
        row.get("counts", {}).pop("critical_path", None)
    for of in simulated(rows):
        assert {row[2] for row in tables.counted(of).rows} == {"–"}


def test_a_simulated_and_a_measured_session_share_a_page(made: Path):
    rows, _ = records.read([made])
    here = []
    for row in rows:
        if row["kind"] == "overhead" and row["where"]["members"] == 2:
            here.append(row | {"source": "measured", "what": row["what"] | {"language": "C"}})
    assert len(constructs(rows + here)) == 2 and len(simulated(rows + here)) == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--machines", "no-such"), "no machine 'no-such'"),
        (("--threads", 512, "--machines", "kunpeng-920"), "has 64 processors"),
        (("--constructs", "critical"), "critical"),
        (("--runtimes", "libfoo"), "libfoo"),
        (("--homes", "far"), "first-touch, waiter or interleaved"),
    ],
)
def test_a_wrong_word_is_told_of(tmp_path: Path, words: tuple, says: str):
    assert says in run(*words, "-o", tmp_path / "x.jsonl", code=2)


def test_ctrl_c_keeps_what_was_simulated(tmp_path: Path):
    path = tmp_path / "x.jsonl"
    words = [sys.executable, "-m", "weir", "simulate", "openmp", "--seeds", "1000", "--threads", "64", "--jobs", "1"]
    process = subprocess.Popen([*words, "-o", path], stdout=subprocess.PIPE, preexec_fn=heeding_interrupts)
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and (not path.is_file() or path.read_text().count('"overhead"') < 3):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    rows, complaints = records.read([path])
    assert complaints == [] and sum(r["kind"] == "overhead" for r in rows) >= 3


@pytest.fixture
def measured_here(made: Path, tmp_path: Path) -> Path:
    """What Kunpeng's two threads took, as if measured, where a line takes 70 ns."""
    path = tmp_path / "measured.jsonl"
    with path.open("w") as file:
        for row in map(json.loads, made.read_text().splitlines()):
            if row["kind"] == "machine" and "kunpeng" in row["id"]:
                row["host"] = {"cpu_model": "made up", "online": 2}
            elif row["kind"] != "overhead" or "kunpeng" not in row["session"] or row["where"]["members"] != 2:
                continue
            else:
                row["source"] = "measured"
                runtime = row["what"]["runtime"].removesuffix(", model")
                row["what"] |= {"language": "C", "compiler": "gcc", "environment": {}, "runtime": runtime}
                row["samples"] |= {f"transfer_{when}_ns": [70.0] * len(row["samples"]["cpu_ns"]) for when in BOTH}
            file.write(json.dumps(row) + "\n")
    return path


BOTH = ("before", "after")


def test_simulated_constructs_stand_beside_measured_ones(measured_here: Path, tmp_path: Path):
    path = tmp_path / "beside.jsonl"
    said = run("--beside", measured_here, "-o", path)
    assert "Simulated beside measured, 2 threads" in said
    compared = beside.Beside(records.read([measured_here])[0], path)
    ((machine, _),) = compared.machines.values()
    assert calibrate.simulated_transfer(machine, 0, 1) == pytest.approx(70, rel=0.01)
    pairs = compared.pairs(records.read([path])[0])
    runtimes = ("weir", "libgomp", "libomp", "libomp-hierarchical", "libomp-dist")
    assert {(p.construct, p.runtime) for p in pairs} == {(c, r) for c in ("parallel", "barrier") for r in runtimes}
    # A machine that differs in little but the transfer: 28 ns there.
    assert all(1.2 < p.ratio < 3 for p in pairs if p.runtime == "weir")


LONG = "schedule-monotonic-dynamic-n:1"
STATE = State(54.6, "near", 0.6)


def pairs() -> list[beside.Pair]:
    """Of each runtime, as long as their names and times get."""
    took = Interval(16_312.0, 15_911.0, 16_845.0)
    return [
        beside.Pair(LONG, runtime, "gcc", 2, STATE, time, 33_104.0)
        for runtime in ("libomp-hierarchical", "weir")
        for time in (took, Interval(12.0, -3.0, 15.0))
    ]


def costs() -> list[Table]:
    heads = ["construct", "threads", *tables.COUNTS.values()]
    best = ["construct", "threads", "weir", "best model", "takes", "ratio", "over floor"]
    return [
        Table("Overhead", best, [[LONG, "128", "1.34 µs", "libomp-hierarchical, model", "2.57 µs", "0.52", "5.6"]]),
        Table("Moved", heads, [[LONG, "128", *["1,234"] * len(tables.COUNTS)]]),
    ]


@pytest.mark.parametrize("columns", [80, 120, 160])
def test_a_row_of_the_table_is_one_line_of_the_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
):
    monkeypatch.setattr(out, "width", columns)
    show(beside.tables(pairs()), on_page=False)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    rows = [line for line in lines if LONG in line]
    assert len(rows) == 4
    assert all("16.3 µs" in row or "in the noise" in row for row in rows)
    assert sum("15.9 µs … 16.8 µs" in row for row in rows) == (2 if columns > 80 else 0)
    said = " ".join(" ".join(lines).split())
    assert said.index("on weir, gcc, a cache line takes 55 ns") < said.index("on libomp-hierarchical, gcc")
    show(costs(), on_page=True)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    best, moved = (line for line in lines if LONG in line)
    assert "1.34 µs" in best and "0.52" in best and ("libomp-hierarchical, model" in best) == (columns > 80)
    assert moved.count("1,234") == (len(tables.COUNTS) if columns == 160 else 2)
    assert any("the page shows it" in line for line in lines) == (columns < 160)


@pytest.fixture
def reported(made: Path, tmp_path: Path) -> Path:
    """What Kunpeng took, as if somebody had measured it there by `weir bench openmp --report-to`."""
    machine = machine_file("kunpeng-920")
    processors = list(range(64))
    transfers = [(a, b, calibrate.simulated_transfer(machine, a, b)) for a, b in reporting.pairs(processors)]
    path = tmp_path / "reported.jsonl"
    with path.open("w") as file:
        for row in map(json.loads, made.read_text().splitlines()):
            if row["kind"] == "machine" and "kunpeng" in row["id"]:
                row["host"] = {"cpu_model": "made up", "online": 64, "affinity": processors}
                row["settings"] = {"transfers": transfers}
            elif row["kind"] != "overhead" or "kunpeng" not in row["session"] or row["what"]["runtime"] != "weir":
                continue
            else:
                row["source"] = "measured"
                row["what"] |= {"language": "C", "compiler": "gcc", "environment": {}}
                row["samples"] |= {f"transfer_{when}_ns": [28.0] * len(row["samples"]["cpu_ns"]) for when in BOTH}
            file.write(json.dumps(row) + "\n")
    return path


def test_a_report_from_a_large_machine_is_compared_with_all_its_threads(reported: Path, tmp_path: Path):
    path = tmp_path / "beside.jsonl"
    said = run("--beside", reported, "--runtimes", "weir", "-o", path)
    assert "Simulated beside measured, 2 threads" in said and "Simulated beside measured, 64 threads" in said
    compared = beside.Beside(records.read([reported])[0], path)
    assert compared.sizes == [2, 64]
    pairs = compared.pairs(records.read([path])[0])
    assert {(p.construct, p.members) for p in pairs} == {(c, n) for c in ("parallel", "barrier") for n in (2, 64)}
    # Fitted to the transfers alone: the groups of 4, 32 and 64, not the times of stores, polls and memory.
    whole, _ = compared.machines[None]
    distances = tomllib.loads(whole.read_text())["distance"]
    assert [d["group"] for d in distances] == [4, 32, 64]
    assert all(0.6 < p.ratio < 1.6 for p in pairs if p.members == 64)


def test_a_report_needs_few_pairs_and_its_constructs_can_be_simulated():
    assert set(reporting.CONSTRUCTS) <= {c["name"] for c in native.ask(PROGRAM, "list")["constructs"]}
    assert reporting.pairs([3, 5, 9]) == ((3, 5), (3, 9), (5, 9))
    for count in (64, 128, 192, 512):
        pairs = reporting.pairs(range(count))
        assert len(set(pairs)) == len(pairs) <= 80 and all(0 <= a < b < count for a, b in pairs)
    assert reporting.sizes(2) == (2,) and reporting.sizes(128) == (2, 64, 128)


def test_records_without_two_threads_are_refused(made: Path, tmp_path: Path):
    assert "hold no constructs" in run("--beside", made, "-o", tmp_path / "x.jsonl", code=2)
    assert "--threads does not go with --beside" in run(
        "--beside", made, "--threads", 4, "-o", tmp_path / "x.jsonl", code=2
    )
