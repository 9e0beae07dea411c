"""What the papers found, compared with what the simulation finds.

Each finding is the paper's own statement, with the place where it stands; `holds` is computed from the runs. Where the
simulation does not reproduce one, `why` gives the reason as far as it is known.
"""

from weir.simulation.findings import paper000, paper001, paper002
from weir.simulation.findings.finding import Finding
from weir.simulation.results import Results

__all__ = ["Finding", "findings"]

_OF = {**paper000.JUDGES, **paper001.JUDGES, **paper002.JUDGES}


def findings(results: Results) -> list[Finding]:
    """Of a scenario that has run in full; none for one that no paper speaks of."""
    judge = _OF.get(results.name)
    return judge(results) if judge is not None and results.is_complete else []
