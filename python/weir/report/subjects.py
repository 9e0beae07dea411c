"""The subjects of a page, in the order in which it shows them: a new one is one more line."""

from weir.advising import section as advising
from weir.barriers import section as barriers
from weir.base.parts import Subject
from weir.mpi import section as mpi
from weir.openmp import section as openmp
from weir.run import section as comparisons
from weir.scale import section as scale
from weir.simulation import section as simulation
from weir.threads import section as threads
from weir.workloads import section as workloads

SUBJECTS: tuple[Subject, ...] = (
    barriers.SUBJECT,
    openmp.SUBJECT,
    mpi.SUBJECT,
    threads.SUBJECT,
    workloads.SUBJECT,
    comparisons.SUBJECT,
    advising.SUBJECT,
    scale.SUBJECT,
    simulation.SUBJECT,
    simulation.OF_OPENMP,
)
