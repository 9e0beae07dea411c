"""`weir simulate`."""

from pathlib import Path
from typing import Annotated

import typer

from weir.base import native, options, records
from weir.base.complaints import Complaints
from weir.base.console import Command, bar, end, fail, nothing, out, refuse_others, warn
from weir.base.options import argument, option
from weir.simulation import history as timeline
from weir.simulation import machine_plan, scenario, tables
from weir.simulation.calibrate import summary
from weir.simulation.measuring import Calibration, Interrupted, Tell
from weir.simulation.running import Simulation

MOST_SEEDS, MOST_POINTS = 1_000_000, 1_000_000

app = typer.Typer(invoke_without_command=True, help="Simulate barriers, or OpenMP's constructs, on other machines.")


@app.callback()
def simulate(
    context: typer.Context,
    what: Annotated[
        str | None, argument(options.Text("a file, or the name of a scenario"), "SCENARIO", "A file, or a name.")
    ] = None,
    seeds: Annotated[
        int | None,
        option(options.Whole(1, MOST_SEEDS), help="Runs of each point, each with its own seed."),
    ] = None,
    seed: Annotated[int | None, option(options.Whole(0, 2**63 - 1), help="The first seed.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the scenario without running it.")] = False,
    history: Annotated[
        Path | None,
        option(
            options.OutputBase(".html", ".svg", ".json"),
            help="Write a timeline of one point to this name with .html, .svg and .json.",
        ),
    ] = None,
    point: Annotated[int, option(options.Whole(0, MOST_POINTS), help="Which point of the sweep --history shows.")] = 0,
    jobs: options.Jobs = None,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Fit a machine file to this machine, and compare (one to two minutes).")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="With --calibrate: take half a minute.")] = False,
    plan_for: Annotated[
        str | None,
        option(options.Text("a machine's file, or its name"), "--plan", help="Search for the fastest plan there."),
    ] = None,
    members: Annotated[
        int | None, option(options.Whole(2, 65536), help="With --plan: so many of its processors (all).")
    ] = None,
    machines: Annotated[
        Path | None, option(options.InputFolder(), help="A folder of machine files, instead of Weir's own.")
    ] = None,
    output: Annotated[
        Path | None, option(options.OutputFile(*options.RECORDS), "-o", "--output", help="Where the records go.")
    ] = None,
) -> None:
    """Simulate barriers on other machines: a scenario of yours, or one of the papers by its name."""
    if context.invoked_subcommand:
        refuse_others(context, (), context.invoked_subcommand)
        return
    allowed, mode = _goes_with(what, calibrate, plan_for, dry_run, history)
    refuse_others(context, allowed, mode)
    if calibrate:
        _calibrate(output or Path("out") / "here.jsonl", quick)
        return
    if plan_for is not None:
        try:
            found = machine_plan.found(plan_for, members)
        except (native.NativeError, scenario.BadScenario, OSError) as error:
            raise fail(str(error)) from None
        out.print(machine_plan.table(found))
        out.print(f"{found['tried']} plans simulated in {found['host_s']:.1f} s; the plan is proven.", highlight=False)
        return
    if what is None:
        out.print(tables.scenarios(scenario.named()))
        return
    try:
        plan = scenario.plan(scenario.find(what), seeds, seed, machines)
        if dry_run:
            out.print(tables.dry(plan))
            return
        if history is not None:
            written = timeline.write(timeline.take(plan, point, plan.seeds[0]), history)
            out.print("\n".join(f"wrote {path}" for path in written), highlight=False)
            return
        target = output or Path("out") / f"{plan.name}.jsonl"
        writer = records.Writer(target)
    except (native.NativeError, scenario.BadScenario, timeline.NoHistory, OSError) as error:
        raise fail(str(error)) from None

    with writer, bar() as progress:
        task = progress.add_task(plan.name, total=plan.steps())
        running = Simulation(plan, writer, lambda doing, n: progress.update(task, description=doing, advance=n))
        running.run(jobs)
    failed = Complaints()
    for at, failed_seed, reason in running.failures:
        failed.add(reason, f"point {at['point']}, seed {failed_seed}")
    for complaint in failed:
        warn(complaint)
    if not writer.begun:
        raise nothing(target, running.interrupted)
    out.print(tables.results(writer.rows))
    for finding in tables.findings(writer.rows):
        out.print(finding)
    end(target, target.with_suffix(".html"), running.interrupted, "simulated")
    if running.failures:
        raise typer.Exit(1)


def _goes_with(
    what: str | None, calibrate: bool, plan_for: str | None, dry_run: bool, history: Path | None
) -> tuple[set[str], str]:
    """The parameters that mean anything there, and there in words."""
    if calibrate:
        return {"calibrate", "quick", "output"}, "--calibrate"
    if plan_for is not None:
        return {"plan_for", "members"}, "--plan"
    if what is None:
        return set(), "nothing: name a scenario"
    if dry_run:
        return {"what", "seeds", "seed", "machines", "output", "dry_run"}, "--dry-run"
    if history is not None:
        return {"what", "seed", "machines", "history", "point"}, "--history"
    words = "a run of all points (--point is for --history, --quick for --calibrate)"
    return {"what", "seeds", "seed", "machines", "jobs", "output"}, words


def _calibrate(target: Path, quick: bool) -> None:
    try:
        calibration = Calibration(target, quick)
    except (native.NativeError, OSError) as error:
        raise fail(str(error)) from None
    with calibration.writer as writer, bar() as progress:

        def begin(name: str, steps: int) -> Tell:
            task = progress.add_task(name, total=steps)
            return lambda doing, n: progress.update(task, description=doing, advance=n)

        try:
            calibration.run(begin)
        except Interrupted:
            where = f"the measurements are in {target}" if writer.begun else f"{target} is left as it was"
            raise fail(f"interrupted before there was anything to fit to; {where}") from None
        except (native.NativeError, scenario.BadScenario, OSError) as error:
            raise fail(str(error)) from None
    out.print(tables.fits(calibration.fits))
    pairs = calibration.pairs()
    if pairs:
        out.print(tables.against(pairs, summary(pairs)))
    out.print(
        f"Machine file: {calibration.machine}. Records: {target}. For the page: weir report {target}", highlight=False
    )


COMMAND = Command("simulate", app)
