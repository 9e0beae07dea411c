"""weir compare: two files of records, series by series."""

import csv
import json
import random
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base import exports, records
from weir.base.statistics import Interval
from weir.cli import app
from weir.comparing.comparison import FASTER, FEW, NOISE, SLOWER, Comparison, in_words
from weir.comparing.machines import notes
from weir.comparing.series import A, B, series

from ..report.conftest import MEASURED, openmp_rows, scale_rows
from ..run.made_up_session import HOST, session, trials
from ..workloads.made_up_runs import session_rows
from .made_up_files import FLOOR, load, machine, row, runs, write

BEFORE = [machine(), *runs("mcs", 100.0), *runs("sense", 200.0), *runs("tree", 300.0), *runs("gone", 50.0)]
AFTER = [machine(), *runs("mcs", 50.0), *runs("sense", 260.0), *runs("tree", 301.0), *runs("new", 50.0)]


def found(a: list[dict], b: list[dict]) -> Comparison:
    return Comparison(series(a, b))


def compare(*words: object, columns: int = 200) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["compare", *map(str, words)], env={"COLUMNS": str(columns)})
    assert not isinstance(done.exception, (KeyError, TypeError, ValueError, AttributeError)), done.exception
    return done.exit_code, done.output


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return [write(tmp_path / "a.jsonl", BEFORE), write(tmp_path / "b.jsonl", AFTER)]


def test_what_changed_comes_first_and_each_is_marked(files: list[Path]):
    compared = found(BEFORE, AFTER)
    assert [(c.label, c.verdict) for c in compared.changes] == [("mcs", FASTER), ("sense", SLOWER), ("tree", NOISE)]
    assert compared.changes[0].ratio.value == pytest.approx(0.5, rel=0.05)
    assert compared.common == "spin, 2 threads, 2 processors, pinned"
    status, said = compare(*files)
    assert status == 0 and "Of 3 series 1 is faster in B, 1 is slower, and 1 is undecided." in said, said
    assert "In A alone, 1 series: gone" in said and "In B alone, 1 series: new" in said, said
    assert "On the geometric mean, " in said
    assert said.index("mcs") < said.index("sense") < said.index("tree")


def test_the_other_way_round_it_is_the_inverse():
    forth, back = found(BEFORE, AFTER), found(AFTER, BEFORE)
    for one, other in zip(forth.changes, back.changes, strict=True):
        assert one.ratio.value == pytest.approx(1 / other.ratio.value)
    assert (back.count(FASTER), back.count(SLOWER)) == (1, 1)
    assert forth.mean.value == pytest.approx(1 / back.mean.value)


def test_a_file_and_itself_do_not_differ():
    compared = found(BEFORE, BEFORE)
    assert {c.verdict for c in compared.changes} == {NOISE} and compared.mean.value == 1.0
    assert all(c.ratio.low < 1 < c.ratio.high for c in compared.changes), "their values are not taken for pairs"


def test_chance_alone_marks_one_series_in_twenty():
    dice = random.Random(1)

    def one(n: int) -> list[dict]:
        return [row(f"x{n}", [dice.gauss(100, 10) for _ in range(30)])]

    a, b = ([r for n in range(200) for r in one(n)] for _ in range(2))
    marked = found(a, b).count(FASTER, SLOWER)
    assert marked <= 24, f"{marked} of 200 that do not differ are told to differ"


def test_fewer_than_six_values_give_no_ratio(tmp_path: Path):
    compared = found([row("mcs", [1.0] * 5)], [row("mcs", [2.0] * 15)])
    assert compared.changes[0].ratio is None and compared.changes[0].verdict == FEW and compared.mean is None
    few = [*runs("sense", 9.0), row("mcs", [1.0] * 5)]
    assert "undecided (1 of them with fewer than 6 values)" in found(few, few).sentences()[0]
    files = [write(tmp_path / f"{i}.jsonl", [row("mcs", [ns] * 5)]) for i, ns in enumerate((1.0, 2.0))]
    status, said = compare(*files)
    assert status == 0 and "cannot be compared: there are fewer than 6 values in A or in B" in said, said


