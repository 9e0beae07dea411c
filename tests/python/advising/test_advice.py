"""What is said of made-up times: the smallest size that does as well, what fewer cost, which variables gain."""

from math import ceil

import numpy as np
import pytest

from weir.advising import advice, charts, section, tables, telling
from weir.advising.plan import plan_of_team
from weir.advising.results import Session
from weir.advising.staircase import Staircase, between_barriers, staircase
from weir.run.measuring import OWN, WEIR
from weir.tracing.recording import BARRIER, LAST, LOCK, Recording

from .made_up import ON_OWN, ON_WEIR, counted, divided, of, planned, session, size, trace


def only_serial(m: int, p: int) -> float:
    return 0.4


def said(runs: Session) -> str:
    return " ".join([*telling.sentences(runs), *telling.notes(runs)])


def test_a_program_that_gains_gets_all_processors_and_one_that_does_not_gets_one():
    runs = session(of(divided))
    assert {one.size for one in advice.bests(runs)} == {size(2, 2)}
    assert "can use both processors here" in said(runs) and "--cpus=2, a Slurm task --cpus-per-task=2" in said(runs)
    runs = session(of(only_serial))
    assert {one.size for one in advice.bests(runs)} == {size(1, 1)}
    assert "can use 1 of 2 processors here (more gain less than 5 %)" in said(runs) and "--cpus=1," in said(runs)
    assert "which is no gain" in said(runs)


def test_of_sizes_that_do_as_well_the_fewest_processors_are_advised():
    """Twelve threads take as long on 6 processors as on 8 and on 11 [paper 000, section 4.2]."""
    runs = session(of(lambda m, p: 0.01 + 0.4 / min(m, p, 3), processors=8))
    (own, weir) = advice.bests(runs)
    assert own.size.processors == weir.size.processors == 3 and own.size.threads == 3
    assert not own.measured and own.seconds == pytest.approx(0.01 + 0.4 / 3, rel=0.05)
    assert "predicted to take" in said(runs)


def test_runtimes_on_which_it_can_use_different_numbers_are_told_apart():
    made = of(divided)
    for row in made:
        if row["kind"] == "overhead" and row["what"]["side"] == OWN and row["where"]["processors"] == 2:
            row["how"]["wall_s"] *= 3
    runs = session(made)
    use, give, variables = telling.sentences(runs)
    assert "can use 1 on libgomp and 2 on Weir's runtime, of 2 processors here" in use
    assert "--cpus=1, a Slurm task --cpus-per-task=1, on libgomp, and 2 on Weir's runtime" in give
    assert "OMP_NUM_THREADS=1" in variables


def test_three_sentences_whatever_was_measured():
    for made in (of(divided), of(divided, rounds=1), of(divided, processors=1), of(divided, processors=64)):
        assert len(telling.sentences(session(made))) == 3
        assert all(one.endswith(".") and "None" not in one for one in telling.sentences(session(made)))
    few = [one for one in planned(2) if one.size == size(2, 2)]
    assert "is not known from so few sizes" in said(session(of(divided, tries=few)))


def test_the_prediction_beyond_the_machine_is_that_of_the_truth_and_is_called_one():
    runs = session(of(divided))
    ahead = [one for one in advice.farther(runs) if one.side == WEIR]
    assert [one.size for one in ahead] == [size(4, 4), size(8, 8)]
    assert [one.seconds for one in ahead] == pytest.approx([divided(4, 4), divided(8, 8)], rel=0.02)
    assert "4 processors like these are predicted to take" in said(runs)


def test_nothing_is_predicted_below_what_the_trace_allows():
    serial = Staircase(16, 10, 1.0, {p: 0.5 + 0.5 / p for p in range(1, 17)})
    runs = session(of(divided, trace=serial))
    one = divided(1, 1)
    for ahead in advice.farther(runs):
        least = one * (0.5 + 0.5 / ahead.size.processors)
        assert ahead.seconds >= least * 0.999 and ahead.low >= least * 0.999


def test_the_steps_of_the_trace_are_not_those_of_another_team():
    """Of 16 threads on 12 processors some have two pieces; 12 threads have one each."""
    runs = session(of(divided, processors=8, trace=trace()))
    one = divided(1, 1)
    assert advice.by_trace(runs, WEIR, size(16, 12)) == pytest.approx(one * 2 / 16)
    assert advice.by_trace(runs, WEIR, size(12, 12)) == pytest.approx(one / 16)
    assert advice.by_trace(runs, WEIR, size(17, 17)) == 0
    assert advice.predicted(runs, WEIR, size(12, 12)).seconds == pytest.approx(divided(12, 12), rel=0.02)


def test_a_variable_that_gains_is_advised_and_one_that_does_not_is_not():
    runs = session(of(divided, factors={"OMP_PROC_BIND=true": 0.8, "OMP_WAIT_POLICY=active": 0.99}))
    first = advice.settings(runs, size(2, 2))[0]
    assert first.name == "OMP_PROC_BIND=true" and first.gains and first.ratio.value == pytest.approx(0.8)
    assert "set OMP_NUM_THREADS=2, and OMP_PROC_BIND=true: the time is 0.80" in said(runs)
    assert "none of 4 other variables tried gains 3 %" in said(session(of(divided)))
    assert "cannot be told from fewer than 6 rounds" in said(session(of(divided, rounds=3)))


