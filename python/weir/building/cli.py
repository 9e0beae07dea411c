"""`weir build mpi`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from weir.base import native, options
from weir.base.console import Command, fail, out, warn
from weir.base.options import option
from weir.building import local_mpi

app = typer.Typer(no_args_is_help=True, help="Build what depends on this machine's software.")


@app.command()
def mpi(
    jobs: Annotated[
        int | None, option(options.Whole(1, 1024), help="Simultaneous compilers (one for each processor).")
    ] = None,
) -> None:
    """Build barriers over this machine's MPI: for weir bench mpi, weir run --mpi and weir scale."""
    folder = native.built_here()
    try:
        tools = local_mpi.tools()
        for word in tools.words:
            out.print(f"found {word}", highlight=False, soft_wrap=True)
        for word in tools.missing:
            warn(f"left out: {word}")
        built = local_mpi.build(tools, folder, jobs or len(os.sched_getaffinity(0)))
    except local_mpi.CannotBuild as error:
        raise fail(str(error)) from None
    except OSError as error:
        raise fail(f"{error.filename or folder}: {error.strerror}") from None
    out.print(f"{', '.join(Path(path).name for path in built)}: in {folder}", highlight=False, soft_wrap=True)


COMMAND = Command("build", app)
