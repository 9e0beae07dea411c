"""What the papers found, held against what the simulation finds.

Each finding is the paper's own statement, with the place where it stands; `holds` is computed from the runs. Where the
simulation does not reproduce one, `why` says what we know of the reason.
"""

from collections.abc import Callable
from dataclasses import dataclass

from weir.simulation.results import Results


@dataclass(frozen=True)
class Finding:
    source: str
    says: str
    simulated: str
    holds: bool
    why: str = ""


_OF: dict[str, Callable[[Results], list[Finding]]] = {}


def findings(results: Results) -> list[Finding]:
    """Of a scenario that has run in full; none for one that no paper speaks of."""
    judge = _OF.get(results.name)
    return judge(results) if judge is not None and results.is_complete else []
