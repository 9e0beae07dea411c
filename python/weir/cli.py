"""The `weir` command: the commands of all subjects, in the order in which --help lists them."""

from weir.barriers import cli as barriers
from weir.base.console import assembled
from weir.building import cli as building
from weir.doctor import cli as doctor
from weir.explorer import cli as explorer
from weir.info import cli as info
from weir.mpi import cli as mpi
from weir.openmp import cli as openmp
from weir.prediction import cli as prediction
from weir.profile import cli as profile
from weir.report import cli as report
from weir.run import cli as run
from weir.scale import cli as scale
from weir.simulation import cli as simulation
from weir.threads import cli as threads
from weir.tracing import cli as tracing
from weir.workloads import cli as workloads

COMMANDS = (
    run.COMMAND,
    doctor.COMMAND,
    info.COMMAND,
    barriers.COMMAND,
    openmp.COMMAND,
    mpi.COMMAND,
    threads.COMMAND,
    workloads.COMMAND,
    profile.COMMAND,
    tracing.COMMAND,
    report.COMMAND,
    simulation.COMMAND,
    scale.COMMAND,
    prediction.COMMAND,
    explorer.COMMAND,
    building.COMMAND,
)
app = assembled(COMMANDS, "Barriers for machines that are shared.")
