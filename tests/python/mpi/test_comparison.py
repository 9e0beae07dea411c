"""What is made of the records of `weir bench mpi`: comparisons, targets, charts, tables and the page."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from weir.barriers.comparison import figures
from weir.base import parts, records
from weir.base.screen import shown
from weir.cli import app
from weir.mpi.comparison import comparisons, targets, words
from weir.mpi.plan import Size
from weir.mpi.section import machines_targets, sections
from weir.mpi.tables import tables
from weir.report import page

from ..conftest import INFO
from .made_up import made_up, row


def test_barriers_are_compared_where_they_ran_together():
    found = comparisons(made_up())
    assert [(c.place.processes, c.place.threads) for c in found] == [(2, 1), (4, 1), (8, 1), (1, 2), (2, 2), (4, 2)]
    assert [b.id for b in found[0].barriers] == ["weir", "MPI_Barrier", "weir:mcs"]
    ratio = found[1].find("weir:mcs").against(found[1].baseline)
    assert ratio is not None and ratio.low < 1.5 < ratio.high
    assert found[4].baseline.id == "omp+MPI_Barrier" and found[3].baseline.id == "omp"
    assert words(found[0].place) == "Open MPI: 2 processes on 2 processors (round-time)"
    assert not figures(made_up()), "threads' page is of threads"


def test_targets_follow_who_shares_processors():
    said = {(t.members, t.limit): t for t in targets(comparisons(made_up()))}
    assert set(said) == {(2, 1.0), (4, 0.7), (8, 0.7)}
    assert said[2, 1.0].verdict == "reached" and said[2, 1.0].measured.value == pytest.approx(0.5, rel=0.05)
    slow = [r for r in made_up() if r["what"]["algorithm"] != "MPI_Barrier"]
    slow += [row("MPI_Barrier", Size(n, 1), run, 1.1) for n in (4, 8) for run in range(3)]
    verdicts = {t.verdict for t in targets(comparisons(slow)) if "MPI_Barrier" in t.what and "omp" not in t.what}
    assert verdicts == {"missed"}


def test_a_missed_turn_moves_no_pair():
    rows = []
    for id, turns in (("weir", range(8)), ("MPI_Barrier", range(1, 8))):
        one = row(id, Size(2, 1), 0, 1.0)
        one["samples"] = {name: [100.0 * 2**t for t in turns] for name in one["samples"]} | {"turn": list(turns)}
        rows.append(one)
    (found,) = comparisons(rows)
    ratio = found.find("weir").against(found.find("MPI_Barrier"))
    assert (ratio.low, ratio.value, ratio.high) == (1, 1, 1)


def test_one_process_sends_no_messages():
    one = row("team", Size(1, 2), 0, 1.0)
    choice = {"algorithm": "dissemination", "within": "none", "transport": "messages", "threads": "distributed"}
    one["what"]["choice"] = choice
    assert comparisons([one])[0].default.choice == "distributed"


def test_two_samples_make_no_ratio():
    few = made_up()
    for r in few:
        if r["what"]["algorithm"] == "MPI_Barrier":
            r["samples"] = {name: values[:1] for name, values in r["samples"].items()}
    few = [r for r in few if r["how"]["run"] < 2]
    assert not [t for t in targets(comparisons(few)) if "omp" not in t.what]
    assert tables(comparisons(few))[0].rows[0][-1] == "–"


def test_the_page_has_the_papers_figures(tmp_path: Path):
    rows = [{"kind": "machine", "id": "s", "host": INFO}, *made_up(), *made_up("mpich")]
    rows[5]["how"]["stopped"] = "its 80 ms were spent"
    made = sections(rows)
    drawn = parts.charts(made)
    assert made[-1].parts[-1].title == "1 series over MPI with fewer samples than planned"
    assert [c.name for c in drawn] == [
        "mpi-figures-2-5",
        "mpi-figures-6-9",
        "mpi-figures-10-13-mpich",
        "mpi-figures-10-13-openmpi",
        "mpi-figure-14",
    ]
    values = drawn[2].drawn.to_dict()["data"]["values"]
    cells = {(v["barrier"], v["processes"], v["threads"]) for v in values if v["what"] == "least time"}
    assert ("Weir's default", 2, 1) in cells and ("Weir's default", 4, 2) in cells
    assert ("omp barrier + MPI_Barrier", 1, 2) in cells, "threads alone are the lowest row"
    together = drawn[4].drawn.to_dict()["data"]["values"]
    assert {(v["barrier"], v["members"]) for v in together if v["processes"] == 1} == {("OpenMP: one process", 2)}
    page.write(rows, [], tmp_path / "mpi.html")
    text = (tmp_path / "mpi.html").read_text()
    assert "Barriers across processes" in text and "within 300 ns" in text and "its 80 ms were spent" in text


def names_of_charts(rows: list[dict]) -> list[str]:
    return [c.name for c in parts.charts(sections(rows))]


def test_a_chart_without_values_is_left_out():
    shared = [row("team:mcs+mcs/shared", Size(2, 2), run, 1.0) for run in range(2)]
    assert names_of_charts(shared) == []
    threads = [row("team", Size(1, 2), run, 1.0, mpi="mpich") for run in range(2)]
    teams = [row("team", Size(2, 2), run, 1.0) for run in range(2)]
    assert names_of_charts(threads + teams) == ["mpi-figures-2-5", "mpi-figures-10-13-openmpi", "mpi-figure-14"]


def elsewhere(rows: list[dict], **where: int) -> list[dict]:
    return [r | {"where": r["where"] | where} for r in rows]


def test_two_machines_are_told_apart():
    far = [r | {"session": "far"} for r in made_up()]
    hosts = [{"kind": "machine", "id": i, "host": {"cpu_model": m, "online": 2}} for i, m in (("s", "A"), ("far", "B"))]
    made = sections([*hosts, *made_up(), *far])
    charts, all_tables = parts.charts(made), [t for t in parts.tables(made) if t.title]
    assert len({c.name for c in charts}) == len(charts) == 8
    for chart in (c for c in charts if c.drawn):
        machines = {v["machine"] for v in chart.drawn.to_dict()["data"]["values"]}
        assert len(machines) == 1 and chart.title.startswith(f"{machines.pop()}: ")
    assert len({t.title for t in all_tables}) == len(all_tables)
    reached_for = machines_targets(comparisons([*hosts, *made_up(), *far]))
    assert {t.detail.partition(", 2 processors: ")[0] for t in reached_for} == {"A", "B"}
    assert not any("A, 2" in t.title for t in parts.tables(sections([*hosts, *made_up()]))), "one needs no name"


def test_a_size_on_one_node_and_on_four_is_drawn_twice():
    rows = [row("weir", Size(n, 1), run, 1.0) for run in range(2) for n in (2, 4)]
    spread = elsewhere([row("weir", Size(n, 1), run, 9.0) for run in range(2) for n in (4, 8)], nodes=4, processors=8)
    made = sections(rows + spread)
    assert [c.title.partition(": ")[0] for c in parts.charts(made)] == ["2 processors", "8 processors of 4 nodes"]
    drawn = [[(v["processes"], v["nodes"]) for v in c.drawn.to_dict()["data"]["values"]] for c in parts.charts(made)]
    assert drawn == [[(2, 1), (4, 1)], [(4, 4), (8, 4)]]
    assert len(parts.charts(sections(rows + elsewhere(spread, processes=8, members=8)))) == 1, "a line may join these"
    (alone,) = parts.charts(sections(elsewhere(rows, processes=2, members=2)))
    assert alone.drawn is None and "One size was measured" in alone.text, "no chart is of one point"


def test_failures_alone_are_told_in_the_words_of_their_kind(tmp_path: Path):
    def failed(size: Size) -> dict:
        made = row("every barrier", size, 0, 1.0) | {"kind": "failure"}
        return {k: v for k, v in made.items() if k != "samples"} | {"how": made["how"] | {"stopped": "no slots"}}

    records_file, made_page = tmp_path / "mpi.jsonl", tmp_path / "mpi.html"
    with records.Writer(records_file) as writer:
        writer.write(failed(Size(4, 1)))
        writer.write(failed(Size(2, 2)))
    done = CliRunner().invoke(app, ["report", str(records_file), "-o", str(made_page)])
    assert done.exit_code == 0, done.output
    text = made_page.read_text().partition("<script>")[0]
    assert "<h1>Barriers across processes</h1>" in text and "barriers over MPI</title>" in text
    assert all(f"<td>every barrier</td><td>Open MPI, {size} threads</td>" in text for size in ("4 × 1", "2 × 2"))


def test_on_a_narrow_screen_names_are_broken_and_numbers_are_whole():
    (one,) = [t for t in tables(comparisons(made_up())) if "8 processes" in t.title]
    width = 60
    screen = Console(width=width, file=io.StringIO())
    screen.print(shown(one, [0, 1, 2, 7]))
    said = screen.file.getvalue()
    assert all(row[i] in said for row in one.rows for i in (1, 2, 7)) and max(map(len, said.splitlines())) <= width