def test_a_variable_whose_interval_holds_one_is_not_advised():
    made = of(divided)
    for row in made:
        if row["kind"] == "overhead" and row["what"]["side"] == "OMP_PROC_BIND=true":
            row["how"]["wall_s"] *= 1.3 if row["how"]["run"] % 3 == 0 else 0.9
    (one,) = (one for one in advice.settings(session(made), size(2, 2)) if one.name == "OMP_PROC_BIND=true")
    assert one.ratio.value < 0.97 and one.ratio.high > 1 and not one.gains


def test_what_a_program_loses_that_is_not_told_of_its_container_is_said():
    def crowd_waits(m: int, p: int) -> float:
        return divided(m, p) * (20 if m > p else 1)

    assert "On libgomp threads for 2 processors take 20 times as long" in said(session(of(crowd_waits)))
    assert "times as long on half of these" not in said(session(of(divided)))
    slow = said(session(of(lambda m, p: 0.4 / (1 if m > p else min(m, p)) * 2.2)))
    assert "a quota of 1 takes" not in slow


def test_a_program_that_sets_its_teams_itself_and_one_without_openmp():
    runs = session(of(divided, tries=plan_of_team([ON_OWN, ON_WEIR], 4, 2), counts=counted(3, 4)))
    assert "OMP_NUM_THREADS changes nothing" in said(runs) and "4 threads on 2 processors" in said(runs)
    assert charts.against_processors(runs) is not None
    runs = session(of(divided, tries=plan_of_team([ON_OWN], None, 2), counts=counted(3, 0)))
    assert "calls nothing of OpenMP that could be counted" in said(runs) and "thread" not in telling.sentences(runs)[0]
    assert charts.against_processors(runs) is not None


def test_disturbed_runs_do_not_count_where_others_do():
    made = of(divided)
    for row in made:
        if row["kind"] == "overhead" and row["how"]["run"] > 0:
            row["how"]["wall_s"], row["how"]["rejected"] = 0.001, "other programs"
    runs = session(made)
    assert runs.times(OWN)[size(2, 2)] == pytest.approx(divided(2, 2) * 1.03)
    for row in made:
        if row["kind"] == "overhead":
            row["how"]["rejected"] = "other programs"
    assert session(made).times(OWN)[size(2, 2)] == pytest.approx(0.001), "there are no others"


def test_a_size_that_failed_is_in_the_table_and_in_no_figure():
    made = of(divided)
    for row in made:
        if row["kind"] == "overhead" and row["where"]["members"] == 8 and row["what"]["side"] == WEIR:
            row["kind"] = "failure"
            row["how"]["stopped"] = "no end within 4 s"
    runs = session(made)
    assert size(8, 2) not in runs.times(WEIR)
    assert any("no end within 4 s" in cell for table in tables.measured(runs) for row in table.rows for cell in row)
    assert len(section.left_out(made)) > 0


def test_tables_and_chart_hold_what_was_measured_and_predicted():
    runs = session(of(divided, trace=trace()))
    own, weir = tables.measured(runs)
    assert ["2", "2", "220 ms", "227 ms", "7", "–", "–"] in weir.rows, "an anchor"
    (odd,) = (row for row in weir.rows if row[:2] == ["3", "2"])
    assert odd[-1] in ("+0%", "-0%")
    values = charts.predicted(runs)
    assert {v["processors"] for v in values if v["which"] == charts.BEYOND} == set(range(2, 9))
    assert {v["series"] for v in values} == {"Weir's runtime", "Weir's runtime, 8 threads"}
    steps = {v["processors"]: v["ns"] for v in values if "8 threads" in v["series"]}
    assert steps[4] == pytest.approx(steps[7], rel=0.01) and steps[8] < 0.7 * steps[7]


# ---- the trace


def recording(ns: list[list[int]], ends: list[list[int]]) -> Recording:
    made = [np.array(row, np.int8) for row in ends]
    return Recording(made, [np.zeros_like(e) for e in made], [np.array(n) for n in ns], 0, False, False, 1.0, 0)


def test_computing_is_summed_from_barrier_to_barrier():
    both = [LOCK, BARRIER, BARRIER, LAST]
    recorded = recording([[10, 5, 7, 1], [1, 1, 2, 0]], [both, both])
    assert between_barriers(recorded).tolist() == [[15, 2], [7, 2], [1, 0]]


def test_each_barrier_waits_for_the_processor_that_has_the_most():
    ends = [BARRIER, BARRIER, LAST]
    stairs = staircase(recording([[4, 1, 0], [1, 4, 0], [1, 1, 0]], [ends] * 3))
    ns = {p: round(s * 1e9) for p, s in stairs.seconds.items()}
    # On 2 processors threads 0 and 2 share one: 5 and 2, then 2 and 4.
    assert ns == {1: 12, 2: 9, 3: 8} and stairs.computing_s == pytest.approx(12e-9) and stairs.threads == 3


def test_equal_pieces_make_the_papers_steps():
    stairs = staircase(recording([[6, 0]] * 16, [[BARRIER, LAST]] * 16))
    assert {p: round(s * 1e9 / 6) for p, s in stairs.seconds.items()} == {p: ceil(16 / p) for p in range(1, 17)}
    assert advice.useful(stairs) == 16 and advice.useful(trace(12)) == 12
    eight = staircase(recording([[6, 0]] * 8 + [[0, 0]] * 8, [[BARRIER, LAST]] * 16))
    assert advice.useful(eight) == 8
