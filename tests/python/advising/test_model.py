"""The model finds what the times are made of, and predicts sizes that it has not seen; without the term it cannot."""

from collections.abc import Iterable
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weir.advising import model, sizes
from weir.advising.model import DEALT, EACH, SHARED, WORK, Term
from weir.advising.sizes import Size

from .made_up import Truth


def staircase(m: int, p: int) -> float:
    return 0.02 + 0.4 * ceil(m / p) / m


def fluid(m: int, p: int) -> float:
    return 0.02 + 0.4 / min(m, p)


def each(m: int, p: int) -> float:
    """The paper's synthetic program, on processors that slow each other."""
    return 0.01 + 0.1 * ceil(m / p) * (1 + 0.8 * (1 - 1 / min(m, p)))


def serial(m: int, p: int) -> float:
    return 0.3 + 0.1 * ceil(m / p) / m


def saturating(m: int, p: int) -> float:
    """Two processors use all of the memory's bandwidth."""
    return 0.02 + 0.4 / min(m, p, 2)


def slowed(m: int, p: int) -> float:
    """Each of two processors computes at 0.7 of its speed beside the other."""
    return 0.01 + 0.4 * ceil(m / p) / m * (1 + 0.8 * (1 - 1 / min(m, p)))


def costly(m: int, p: int) -> float:
    """Barriers of which a thread that shares a processor costs as much as the work of a few."""
    return 0.02 + 0.4 * ceil(m / p) / m + 0.02 * (ceil(m / p) - 1) + 0.03 * log2(min(m, p))


def measured(truth: Truth, most: int) -> dict[Size, float]:
    """At the sizes that are measured."""
    those = [*sizes.matched(most), *sizes.staircase(most)]
    return {size: truth(size.members, size.processors) for size in those}


def worst(truth: Truth, most: int, places: Iterable[tuple[int, int]]) -> float:
    """Of the relative errors at sizes that were not measured."""
    known = measured(truth, most)
    found = model.model(known)
    assert found is not None
    unseen = [Size(p, m) for m, p in places if Size(p, m) not in known]
    assert len(unseen) > 5
    return max(abs(found.time(size) / truth(size.members, size.processors) - 1) for size in unseen)


HERE = [(m, p) for p in (1, 2) for m in range(1, 17)]
ON_EIGHT = [(m, p) for p in range(1, 9) for m in range(1, 17)]


@pytest.mark.parametrize("truth", [staircase, fluid, each, serial, slowed, costly])
def test_it_predicts_sizes_that_were_not_measured(truth: Truth):
    assert worst(truth, 2, HERE) < 0.02
    assert worst(truth, 8, ON_EIGHT) < 0.02


def test_it_finds_the_processors_that_saturate_the_memory():
    assert worst(saturating, 8, ON_EIGHT) < 0.02


@pytest.mark.parametrize(
    ("truth", "lacking"),
    [
        (staircase, {"dealt"}),
        (fluid, {"shared"}),
        (each, {"each"}),
        (serial, {"serial"}),
        (slowed, {"slowed-dealt"}),
        (costly, {"turns"}),
        (saturating, {"saturated-2"}),
    ],
)
def test_without_the_term_it_misses(truth: Truth, lacking: set[str], monkeypatch: pytest.MonkeyPatch):
    """A model that has lost the term of this truth is caught by the tests above."""
    every = model.forms
    monkeypatch.setattr(
        model, "forms", lambda known: (kept for terms in every(known) if len(kept := _without(terms, lacking)) > 1)
    )
    assert worst(truth, 8, ON_EIGHT) > 0.05


def _without(terms: tuple[Term, ...], lacking: set[str]) -> tuple[Term, ...]:
    """None of a form that loses its work."""
    lost = {term.name for term in terms} & lacking
    work = {term.name for term in terms if term in WORK or term.name.startswith("saturated")}
    return () if lost & work else tuple(term for term in terms if term.name not in lacking)


def test_the_steps_are_those_of_the_paper():
    """With 16 threads the time changes from 16 processors to 15, from 8 to 7, 6 to 5, 4 to 3, 3 to 2 and 2 to 1
    [paper 000, section 4.2]."""
    changes = [p for p in range(2, 17) if DEALT.of(16, p - 1) != DEALT.of(16, p)]
    assert changes == [2, 3, 4, 6, 8, 16]


@given(st.integers(1, 64), st.integers(1, 64))
def test_more_processors_never_take_longer_to_do_the_work(m: int, p: int):
    for term in (DEALT, SHARED, EACH):
        assert term.of(m, p + 1) <= term.of(m, p)
    assert DEALT.of(m, p) >= SHARED.of(m, p) > 0


def test_a_weight_is_never_negative():
    """Two processors are slower than one: no work is less than none."""
    found = model.model({Size(1, 1): 0.1, Size(2, 2): 0.3, Size(2, 4): 0.3, Size(1, 2): 0.1, Size(1, 4): 0.1})
    assert found is not None and all(weight >= 0 for fit in found.credible for weight in fit.weights)
    assert found.time(Size(4, 4)) > 0


@pytest.mark.parametrize("most", [1, 2])
def test_of_one_thread_and_the_whole_machine_alone_there_is_no_model(most: int):
    assert model.model({}) is None
    assert model.model({size: fluid(size.members, size.processors) for size in sizes.matched(most)}) is None


def test_the_range_holds_all_that_fits_as_well():
    known = measured(lambda m, p: staircase(m, p) * (1 + 0.05 * ((m * 7 + p) % 3)), 2)
    found = model.model(known)
    assert found is not None and len(found.credible) > 1
    for size in (Size(4, 4), Size(8, 8), Size(2, 6)):
        low, high = found.range(size)
        assert all(low < fit.time(size) < high for fit in found.credible)


def test_what_is_left_out_is_predicted_from_the_others_alone():
    """The size whose time is wrong does not tell of itself."""
    known = measured(staircase, 2)
    right = model.model(known).best.crossed[Size(2, 3)]
    wrong = model.model(known | {Size(2, 3): 3 * known[Size(2, 3)]})
    fit = model.fitted(model.model(known).best.terms, known | {Size(2, 3): 3 * known[Size(2, 3)]})
    assert fit.crossed[Size(2, 3)] == pytest.approx(right)
    assert wrong.best.worst > 0.5
