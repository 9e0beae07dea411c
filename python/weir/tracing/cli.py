"""`weir trace -- program`."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from weir.base import options
from weir.base.console import OF_PROGRAMS, Command, err, fail, warn
from weir.base.options import option
from weir.base.outputs import prepare, writing
from weir.base.screen import nanoseconds
from weir.profile.counting import NoProgram
from weir.tracing import recording
from weir.tracing.recording import LOCK, MOST_BARRIERS, NotRecorded, Recording
from weir.tracing.writing import write

DEFAULT = Path("out") / "trace.jsonl"


def trace(
    context: typer.Context,
    output: Annotated[
        Path, option(options.OutputFile(".jsonl"), "-o", "--output", help="Where the trace goes.")
    ] = DEFAULT,
    threads: Annotated[
        int | None, option(options.Whole(2, 4096), help="The team's size (OMP_NUM_THREADS); may exceed the machine.")
    ] = None,
    barriers: Annotated[
        int, option(options.Whole(1, MOST_BARRIERS), help="How many barriers are recorded at most.")
    ] = 10_000,
    skip: Annotated[
        int, option(options.Whole(0, MOST_BARRIERS), help="How many barriers are left out before that.")
    ] = 0,
    runs: Annotated[
        int,
        option(options.Whole(1, 1_000), help="Runs; times are the least of them. All must do the same."),
    ] = 1,
) -> None:
    """Record an OpenMP program for the simulator: weir trace -- PROGRAM [ARGUMENTS]."""
    prepare(output)
    try:
        recording, used = _recorded(context.args, threads, skip, barriers, runs)
    except NotRecorded as error:
        raise fail(str(error), _exit_status(error.status) or 2) from None
    except NoProgram as error:
        raise fail(str(error)) from None
    program = " ".join([Path(context.args[0]).name, *context.args[1:]])
    with writing(output):
        write(recording, output, {"program": program, "skipped": skip, "runs": used})
    _say(recording, output)
    raise typer.Exit(_exit_status(recording.status))


def _recorded(words: list[str], threads: int | None, skip: int, barriers: int, runs: int) -> tuple[Recording, int]:
    """And of how many runs it is. Ends with the first that fails, as one does by Ctrl-C, which is for the program."""
    done: list[Recording] = []
    while len(done) < runs and (not done or done[-1].status == 0):
        done.append(recording.record(words, threads, skip, barriers))
    used = done if done[-1].status == 0 else done[:-1] or done
    return replace(recording.least(used), status=done[-1].status), len(used)


def _exit_status(status: int) -> int:
    """A signal becomes 128 and its number, as in a shell."""
    return status if status >= 0 else 128 - status


def _say(recording: Recording, output: Path) -> None:
    """On standard error: standard output is the program's."""
    locks = sum(int((ends == LOCK).sum()) for ends in recording.ends)
    mean = sum(int(ns.sum()) for ns in recording.ns) / recording.members / max(1, recording.barriers)
    err.print(
        f"{output}: {recording.members} members, {recording.barriers:,} barriers, {locks:,} locks taken; a member "
        f"computes {nanoseconds(mean)} between barriers",
        highlight=False,
        soft_wrap=True,
    )
    if recording.barriers:
        name = output.with_suffix(".toml")
        first, last = f"To simulate it, make {name} of these lines:", f"and run: weir simulate {name}"
        for line in (first, _scenario(recording, output), last):
            err.print(line, markup=False, highlight=False, soft_wrap=True)
    if recording.torn:
        warn("the program ended inside of a region: the trace ends with the last barrier that all members passed")
    if recording.cut:
        warn(f"the program went on after these {recording.barriers:,} barriers: --barriers takes more")


def _scenario(recording: Recording, output: Path) -> str:
    trace = json.dumps(output.name)  # of the scenario's folder; TOML's strings are JSON's
    return (
        f'machine = "manycore-1024"\nprocessors = {min(recording.members, 1024)}\n[[application]]\nbarrier = "sense"\n'
        f'trace = {trace}\n[sweep]\n"application.barrier" = ["sense", "mcs"]'
    )


COMMAND = Command("trace", trace, OF_PROGRAMS)
