"""Bauskar and Sangle: barriers with every small number of threads."""

from weir.base.statistics import STRAIGHT, along_a_line
from weir.simulation.findings.finding import Finding, Judge
from weir.simulation.results import Results


def _openmp(r: Results) -> list[Finding]:
    found = []
    for machine in r.swept("machine"):
        sense, dissemination = (
            {n: r.value("overhead", barrier=b, members=n, machine=machine) for n in r.swept("members")}
            for b in ("sense", "dissemination")
        )
        shown = ", ".join(f"{t:.0f}" for t in dissemination.values())
        found += [
            Finding(
                "OpenMP, figure 2",
                f"Sense reversal rises linearly with 2 to 8 threads ({machine}).",
                f"R² = {along_a_line(sense):.2f}",
                along_a_line(sense) >= STRAIGHT,
                f"R² of {STRAIGHT} and more",
            ),
            Finding(
                "OpenMP, figure 3",
                f"Dissemination looks linear with 2 to 8 threads ({machine}).",
                f"R² = {along_a_line(dissemination):.2f}: {shown} ns",
                along_a_line(dissemination) >= STRAIGHT,
                f"R² of {STRAIGHT} and more",
                "It rises with its rounds, at 3 and 5 threads. Where processors lie in pairs, 8 threads take less time "
                "than 7, by as many transfers of a thread, over the same distances: which of them wait for each other "
                "differs.",
            ),
        ]
    return found


JUDGES: dict[str, Judge] = {"004-openmp": _openmp}
