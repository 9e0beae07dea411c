"""What is tried: team sizes, bound and not, and the barriers that stand against the usual one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weir.barriers.plan import Part, Session
from weir.base.driver import Subject
from weir.base.names import BY_LEVELS

USUAL = "weir:auto/auto"
MOST_TIMES = 4  # as many threads as processors
# First all barriers, with few samples; then those that came close, with the usual one, until the time is up.
SCREENED, SCREENING_S = 6, 0.1
SAMPLES, MOST_ROUNDS, SERIES_S = 10, 30, 0.25
CLOSE, MOST_CLOSE = 1.25, 4


@dataclass(frozen=True, order=True)
class Team:
    """So many threads, each bound to a processor in turn, or none bound."""

    members: int
    bound: bool


def sizes(processors: int) -> list[int]:
    powers = [2**k for k in range(1, 17) if 2**k <= MOST_TIMES * processors]
    return sorted({2, max(2, processors), *powers})


def teams(processors: int) -> list[Team]:
    return [Team(members, bound) for members in sizes(processors) for bound in (False, True)]


@dataclass(frozen=True)
class Barriers:
    """The barriers that may stand against the usual one: all that have a name, waiting as `auto` does."""

    usual: Subject
    others: tuple[Subject, ...]
    placed: frozenset[str]  # those that are nothing special where it is not known who runs where
    made: Mapping[Team, Subject] = field(default_factory=dict)  # plans by levels, from a simulation of this machine

    def against(self, team: Team, taken: str | None) -> list[Subject]:
        """But for the one that `auto` takes: it would be compared with itself."""
        named = [s for s in self.others if s.algorithm != taken and (team.bound or s.algorithm not in self.placed)]
        return [*named, *filter(None, [self.made.get(team)])]


def plans_known(profile: dict[str, Any]) -> dict[Team, str]:
    """The plans by levels of the profile in use, as weir-info shows it: those that a simulation has found for this
    machine stand against what is measured."""
    return {
        Team(size["members"], size["placed"]): size["barrier"]
        for size in profile.get("sizes", ())
        if size["barrier"].startswith(BY_LEVELS)
    }


def barriers(
    found: Sequence[Subject], host: dict[str, Any], made: Mapping[Team, Subject] | None = None
) -> Barriers | None:
    """None where the usual one cannot be measured."""
    known = {a["name"]: a for a in host["algorithms"]}
    others = tuple(s for s in found if s.family == "weir" and s.waiting == "auto" and s.algorithm in known)
    placed = frozenset(name for name, entry in known.items() if entry.get("placed"))
    usual = next((s for s in found if s.id == USUAL), None)
    return usual and Barriers(usual, others, placed, made or {})


def session(
    processors: list[int], tried: dict[Team, list[Subject]], usual: Subject, rounds: int, samples: int, budget_s: float
) -> Session:
    """One part for each team, small ones first: they are the most used, and the time may not suffice for all."""
    parts = [
        Part((usual, *others), (team.members,), rounds, samples, "none", team.bound, 1.0, budget_s)
        for team, others in sorted(tried.items())
        if others
    ]
    return Session(processors, parts)
