"""Weir: barriers measured, simulated and drawn. The command is `weir`; this is what it is made of.

A file may hold rows of all subjects, so whoever reads one knows the fields of all.
"""

from weir.advising.fields import ROWS as ADVISING
from weir.barriers.fields import ROWS as BARRIERS
from weir.base import records
from weir.comparing.fields import ROWS as COMPARING
from weir.mpi.fields import ROWS as MPI
from weir.openmp.fields import ROWS as OPENMP
from weir.prediction.fields import ROWS as PREDICTION
from weir.run.fields import ROWS as RUN
from weir.scale.fields import ROWS as SCALE
from weir.simulation.fields import ROWS as SIMULATION
from weir.simulation.openmp.fields import ROWS as SIMULATED_OPENMP
from weir.threads.fields import ROWS as THREADS
from weir.workloads.fields import ROWS as WORKLOADS

records.declare(BARRIERS + PREDICTION + OPENMP + SIMULATED_OPENMP + MPI + THREADS + WORKLOADS + ADVISING + RUN)
records.declare(SIMULATION + SCALE + COMPARING)
