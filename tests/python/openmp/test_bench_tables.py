"""What is said of the records of a session, which are made up here: comparisons, tables and figures."""

import pytest

from weir.base import parts
from weir.base.console import out
from weir.openmp.cli import show
from weir.openmp.comparison import constructs
from weir.openmp.section import sections
from weir.openmp.tables import as_csv, markdown


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
