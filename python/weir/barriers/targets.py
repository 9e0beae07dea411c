"""Weir's targets for barriers of threads, compared with the figures of a session."""

from dataclasses import replace

from weir.barriers.comparison import Comparison, Figure, ratio
from weir.base.screen import nanoseconds
from weir.base.targets import Target

LARGEST_WASTE = 0.10


def _against(a: Figure, b: Figure, what: str, limit: float, members: int) -> list[Target]:
    measured = ratio(a, b)
    if measured is None or a.in_the_noise:  # an overhead that may be zero cannot be compared
        return []
    return [Target(members, what, measured, limit, f"{a.name} against {b.name}")]


def _dedicated(c: Comparison) -> list[Target]:
    rows: list[Target] = []
    if c.best_weir and c.best_peer:
        rows += _against(c.best_weir, c.best_peer, "Weir's best / best of other libraries", 1.0, c.place.members)
    if c.default and c.best_weir:
        rows += _against(c.default, c.best_weir, "default / Weir's best", 1.1, c.place.members)
    return rows


def _deprived(c: Comparison) -> list[Target]:
    rows: list[Target] = []
    if c.default and c.best_peer:
        rows += _against(c.default, c.best_peer, "default / best of other libraries", 1.0, c.place.members)
    if c.default and c.floor:
        measured = ratio(c.default, c.floor, times=c.floor_steps)
        if measured:
            what = "default / context switches of the fullest processor"
            detail = f"{c.floor_steps} context switches of {nanoseconds(c.floor.distribution().median.value)}"
            rows.append(Target(c.place.members, what, measured, 1.2, detail))
    return rows


def _beside_others(c: Comparison) -> list[Target]:
    if c.default is None or not (waste := c.default.waste()).known:
        return []
    return [
        Target(
            c.place.members,
            "processor time beyond computing, beside a busy process on each processor",
            waste,
            LARGEST_WASTE,
            "share of the team's processor time",
            is_share=True,
        )
    ]


def _in_its_state(target: Target, c: Comparison) -> Target:
    return replace(target, detail=f"{target.detail}; {c.place.state.words()}") if c.place.state.name else target


def targets(comparisons: list[Comparison]) -> list[Target]:
    rows: list[Target] = []
    for c in comparisons:
        shared = c.place.members > c.place.processors
        made = _beside_others(c) if c.place.load == "busy" else _deprived(c) if shared else _dedicated(c)
        rows += [_in_its_state(target, c) for target in made]
    return rows
