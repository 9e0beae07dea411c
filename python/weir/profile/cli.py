"""`weir profile -- program`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from weir.base import native, options, records
from weir.base.console import OF_PROGRAMS, Command, bar, err, fail, warn
from weir.base.names import Unknown
from weir.base.options import option
from weir.base.outputs import prepare, writing
from weir.base.screen import nanoseconds
from weir.profile import counting, measuring, pricing, tables
from weir.profile.counting import Directive, Profile


def profile(
    context: typer.Context,
    overheads: Annotated[
        Path | None, option(options.InputFile(), help="Records of weir bench openmp to use instead of measuring.")
    ] = None,
    output: Annotated[
        Path | None, option(options.OutputFile(".json"), "-o", "--output", help="Also write the table as JSON.")
    ] = None,
) -> None:
    """Count an OpenMP program's directives, and show what they cost: weir profile -- PROGRAM [ARGUMENTS]."""
    try:
        seen = counting.run(context.args)
    except counting.NoProgram as error:
        raise fail(str(error)) from None
    if not seen.counts:
        raise _nothing(seen, context.args[0])
    if seen.uncounted:
        warn(f"{seen.uncounted} threads are not counted: the table holds {counting.ROWS}")
    if seen.full:
        warn(f"{seen.full} directives are not counted: a thread met more than 240 kinds of them and team sizes")
    try:
        known = _from_records(overheads) if overheads else _measured(list(seen.counts))
    except (native.NativeError, Unknown, OSError) as error:
        raise fail(str(error)) from None
    except KeyboardInterrupt:
        known = {}
    lines = pricing.bill(seen.counts, known)
    show(lines, seen)
    if output:
        prepare(output)
        with writing(output):
            output.write_text(json.dumps(pricing.as_json(lines, seen), indent=1) + "\n", encoding="utf-8")
    # A signal becomes 128 and its number, as in a shell.
    raise typer.Exit(seen.status if seen.status >= 0 else 128 - seen.status)


def _nothing(seen: Profile, program: str) -> typer.Exit:
    if seen.status != 0:
        err.print(f"{program} ended with status {seen.status} and had executed no OpenMP directive")
        return typer.Exit(seen.status if seen.status > 0 else 128 - seen.status)
    return fail(
        f"{program} executed no OpenMP directive that could be counted. Either it has none, or its runtime is linked "
        "statically (link it dynamically), or it may not be preloaded into (setuid)"
    )


def _measured(directives: list[Directive]) -> pricing.Table:
    sessions, lost = measuring.planned(directives)
    for word in lost:
        warn(word)
    with bar() as progress:
        task = progress.add_task("measuring what they cost", total=sum(one.steps() for one in sessions))
        table, interrupted = measuring.measured(sessions, lambda n: progress.advance(task, n))
    if interrupted:
        warn("interrupted: what was not measured has no price")
    return table


def _from_records(file: Path) -> pricing.Table:
    rows, complaints = records.read([file])
    for complaint in complaints:
        warn(complaint)
    return measuring.from_records(rows, file)


def show(lines: list[pricing.Line], seen: Profile) -> None:
    """On standard error: standard output is the program's."""
    err.print(tables.bill(lines, seen.wall_s))
    total = sum(line.total_ns for line in lines)
    if total <= 1e9 * seen.wall_s:
        err.print(
            f"It ran {seen.wall_s:.3f} s, and its directives cost about {nanoseconds(total)} of that: "
            f"{total / 1e7 / seen.wall_s:.1f} %."
        )
    else:
        warn(
            f"It ran {seen.wall_s:.3f} s, and at these prices its directives would cost {nanoseconds(total)}: they "
            "cost less. Prices are of threads that all contend without a pause; or its teams ran at the same time, or "
            "the machine was busy while the prices were measured"
        )
    if any(line.nearest for line in lines):
        err.print("≈: measured with another number of threads, the nearest.")


COMMAND = Command("profile", profile, OF_PROGRAMS)
