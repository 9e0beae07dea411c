"""`weir doctor PID`, `weir doctor -- program`: would it gain by Weir?"""

import json
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from weir.base import options
from weir.base.console import OF_PROGRAMS, Command, bar, err, fail, out
from weir.base.options import option
from weir.doctor import judging, telling, watching
from weir.doctor.proc import Proc
from weir.doctor.telling import Told
from weir.doctor.watching import CannotWatch, Watched
from weir.run import starting
from weir.run.starting import CannotRun

LEAST_S, PROCESS_S, PROGRAM_S = 0.1, 1.0, 10.0


def doctor(
    context: typer.Context,
    seconds: Annotated[
        float | None,
        option(
            options.Real(LEAST_S, options.MOST_SECONDS, "seconds"),
            help="How long to watch (a process 1, a program at most 10, after which it is ended).",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was found as JSON. The program's output then goes to stderr.")
    ] = False,
) -> None:
    """Should I use Weir here? Watch a running process: weir doctor PID.

    Or start a program and watch it: weir doctor -- PROGRAM [ARGUMENTS].
    """
    try:
        if not Proc().there():
            raise CannotWatch("it reads /proc of Linux, which is not here")
        if not context.args:
            raise CannotWatch("watch what? weir doctor PID, or weir doctor -- PROGRAM [ARGUMENTS]")
        number = _number(context.args)
        if number is None:
            told, console = _of_program(context.args, seconds or PROGRAM_S, as_json), err
        else:
            told, console = _of_process(number, seconds or PROCESS_S), out
    except (CannotWatch, CannotRun) as error:
        raise fail(f"doctor: {error}") from None
    if as_json:
        print(json.dumps(telling.as_json(told), indent=1))
    else:
        telling.show(told, console)
    if told.watched.interrupted:
        raise typer.Exit(130)
    raise typer.Exit(1 if told.verdict.answer == "unclear" else 0)


def _number(words: Sequence[str]) -> int | None:
    """None of a program. Raises CannotWatch."""
    if not words[0].isascii() or not words[0].isdigit():
        return None
    if len(words) > 1:
        raise CannotWatch(f"one process at a time: weir doctor {options.shortened(words[0])[1:-1]}")
    if len(words[0]) > 18:
        raise CannotWatch(f"there is no process {options.shortened(words[0])[1:-1]}")
    return int(words[0])


def _of_process(number: int, seconds: float) -> Told:
    if number == 0:
        raise CannotWatch("there is no process 0")
    if err.is_terminal:
        with bar() as progress:
            task = progress.add_task(f"watching process {number}", total=seconds)
            watched = watching.process(number, seconds, lambda done: progress.update(task, completed=done))
    else:
        watched = watching.process(number, seconds)
    if watched.sample.ended and watched.sample.seconds < judging.SHORT_S:
        raise CannotWatch(f"process {number} ended while it was watched")
    root = watched.sample.processes[0]
    return _told(watched, judging.command(root, f"/proc/{root.number}/cwd"), started=False)


def _of_program(words: list[str], seconds: float, as_json: bool) -> Told:
    found = starting.program(words, of="weir doctor")
    if err.is_terminal:
        err.print(f"Watching {words[0]} for at most {seconds:g} s.", highlight=False, markup=False)
    sys.stdout.flush()
    watched = watching.program(words, str(found), seconds, out=sys.stderr.fileno() if as_json else None)
    return _told(watched, tuple(words), started=True)


def _told(watched: Watched, words: tuple[str, ...], started: bool) -> Told:
    number = watched.sample.processes[0].number if watched.sample.processes else os.getpid()
    verdict = judging.judged(watched.sample, words, started, number)
    return Told(watched, judging.Evidence(watched.sample), verdict)


COMMAND = Command(
    "doctor", doctor, OF_PROGRAMS | {"options_metavar": "[OPTIONS] PID | [OPTIONS] -- PROGRAM [ARGUMENTS]"}
)
