"""The papers whose experiments Weir repeats, as pages, help and messages call them. docs/terms.md has their titles."""

MARKATOS = "Markatos et al. 1991"
NANJEGOWDA = "Nanjegowda et al. 2009"
ZHANG = "Zhang et al. 2003"
BULL = "Bull 1999"
GAO = "Gao et al. 2021"
BAUSKAR = "Bauskar and Sangle"  # a course report without a year

TITLES = {
    MARKATOS: "The Effects of Multiprogramming on Barrier Synchronization",
    NANJEGOWDA: "Scalability Evaluation of Barrier Algorithms for OpenMP",
    ZHANG: "Busy-Wait Barrier Synchronization Using Distributed Counters with Local Sensor",
    BULL: "Measuring Synchronisation and Scheduling Overheads in OpenMP",
    GAO: "Optimizing Barrier Synchronization on ARMv8 Many-Core Architectures",
    BAUSKAR: "a report on barriers with OpenMP and MPI",
}


def cited(paper: str) -> str:
    """Where a page first speaks of it."""
    return f"{paper} ({TITLES[paper]})"
