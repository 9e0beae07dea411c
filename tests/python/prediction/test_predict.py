"""The formulas against paper 000's own numbers, against each other, and through the command."""

import json
import math
import re
import subprocess
from fractions import Fraction
from itertools import islice, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from weir.barriers.comparison import figures
from weir.base import records
from weir.cli import app
from weir.prediction import formulas as predict
from weir.prediction.options import Several

fractions = st.fractions(min_value=Fraction(1, 20), max_value=4, max_denominator=40)
within_quantum = st.fractions(min_value=Fraction(41, 40), max_value=4, max_denominator=40)  # Q, with T = 1


def command(*words: str):
    return CliRunner().invoke(app, ["predict", *words], env={"COLUMNS": "140"})


def answer(*words: str) -> dict:
    result = command(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


# Spinning at a central barrier


def test_ten_barriers_of_12_ms_with_quanta_of_20_ms_take_304_ms():
    completed = predict.recurrence(20, 12, 10)
    assert completed == [32, 64, 92, 124, 152, 184, 212, 244, 272, 304]
    ends = [20 * math.ceil(c / 20) for c in completed]
    assert [b - a for a, b in pairwise(ends)] == [40, 20, 40, 20, 40, 20, 40, 20, 40], "R = 2 barriers in L = 3 quanta"


@pytest.mark.parametrize("compute", [0, 1, 5, 9.9])
def test_below_half_a_quantum_a_barrier_takes_one_quantum(compute: float):
    """Section 4.1: "After the first quantum of execution, a barrier is completed every quantum" (20 ms)."""
    completed = predict.recurrence(20, compute, 50)
    assert {b - a for a, b in pairwise(completed)} == {20}
    assert predict.approximation(20, compute, 50) == 50 * 20


def test_a_quantum_of_computing_makes_a_barrier_take_two_quanta():
    """Appendix: when Q reaches 1 "the application passes through one barrier every 2 quanta"."""
    assert predict.recurrence(20, 20, 50)[-1] == predict.approximation(20, 20, 50) == 50 * 40


def test_beyond_two_the_recurrence_reduces_to_one_barrier_a_quantum():
    """Footnote 9: for Q > 2, t_n = n + 1. With t_1 = Q, as the appendix begins, it would not."""
    assert list(islice(predict.progress(3, 1), 6)) == [1, 2, 3, 4, 5, 6]


def test_the_paper_begins_with_1_and_Q():
    assert list(islice(predict.progress(Fraction(5, 3), 1), 4)) == [1, Fraction(5, 3), 2, 3]


@pytest.mark.parametrize("compute, r, quanta", [(10, 1, 1), (12, 2, 3), (14, 3, 5), (16, 4, 7), (18, 9, 17)])
def test_the_pattern_is_the_papers(compute: int, r: int, quanta: int):
    """R = ceil(1/(Q/T - 1)), L = 2R - 1; at 10 ms, half a quantum, the pattern of shorter times is reached."""
    assert predict.pattern(20, compute) == predict.Pattern(r, quanta)


def test_the_approximation_as_section_4_1_prints_it_lies_below_what_two_threads_compute():
    p = predict.pattern(20, 12)
    as_printed = 100 * 12 * Fraction(p.quanta, p.barriers)
    assert as_printed < 2 * 100 * 12 < predict.approximation(20, 12, 100)


@given(fractions, fractions)
def test_progress_and_completion_never_go_back(quantum: Fraction, compute: Fraction):
    progress = list(islice(predict.progress(quantum, compute), 60))
    assert progress == sorted(progress)
    completed = predict.recurrence(quantum, compute, 20)
    assert all(a < b for a, b in pairwise(completed))
    assert completed[-1] >= max(2 * 20 * compute - quantum, 20 * quantum), "two threads compute, one at a time"


@given(fractions, fractions)
def test_a_barrier_is_complete_in_the_quantum_where_the_second_group_passes_it(quantum: Fraction, compute: Fraction):
    """`recurrence` counts in whole numbers by itself; here it is compared with `progress`."""
    t = [Fraction(0), *islice(predict.progress(quantum, compute), 1000)]  # t[n] is t_{n-1}
    for number, completed in enumerate(predict.recurrence(quantum, compute, 5), start=1):
        n = next(i for i in range(1, len(t)) if min(t[i], t[i + 1]) >= number)
        assert completed == n * quantum + (number - t[n - 1]) * compute


@given(within_quantum, st.integers(0, 200))
def test_the_complete_solution_is_the_recurrences(quantum: Fraction, n: int):
    assert predict.solution(quantum, 1, n) == next(islice(predict.progress(quantum, 1), n, None))


@given(fractions, fractions, st.integers(1, 60))
def test_the_closed_form_is_exact_and_the_approximation_a_quantum_off_at_most(
    quantum: Fraction, compute: Fraction, barriers: int
):
    completed = predict.recurrence(quantum, compute, barriers)[-1]
    assert predict.closed_form(quantum, compute, barriers) == completed
    assert -quantum < completed - predict.approximation(quantum, compute, barriers) <= min(quantum, compute)


def test_times_are_decimals_not_their_nearest_binary_numbers():
    """0.1 + 0.2 > 0.3 in binary: a floor would be one off."""
    assert predict.recurrence(0.3, 0.1, 100) == [x / 10 for x in predict.recurrence(3, 1, 100)]
    assert predict.pattern(0.6, 0.5) == predict.Pattern(5, 9)


# Trees, blocking, processors


def test_a_tree_of_16_takes_two_quanta_however_short_the_computing():
    """Section 4.1: "the time to complete a tree barrier is still 40 ms (two quanta)", and ceil(log_4 P) ceil(T/Q)."""
    assert [predict.tree_quanta(16, 20, t) for t in (0, 1, 20, 21, 40, 41)] == [2, 2, 2, 4, 4, 6]


@pytest.mark.parametrize(
    "members, fan_in, levels", [(1, 4, 0), (4, 4, 1), (5, 4, 2), (16, 4, 2), (17, 4, 3), (16, 2, 4)]
)
def test_levels(members: int, fan_in: int, levels: int):
    assert predict.tree_levels(members, fan_in) == levels


@given(st.integers(5, 2000), fractions, fractions)
def test_a_spinning_tree_is_never_better_than_a_central_barrier(members: int, quantum: Fraction, compute: Fraction):
    """Section 4.1 of figure 2: "in our simulation results, tree barriers are never better"."""
    p = predict.pattern(quantum, compute)
    assert predict.tree_quanta(members, quantum, compute) >= Fraction(p.quanta, p.barriers)


def test_the_bound_on_blocking_holds_what_the_paper_measured():
    """Figures 4 and 5, 16 threads on 8 processors; T in context switches. The bound is at most three times as much."""
    measured = {("tree", 20): 0.10, ("tree", 4): 0.39, ("combination", 4): 0.10, ("combination", 1): 0.30}
    for (barrier, compute), overhead in measured.items():
        bound = predict.blocking(barrier, 16, 8, 1, compute).share
        assert overhead <= bound <= 3 * overhead, (barrier, compute)


def test_a_team_with_a_processor_each_switches_never():
    """Section 4.1: "On 16 processors, no context switch overhead is incurred.\""""
    assert [predict.switches(b, 16, 16) for b in predict.BLOCKING] == [0, 0, 0]
    assert [predict.switches(b, 16, 8) for b in predict.BLOCKING] == [4, 2, 1]
    assert [predict.switches(b, 16, 4) for b in predict.BLOCKING] == [12, 4, 3]


def test_the_staircase_of_figure_6():
    """Section 4.2: completion time changes from 16 to 15, 8 to 7, 6 to 5, 4 to 3, 3 to 2 and 2 to 1 processors."""
    assert [s.least for s in predict.staircase(16)][::-1] == [16, 8, 6, 4, 3, 2, 1]
    assert predict.useful_processors(16, 15) == 8
    threads = {p: s.threads for s in predict.staircase(16) for p in range(s.least, s.most + 1)}
    assert 1 - threads[4] / threads[3] == pytest.approx(1 / 3), "an additional processor beside 3 improves it by 33 %"


@given(st.integers(1, 300))
def test_the_staircase_is_the_ceiling(threads: int):
    steps = predict.staircase(threads)
    heights = [s.threads for s in steps for _ in range(s.least, s.most + 1)]
    assert heights == [math.ceil(threads / p) for p in range(1, threads + 1)]
    for p in range(1, threads + 1):
        least = next(q for q in range(1, p + 1) if math.ceil(threads / q) == math.ceil(threads / p))
        assert predict.useful_processors(threads, p) == least


# What the formulas do not hold for


@pytest.mark.parametrize(
    "ask, says",
    [
        (lambda: predict.recurrence(0, 1, 1), "longer than 0"),
        (lambda: predict.recurrence(1, -1, 1), "negative"),
        (lambda: predict.recurrence(1, math.inf, 1), "finite"),
        (lambda: predict.recurrence(1, 1, 0), "at least 1"),
        (lambda: predict.recurrence(1e-6, 10, 100), "fewer barriers"),
        (lambda: next(predict.progress(1, 0)), "longer than 0"),
        (lambda: predict.solution(1, 2, 3), "between 0 and the quantum"),
        (lambda: predict.check_shared_by_two(16, 16), "share none"),
        (lambda: predict.check_shared_by_two(16, 7), "8 to 15 processors"),
        (lambda: predict.tree_quanta(4, 20, 15), "like a central barrier"),
        (lambda: predict.tree_levels(4, 1), "fan-in"),
        (lambda: predict.switches("flag", 4, 2), "tree, central, combination"),
        (lambda: predict.blocking("tree", 4, 2, -1, 1), "negative"),
        (lambda: predict.useful_processors(4, 0), "at least 1"),
        (lambda: predict.staircase(0), "at least 1"),
    ],
)
def test_what_a_formula_does_not_hold_for_is_said(ask, says: str):
    with pytest.raises(ValueError, match=re.escape(says)):
        ask()


# The command


def test_processors_says_how_many_do_as_well():
    result = command("processors", "--threads", "16", "--available", "15")
    assert result.exit_code == 0
    assert "8 processors do as well as 15" in result.output
    assert re.search(r"8 to 15 .* 2 .* ██ .*here", result.output)
    assert "All 8 are of use" in command("processors", "--available", "8").output
    assert "16 processors do as well as 40" in command("processors", "--available", "40").output


def test_spinning_shows_the_three_side_by_side():
    result = command("spinning", "--compute-ms", "12", "--barriers", "10")
    assert re.search(r"│ +12 │ +30\.4 │ +30\.4 │ +30 │ 2 in 3", result.output)
    assert "10 barriers take 304 ms" in result.output


def test_a_range_makes_a_curve():
    found = answer("spinning", "--compute-ms", "0:60:2")["rows"]
    assert [row["compute_ms"] for row in found] == list(range(0, 61, 2))
    by_compute = {row["compute_ms"]: row for row in found}
    assert by_compute[4]["approximation_ms"] == 20 and by_compute[4]["tree_ms"] == 40
    assert by_compute[12]["recurrence_ms"] == 30.04


def test_tree_and_blocking_answer():
    assert answer("tree", "--compute-ms", "1")["rows"] == [{"compute_ms": 1, "quanta": 2, "tree_ms": 40, "own_ms": 2}]
    found = {row["barrier"]: row for row in answer("blocking")["rows"]}
    assert (found["tree"]["episode_ms"], found["central"]["episode_ms"]) == (2.4, 2.2)
    assert [row["barrier"] for row in answer("blocking", "--barrier", "tree", "--compute-ms", "0")["rows"]] == ["tree"]


@pytest.mark.parametrize(
    "words, rows, first",
    [
        (["processors", "--threads", "4"], 4, {"episode_ns": 4e6, "overhead_ns": 0, "cpu_ns": 4e6}),
        (["spinning", "--barriers", "10"], 2, {"episode_ns": 30.4e6, "overhead_ns": 6.4e6, "cpu_ns": 15 * 30.4e6}),
        (["tree"], 1, {"episode_ns": 40e6, "reference_ns": 2e6}),
        (["blocking"], 3, {"episode_ns": 2.4e6, "reference_ns": 2e6, "overhead_ns": 0.4e6}),
    ],
)
def test_records_are_rows_that_the_report_reads(tmp_path: Path, words: list[str], rows: int, first: dict):
    path = tmp_path / "records.jsonl"
    assert command(*words, "-o", str(path)).exit_code == 0
    found, complaints = records.read([path])
    assert complaints == [] and len(found) == rows
    assert {r["source"] for r in found} == {"predicted"} and {r["what"]["family"] for r in found} == {"formula"}
    assert all(r["how"]["method"] == "formula" and r["how"]["formula"] for r in found)
    assert {name: found[0]["samples"][name] for name in first} == {k: pytest.approx([v]) for k, v in first.items()}
    assert len(figures(found)) == rows, "no two of them are merged"
    page = tmp_path / "report.html"
    assert CliRunner().invoke(app, ["report", str(path), "-o", str(page)]).exit_code == 0 and page.exists()


def test_two_quanta_are_two_figures(tmp_path: Path):
    found = []
    for quantum in ("10", "20"):
        path = tmp_path / f"{quantum}.jsonl"
        command("tree", "--quantum-ms", quantum, "-o", str(path))
        found += records.read([path])[0]
    assert len(figures(found)) == 2


CHARTS = {
    "processors": ["processors", "--threads", "16", "--available", "15"],
    "spinning": ["spinning", "--compute-ms", "0:40:4"],
    "tree": ["tree", "--compute-ms", "1,20,21"],
    "blocking": ["blocking", "--compute-ms", "0:2:0.5"],
}
SEEN = {
    "processors": "8 do as well",
    "spinning": "central, recurrence",
    "tree": "tree",
    "blocking": "combination",
}


@pytest.mark.parametrize("name", CHARTS)
def test_charts_stand_by_themselves(tmp_path: Path, chromium: str, name: str):
    svg, page = tmp_path / "chart.svg", tmp_path / "page.html"
    result = command(*CHARTS[name], "--svg", str(svg), "--page", str(page))
    assert result.exit_code == 0, result.output
    assert SEEN[name] in svg.read_text()
    html = re.sub(r"(<script[^>]*>).*?</script>", r"\1", page.read_text(), flags=re.DOTALL)
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", html), "nothing is fetched"
    words = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom"]
    dom = subprocess.run([*words, page.as_uri()], capture_output=True, text=True, timeout=300).stdout
    assert SEEN[name] in re.sub(r"<script.*?</script>", "", dom, flags=re.DOTALL)
    assert "<svg" in re.sub(r"<script.*?</script>", "", dom, flags=re.DOTALL)


@pytest.mark.parametrize("text, found", [("12", [12]), ("1, 2,4", [1, 2, 4]), ("0:1:0.5,7", [0, 0.5, 1, 7])])
def test_numbers(text: str, found: list[float]):
    assert list(Several()(text)) == found


@pytest.mark.parametrize(
    "words, says",
    [
        (["spinning", "--compute-ms", "soon"], "0:60:2 (from, to, step), not 'soon'"),
        (["spinning", "--compute-ms", "1/0"], "takes numbers"),
        (["spinning", "--compute-ms", "9:1:1"], "a range goes up"),
        (["spinning", "--compute-ms", "0:9:0"], "a step above 0"),
        (["spinning", "--compute-ms", "0:9:0.0001"], "take a longer step"),
        (["spinning", "--processors", "16"], "at most 15 processors"),
        (["spinning", "--processors", "5"], "8 to 15 processors"),
        (["spinning", "--quantum-ms", "0"], "--quantum-ms takes a number from 1e-06"),
        (["spinning", "--svg", "chart.svg"], "give several compute times"),
        (["tree", "--fan-in", "1"], "--fan-in takes a whole number from 2"),
        (["tree", "--members", "4", "--compute-ms", "15"], "predict that"),
        (["blocking", "--barrier", "[flag]"], "--barrier takes tree, central or combination, not '[flag]'"),
        (["blocking", "--processors", "0"], "--processors takes a whole number from 1"),
        (["blocking", "-o", "/dev/null/records.jsonl"], "cannot write"),
        (["processors", "--available", "0"], "--available takes a whole number from 1"),
    ],
)
def test_bad_input_says_what_is_wrong_and_what_to_do(words: list[str], says: str, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = command(*words)
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())
    assert "Traceback" not in result.output and list(tmp_path.iterdir()) == []
