"""The `weir` command: the commands of all subjects, in the order in which --help lists them."""

from typing import Annotated

import typer

from weir.advising import cli as advising
from weir.barriers import cli as barriers
from weir.base import native
from weir.base.console import assembled, out
from weir.building import cli as building
from weir.comparing import cli as comparing
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
from weir.simulation.openmp import cli as simulated_openmp
from weir.threads import cli as threads
from weir.tracing import cli as tracing
from weir.tuning import cli as tuning
from weir.workloads import cli as workloads

COMMANDS = (
    run.COMMAND,
    doctor.COMMAND,
    advising.COMMAND,
    info.COMMAND,
    tuning.COMMAND,
    barriers.COMMAND,
    openmp.COMMAND,
    mpi.COMMAND,
    threads.COMMAND,
    workloads.COMMAND,
    profile.COMMAND,
    tracing.COMMAND,
    report.COMMAND,
    comparing.COMMAND,
    simulation.COMMAND,
    simulated_openmp.COMMAND,
    scale.COMMAND,
    prediction.COMMAND,
    explorer.COMMAND,
    building.COMMAND,
)


def _show_version(asked: bool) -> None:
    if not asked:
        return
    try:
        libraries = native.ask("weir-info")["version"]
        where = f"programs and libraries {libraries}: {native.require('weir-info').parent}"
    except native.NativeError as error:
        libraries, where = native.version(), f"no programs and libraries: {error}"
    out.print(f"weir {libraries if native.in_tree() else native.version()}\n{where}", highlight=False, soft_wrap=True)
    raise typer.Exit


def weir(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Barriers for machines that are shared."""


app = assembled(COMMANDS, weir)
