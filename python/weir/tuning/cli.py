"""`weir tune`."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from weir.base import native, options, others, records
from weir.base.console import Command, bar, fail, nothing, out, warn
from weir.base.options import option
from weir.base.others import watched
from weir.simulation import machine_plan, scenario
from weir.tuning import profile_file, tables
from weir.tuning.judging import Finding
from weir.tuning.measuring import CannotTune, Measured
from weir.tuning.profile_file import NoProfile, Section
from weir.tuning.simulating import Simulated

LEAST_S, USUAL_S = 5.0, 150.0
PROFILES = ("", ".profile", ".txt")


def tune(
    machine: Annotated[
        str | None,
        option(options.Text("a machine's file, or its name"), help="Simulate this machine instead of measuring here."),
    ] = None,
    seconds: Annotated[
        float, option(options.Real(LEAST_S, options.MOST_SECONDS, "seconds"), help="How long to take at most, about.")
    ] = USUAL_S,
    output: Annotated[
        Path | None,
        option(options.OutputFile(*PROFILES), "-o", "--output", help="The profile (~/.config/weir/profile)."),
    ] = None,
    record: Annotated[
        Path, option(options.OutputFile(*options.RECORDS), "--records", help="Where the records go.")
    ] = Path("out/tune.jsonl"),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and do nothing.")] = False,
) -> None:
    """Find out which barriers are the fastest on this machine, so that Weir takes them: less than three minutes."""
    try:
        work: Measured | Simulated = Simulated(machine_plan.machine_file(machine)) if machine else Measured()
        to = output or (Path("out") / f"{Path(machine).stem}.profile" if machine else profile_file.usual_place())
        profile_file.require_profile(to)
        if dry_run:
            _show(work, to)
            return
        writer = records.Writer(record)
        with writer, watched(writer), bar() as progress:
            task = progress.add_task("starting", total=seconds)
            found = work.run(
                seconds, writer, lambda what, s: progress.update(task, description=what, completed=min(s, seconds))
            )
    except (CannotTune, NoProfile, native.NativeError, scenario.BadScenario, OSError) as error:
        raise fail(f"tune: {error}") from None
    for complaint in work.complaints:
        warn(complaint)
    if not any(f.decided for f in found):
        raise nothing(to, work.interrupted)
    section = _section(work, found)
    out.print(tables.found(found, f"{section.about}: {section.signature}"))
    if isinstance(work, Measured) and (share := others.disturbed(writer.rows)):
        raise fail(
            f"tune: other programs had {share:.0%} of the processors meanwhile, and a profile is of an idle machine: "
            f"{to} is left as it was. Repeat it on an idle machine; what was measured is in {record}",
            status=1,
        )
    try:
        profile_file.write(to, section, warn)
    except (NoProfile, OSError) as error:
        raise fail(f"tune: {error}") from None
    _tell(section, to, record)
    if work.interrupted:
        out.print("Interrupted; what is known until then is kept.")
        raise typer.Exit(130)


def _section(work: Measured | Simulated, found: list[Finding]) -> Section:
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    if isinstance(work, Simulated):
        about = work.about
        return Section(about["signature"], about["processors"], today, True, about["machine"], found)
    return Section(work.host["signature"], len(work.processors), today, False, work.host["cpu_model"], found)


def _show(work: Measured | Simulated, to: Path) -> None:
    if isinstance(work, Measured):
        out.print(tables.planned(work.teams, work.barriers))
    else:
        sizes = ", ".join(map(str, work.sizes))
        barriers = ", ".join(work.barriers)
        out.print(f"Would simulate {work.about['machine']} with {sizes} threads: {barriers}", highlight=False)
    out.print(f"The profile would be {to}", highlight=False, soft_wrap=True)


def _tell(section: Section, to: Path, record: Path) -> None:
    gained = sum(f.barrier is not None for f in section.findings)
    decided = sum(f.decided for f in section.findings)
    said = f"{gained} of {decided} team sizes" if gained else "Weir's usual choice is as good as any, so no team size"
    out.print(
        f"{said} {'have' if gained > 1 else 'has'} another barrier in the profile {to}", highlight=False, soft_wrap=True
    )
    if to != profile_file.usual_place():
        out.print(
            f"It is used on a machine with {section.signature} if WEIR_PROFILE={to}, or as /etc/weir/profile or "
            f"{profile_file.usual_place()}",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
    out.print(
        f"Records: {record}. For the page: weir report {record}. Is it used: weir info", highlight=False, soft_wrap=True
    )


COMMAND = Command("tune", tune)
