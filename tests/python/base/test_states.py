"""The states of a machine: told apart by its probes, and samples divided among them."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weir.base import native, records
from weir.base.states import Pair, States, exceptions, in_words, split, states, tell_apart
from weir.base.statistics import FEWEST
from weir.base.transfers import Transfers

HERE = Path(__file__).parents[1]
SEEDS = st.integers(0, 2**32 - 1)


def in_turn(dice: np.random.Generator, count: int, shares: dict[float, float], lasts: int = 30) -> np.ndarray:
    """A machine that stays in a state for about so many probes; each probe has noise, and some are disturbed."""
    times, weights = list(shares), list(shares.values())
    spells = [np.full(1 + dice.poisson(lasts), dice.choice(times, p=weights)) for _ in range(2 * count // lasts + 2)]
    held = np.concatenate(spells)[:count]
    disturbed = np.where(dice.random(count) < 0.02, 1 + dice.pareto(1.0, count), 1)
    return held * np.exp(dice.normal(0, 0.07, count)) * disturbed


def around(probes: np.ndarray) -> list[Pair]:
    return list(zip(probes[:-1].tolist(), probes[1:].tolist(), strict=True))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(SEEDS, st.integers(8, 2000), st.floats(0.02, 0.4), st.floats(0.7, 3.0), st.floats(0, 0.2))
def test_noise_with_a_heavy_tail_is_one_state(seed: int, count: int, sigma: float, tail: float, share: float):
    dice = np.random.default_rng(seed)
    disturbed = np.where(dice.random(count) < share, 1 + dice.pareto(tail, count), 1)
    assert tell_apart(around(50 * np.exp(dice.normal(0, sigma, count)) * disturbed)) == States()


@settings(max_examples=40, deadline=None, derandomize=True)
@given(SEEDS, st.integers(1500, 4000), st.floats(2.5, 8.0), st.booleans())
def test_two_states_are_told_apart_though_one_is_rare(seed: int, count: int, apart: float, near_is_rare: bool):
    dice = np.random.default_rng(seed)
    rare = in_turn(dice, count * 3 // 100, {1.0: 1.0})
    probes = in_turn(dice, count, {1.0: 1.0})
    begins = int(dice.integers(count - len(rare)))
    probes[begins : begins + len(rare)] = apart * rare
    probes = 45 * (apart / probes if near_is_rare else probes)
    found = tell_apart(around(probes))
    assert [s.name for s in found.states] == ["near", "far"]
    near, far = found.states
    assert (near.transfer_ns, far.transfer_ns) == pytest.approx((45, 45 * apart), rel=0.1)
    assert (near.share if near_is_rare else far.share) == pytest.approx(0.03, abs=0.025), "disturbed probes are of any"


def test_45_and_240_by_turns():
    probes = in_turn(np.random.default_rng(1), 3000, {45.0: 0.6, 240.0: 0.4})
    found = tell_apart(around(probes))
    near, far = found.states
    assert (near.transfer_ns, far.transfer_ns) == pytest.approx((45, 240), rel=0.03)
    assert near.share == pytest.approx((probes < 100).mean(), abs=0.03)
    assert found.of((44.0, 46.0)) == near and found.of((250.0, 230.0)) == far
    assert found.of((44.0, 250.0)) is None and found.of((44.0, None)) is None
    assert 0 < found.between < 0.15 * found.samples
    assert "a cache line took 45 ns (" in found.words() and " or 240 ns (" in found.words()
    assert found.usual is None


def test_a_state_that_does_not_last_a_sample_is_none():
    dice = np.random.default_rng(1)
    probes = dice.choice([45.0, 240.0], 2000) * np.exp(dice.normal(0, 0.05, 2000))
    assert tell_apart(around(probes)) == States()


def test_a_clock_that_changes_is_no_state():
    probes = in_turn(np.random.default_rng(2), 2000, {45.0: 0.5, 60.0: 0.5})
    assert tell_apart(around(probes)) == States()


def test_nothing_is_told_apart_without_probes():
    assert tell_apart([]) == tell_apart([(None, None)] * 50) == States()
    assert tell_apart([(45.0, 46.0)] * 3 + [(240.0, 250.0)] * 3) == States(), "six samples"


def test_what_a_virtual_machine_of_two_processors_did():
    """Probes 3 ms apart: the hyperthreads of a core, cores of one cache, of two."""
    words = (HERE / "data" / "transfers.txt").read_text().split()
    probes = [None if word == "-" else float(word) for word in words]
    found = tell_apart(list(zip(probes, probes[1:], strict=False)))
    assert [(s.name, s.transfer_ns) for s in found.states] == [
        ("near", pytest.approx(27, abs=3)),
        ("middle", pytest.approx(54, abs=3)),
        ("far", pytest.approx(210, abs=10)),
    ]
    assert sum(s.share for s in found.states) == pytest.approx(1)
    assert found.between / found.samples < 0.1


def test_the_program_that_probes(tmp_path: Path):
    here = sorted(os.sched_getaffinity(0))
    transfers = Transfers(here)
    taken = [transfers.probe() for _ in range(50)]
    transfers.end()
    found = [ns for ns in taken if ns is not None]
    assert bool(found) == (len(here) > 1) and all(1 < ns < 1e5 for ns in found)
    nowhere = Transfers([here[0], 100_000])
    assert nowhere.probe() is None, "a thread cannot be bound there"
    nowhere.end()
    asked = subprocess.run([native.require("weir-transfers"), "serve", "0"], capture_output=True, text=True)
    assert asked.returncode == 2 and "usage" in asked.stderr


WHERE = {"members": 2, "processors": 2, "pinned": True, "load": "none", "delay_ns": 100}
PER_RUN = 40


def row(name: str, run: int, costs: tuple[float, float], **changes: dict) -> dict:
    """A series on a machine that is near for twenty samples and far for ten. Its costs are those of the state, and all
    drift alike."""
    probes = [240.0 if i // 10 % 3 == 2 else 45.0 for i in range(run * PER_RUN, (run + 1) * PER_RUN + 1)]
    values = [costs[after > 100] * (1 + i % 7 / 50) for i, after in enumerate(probes[1:])]
    made = {
        "kind": "overhead",
        "session": "s",
        "what": {"family": "weir", "id": name, "algorithm": name, "waiting": "auto"},
        "where": WHERE,
        "how": {"run": run, "rejected": None, "method": "overhead"},
        "samples": dict.fromkeys(records.LISTS, values)
        | {"transfer_before_ns": probes[:-1], "transfer_after_ns": probes[1:]},
    }
    return made | {name: made[name] | change for name, change in changes.items()}


def test_a_row_is_divided_by_state_and_keeps_its_turns():
    parts = split([row("a", run, (100, 700)) for run in range(3)])
    for part in parts:
        lists, state = part["samples"], part["where"]["state"]
        assert {len(values) for values in lists.values()} == {len(lists["turn"])}
        for value, turn in zip(lists["overhead_ns"], lists["turn"], strict=True):
            assert value == pytest.approx({"near": 100, "far": 700}[state.name] * (1 + turn % 7 / 50))
    assert [(p["how"]["run"], p["where"]["state"].name) for p in parts] == [
        (run, name) for run in range(3) for name in ("near", "far")
    ]
    assert sum(len(p["samples"]["turn"]) for p in parts) == 3 * PER_RUN - 8, "where it changes, a sample is of none"
    (told,) = states([row("a", run, (100, 700)) for run in range(3)]).values()
    assert told.between == 8 and split(parts) == parts


def test_rows_of_one_state_stay_as_they_are():
    near = row("a", 0, (100, 700))
    for name in records.PROBES:
        near["samples"][name] = [45.0 + i % 3 for i in range(PER_RUN)]
    old = row("b", 0, (100, 700))
    for name in records.PROBES:
        del old["samples"][name]
    machine = {"kind": "machine", "id": "s", "host": {}}
    assert split([machine, near, old]) == [machine, near, old] and states([machine, near, old]) == {}
    mixed = split([row("a", run, (100, 700)) for run in range(3)] + [old])
    assert old in mixed, "without probes there are no states"


def test_a_state_with_too_few_samples_is_left_out():
    rows = [row("a", run, (100, 700)) for run in range(3)]
    few = row("b", 0, (100, 700))
    few["samples"] = {n: [*v[:10], *v[20 : 19 + FEWEST]] for n, v in few["samples"].items()}
    assert [p["where"]["state"].name for p in split([*rows, few]) if p["what"]["id"] == "b"] == ["near"]


def test_a_place_with_too_few_samples_is_not_divided():
    rows = [row("a", run, (100, 700)) for run in range(3)]
    few = [row(name, 0, (100, 700), where={"members": 4}) for name in ("a", "b")]
    for one in few:
        one["samples"] = {n: [*v[:5], *v[20:25]] for n, v in one["samples"].items()}
    assert [p for p in split([*rows, *few]) if p["where"]["members"] == 4] == few


def test_samples_that_outlast_a_state_are_whole_in_each():
    rows = [row(name, run, (100, 700)) for name in "ab" for run in range(3)]
    slow = row("slow", 0, (100, 700))
    slow["samples"]["transfer_before_ns"] = [45.0, 240.0, 240.0, 45.0] * (PER_RUN // 4)
    slow["samples"]["transfer_after_ns"] = [240.0, 45.0, 240.0, 45.0] * (PER_RUN // 4)
    parts = [p for p in split([*rows, slow]) if p["what"]["id"] == "slow"]
    assert [(p["where"]["state"].name, p["how"]["of_all_states"]) for p in parts] == [("near", True), ("far", True)]
    assert all(p["samples"] == slow["samples"] for p in parts)
    blind = row("blind", 0, (100, 700))
    blind["samples"] |= {name: [None] * PER_RUN for name in records.PROBES}
    parts = [p for p in split([*rows, blind]) if p["what"]["id"] == "blind"]
    assert all(p["samples"] == blind["samples"] for p in parts) and len(parts) == 2
    half = [r for r in rows if r["what"]["id"] == "a"] + [slow]
    assert split(half) == half, "where half of the series outlast the states, none is divided"


def test_a_run_that_was_not_clean_for_its_states_may_be_clean_in_each():
    rows = [row("a", run, (100, 700), how={"rejected": "9 of 40 values lie beyond 3 sigma"}) for run in range(3)]
    assert all(p["how"]["rejected"] is None for p in split(rows))


def mostly_near(name: str, run: int, per_run: int = 400) -> dict:
    """A series on a machine that is far for 8 of 400 samples."""
    probes = [240.0 if 200 <= i < 209 else 45.0 for i in range(per_run + 1)]
    values = [(700 if after > 100 else 100) * (1 + i % 7 / 50) for i, after in enumerate(probes[1:])]
    made = row(name, run, (100, 700))
    made["samples"] = dict.fromkeys(records.LISTS, values)
    made["samples"] |= {"transfer_before_ns": probes[:-1], "transfer_after_ns": probes[1:]}
    return made


def test_a_state_that_nearly_always_holds_is_the_figures_and_the_others_are_apart():
    rows = [mostly_near("a", run) for run in range(3)]
    (told,) = states(rows).values()
    assert told.usual is not None and told.usual.name == "near"
    kept = split(rows)
    assert all("state" not in r["where"] and max(r["samples"]["episode_ns"]) < 200 for r in kept) and len(kept) == 3
    apart = exceptions(rows)
    assert {r["where"]["state"].name for r in apart} == {"far"}
    assert all(min(r["samples"]["episode_ns"]) > 600 for r in apart)
    (said,) = in_words(rows, usual=True)
    assert said.startswith("During 2% of the time a cache line took 240 ns from one processor to another instead of 45")
    assert in_words(rows, usual=False) == []


def test_where_two_states_are_usual_none_is_an_exception():
    rows = [row("a", run, (100, 700)) for run in range(3)]
    assert exceptions(rows) == [] and in_words(rows, usual=True) == [] and len(in_words(rows, usual=False)) == 1
