"""What the papers found, compared with what the simulation finds.

Each finding is the paper's own statement, with the place where it stands; `holds` is computed from the runs. Where the
simulation does not reproduce one, `why` gives the reason as far as it is known.
"""

from weir.simulation.findings import bauskar, gao, markatos, nanjegowda, zhang
from weir.simulation.findings.finding import Finding
from weir.simulation.findings.published import OF, Published, called
from weir.simulation.results import Results

__all__ = ["Finding", "Published", "called", "findings", "published"]

_OF = {**bauskar.JUDGES, **gao.JUDGES, **markatos.JUDGES, **nanjegowda.JUDGES, **zhang.JUDGES}


def findings(results: Results) -> list[Finding]:
    """Of a scenario that has run in full; none for one that no paper speaks of."""
    judge = _OF.get(results.name)
    return judge(results) if judge is not None and results.is_complete else []


def published(results: Results) -> Published | None:
    """The paper of a scenario that comes with Weir."""
    return OF.get(results.name)