def test_overheads_that_are_not_told_from_zero_have_no_ratio():
    noise = [(-1) ** i * (5.0 + i) for i in range(20)]
    compared = found([row("mcs", noise)], runs("mcs", 50.0))
    assert compared.changes[0].ratio is None and compared.changes[0].verdict == NOISE


def test_only_clean_runs_count():
    broken = row("mcs", [9000.0] * 15, run=7)
    broken["how"] = broken["how"] | {"rejected": "sigma"}
    assert found([*BEFORE, broken], BEFORE).changes[-1].verdict == NOISE


def probed(algorithm: str, near: float, far: float, far_first: bool = False) -> list[dict]:
    """Runs on a machine that is at times in one state, at times in another, for ten samples each."""
    dice = random.Random(f"{algorithm}{near}{far}")
    made = []
    for run in range(4):
        states = [((i // 10) % 2 == 1) != far_first for i in range(40)]
        values = [(far if s else near) * dice.uniform(0.97, 1.03) for s in states]
        probes = [(200.0 if s else 50.0) * dice.uniform(0.97, 1.03) for s in states]
        lists = {"transfer_before_ns": probes, "transfer_after_ns": probes}
        made.append(row(algorithm, values, run=run, samples=lists))
    return made


def test_series_are_compared_within_one_state():
    # Alike in each state; but A was mostly near and B mostly far, as all samples together would have it.
    a = [machine(), *probed("mcs", 100.0, 400.0)]
    b = [machine(), *probed("mcs", 100.0, 800.0)]
    compared = found(a, b)
    assert {c.label: c.verdict for c in compared.changes} == {
        "mcs, spin, 2 threads, 2 processors, pinned (near)": NOISE,
        "mcs, spin, 2 threads, 2 processors, pinned (far)": SLOWER,
    }
    assert {c.series.state for c in compared.changes} == {"near", "far"}


def test_different_machines_are_warned_of(tmp_path: Path):
    quota = {"processors": 1.5, "source": "x"}
    a = [machine(), *runs("mcs", 100.0), load(0.1)]
    b = [machine(cpu_model="Another", affinity=[0], quota=quota, version="0.2.0"), *runs("mcs", 50.0), load(9.0)]
    _, said = compare(write(tmp_path / "a.jsonl", a), write(tmp_path / "b.jsonl", b))
    said = " ".join(said.split())
    for told in ("The machines differ", "the processor (A <made-up> processor in A, Another in B)",
                 "the affinity mask (0,1 in A, 0 in B)", "the CPU quota (none in A, 1.5 in B)",
                 "Other programs had 45% of the processors in B", "Weir (0.1.0 in A, 0.2.0 in B)"):  # fmt: skip
        assert told in said, told
    assert "kernel" not in said, "of what is the same nothing is said"


def test_the_floor_tells_of_the_machine_and_is_no_series():
    floors = [runs("transfer", ns, what=FLOOR, members=members) for ns in (50.0, 100.0) for members in (2, 4)]
    compared = found([*BEFORE, *floors[0], *floors[1]], [*AFTER, *floors[2], *floors[3]])
    assert len(compared.changes) == 3 and [c.label for c in compared.floors] == ["cache-line transfer, 0 to 1"]
    said = next(n for n in notes(BEFORE, AFTER, compared) if n.startswith("The machine itself changed"))
    assert re.search(r"cache-line transfer, 0 to 1 took (49|5\d) ns in A and (9|10)\d ns in B", said), said


def test_versions_are_what_may_differ():
    what = {"family": "openmp", "id": "x", "runtime": "libgomp", "group": "g", "language": "C"}
    before, after = (
        runs("parallel", ns, what=what | {"version": version}) for ns, version in ((100.0, "GCC 12"), (50.0, "GCC 13"))
    )
    compared = found(before, after)
    assert [c.verdict for c in compared.changes] == [FASTER]
    assert "Versions differ: libgomp (GCC 12 in A, GCC 13 in B)." in notes(before, after, compared)


@pytest.mark.parametrize("name", ["openmp", "scale", "workloads", "command", "mpi", "barriers"])
def test_records_of_any_kind_are_compared(name: str, tmp_path: Path):
    rows = {
        "openmp": openmp_rows, "scale": scale_rows, "workloads": session_rows,
        "command": lambda: list(session(trials()).export(HOST).records),
    }  # fmt: skip
    measured = {"mpi": "2026-11-21-mpi", "barriers": "2026-11-21-two-processors"}
    file = MEASURED / f"{measured.get(name)}.jsonl"
    if name in rows:
        file = write(tmp_path / "made.jsonl", rows[name]())
    read, _ = records.read([file])
    compared = found(read, read)
    assert compared.changes and compared.only == {A: [], B: []} and compared.count(FASTER, SLOWER) == 0
    labels = [c.label for c in compared.changes]
    assert len(labels) == len(set(labels)) and all(labels), "each has a name of its own"


def test_what_is_simulated_on_clusters_is_exact():
    a = scale_rows()
    b = [r | {"time_ns": r["time_ns"] * 1.01} if r["algorithm"] == "auto" else r for r in a]
    compared = found(a, b)
    assert compared.count(SLOWER) == sum(r["algorithm"] == "auto" for r in a) and compared.count("the same") > 0
    assert compared.changes[0].ratio == Interval(*[pytest.approx(1.01)] * 3)


def test_exports_hold_every_series(files: list[Path], tmp_path: Path):
    paths = {ending: tmp_path / f"made{ending}" for ending in exports.SUFFIXES}
    status, said = compare(*files, *(word for path in paths.values() for word in ("--export", path)))
    assert status == 0 and all(path.is_file() for path in paths.values()), said
    document = json.loads(paths[".json"].read_text())
    assert document["figures"][0] | {"faster": 1, "slower": 1} == document["figures"][0]
    assert document["figures"][0]["only_in_a"] == ["gone, spin, 2 threads, 2 processors, pinned"]
    for ending in (".json", ".jsonl"):
        rows, complaints = records.read([paths[ending]])
        assert complaints == [] and [r["verdict"] for r in rows] == [FASTER, SLOWER, NOISE]
        assert rows[0]["what"]["algorithm"] == "mcs" and rows[0]["b"]["values"] == 45
    lines = list(csv.DictReader(paths[".csv"].open()))
    assert [line["verdict"] for line in lines] == [FASTER, SLOWER, NOISE, "only in A", "only in B"]
    assert float(lines[0]["ratio_low"]) <= float(lines[0]["ratio"]) <= float(lines[0]["ratio_high"])
    assert "| mcs | faster |" in paths[".md"].read_text()


def test_the_page_begins_with_the_answer_and_needs_nothing_from_elsewhere(files: list[Path], tmp_path: Path):
    compare(*files, "--export", tmp_path / "made.html")
    html = re.sub(r"(<script[^>]*>).*?</script>", r"\1", (tmp_path / "made.html").read_text(), flags=re.DOTALL)
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=", html) and not re.search(r"@import|url\(", html)
    order = ["Of 3 series", 'id="ratios"', "<h2>Series", "in one file alone", "The files", "The machine of A"]
    places = [html.index(words) for words in order]
    assert places == sorted(places)


@pytest.mark.parametrize("columns", [80, 100])
def test_tables_fit_a_terminal(columns: int):
    file = MEASURED / "2026-11-21-mpi.jsonl"
    _, said = compare(file, file, columns=columns)
    table = [line for line in said.splitlines() if line[:1] in "│┃┏┡└"]
    assert len(table) > 20 and max(map(len, table)) <= columns
    assert "…" not in "".join(line.split("│")[1] for line in table if line.startswith("│"))


def test_what_is_wrong_is_said_with_what_to_do(files: list[Path], tmp_path: Path):
    trace = tmp_path / "trace.jsonl"
    trace.write_text('{"schema": "weir-trace/1"}\n')
    empty, alone = tmp_path / "empty.jsonl", write(tmp_path / "alone.jsonl", [machine()])
    empty.write_text("nothing\n")
    floor = runs("transfer", 50.0, what=FLOOR)
    floors = write(tmp_path / "floors.jsonl", [machine(), *floor])
    with_floor = [
        write(tmp_path / f"{members}.jsonl", [machine(), *floor, *runs("mcs", 9.0, members=members)])
        for members in (2, 64)
    ]
    other = write(tmp_path / "other.jsonl", [machine(), *runs("mcs", 9.0, members=64)])
    for words, says in (
        ([files[0], "/no/such"], "takes a file that can be read, not '/no/such'"),
        ([files[0]], f"takes two files of records, A and B, not 1: {files[0]}"),
        ([*files, files[0]], "not 3"),
        ([files[0], trace], "recorded, and holds no results"),
        ([files[0], empty], f"{empty} holds no record that can be used"),
        ([files[0], alone], f"{alone} holds no figure to compare: its rows are of the kind machine"),
        ([files[0], other], "no series is in both files"),
        ([files[0], other], "differ in members (2 in A, 64 in B)"),
        (with_floor, "differ in members (2 in A, 64 in B)"),
        ([files[0], floors], f"{floors} holds no figure to compare: only what the machine itself takes"),
        ([*files, "--export", tmp_path / "x.pdf"], "--export takes a name that ends in .json, .jsonl, .csv, .md or"),
        ([*files, "--export", files[0]], f"{files[0]} is one of the record files"),
    ):
        status, said = compare(*words)
        assert status == 2 and says in " ".join(said.split()), (words, said)
    assert records.read([files[0]])[0], "and nothing was written over it"


def test_no_text_of_a_file_is_obeyed_by_the_terminal(tmp_path: Path):
    """Neither markup nor escape sequences: records are sent from one person to another."""
    name = "[red]m[/red]\x1b[31mcs\x9b1m\x07[/]"
    host = {"cpu_model": f"one {name}", "kernel": name}
    a = write(tmp_path / "a[b].jsonl", [machine(**host), *runs(name, 900.0), *runs("[link=x]only", 5.0)])
    b = write(tmp_path / "b.jsonl", [machine(cpu_model="other"), *runs(name, 300.0, what={"version": f"2{name}"})])
    status, said = compare(a, b, columns=400)
    shown = name.replace("\x1b", "\\x1b").replace("\x9b", "\\x9b").replace("\x07", "\\x07")
    assert status == 0 and shown in said and "[link=x]only" in said and "a[b].jsonl" in said, said
    assert all(c.isprintable() or c == "\n" for c in said)


def test_broken_lines_are_told_of_and_the_rest_is_compared(files: list[Path]):
    with files[1].open("a") as file:
        file.write('{"schema": "weir/1", "kind": "overh\n')
    status, said = compare(*files)
    assert status == 0 and f"{files[1]}:{len(AFTER) + 1}: no JSON; the line is left out" in said, said


def test_ratios_are_said_as_people_say_them():
    assert in_words(Interval(0.31, 0.3, 0.32)).startswith("B is 3.2 times as fast as A")
    assert in_words(Interval(16.2, 15.0, 17.0)).startswith("B takes 16 times as long as A")
    assert in_words(Interval(0.97, 0.96, 0.98)).startswith("B is 3 % faster than A")
    assert in_words(Interval(1.05, 0.9, 1.2)).startswith("no difference was found")
