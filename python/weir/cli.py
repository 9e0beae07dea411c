"""The `weir` command."""

import json
import subprocess
import time
from pathlib import Path
from typing import Annotated

import typer

from weir.barriers import plan as sitting
from weir.barriers.comparison import ELSEWHERE, Comparison, figures, places
from weir.barriers.measuring import Bench
from weir.base import driver, native, options, records, screen
from weir.base.console import (
    Commands,
    bar,
    fail,
    given,
    nothing,
    nothing_measured,
    out,
    refuse_others,
    tell_states,
    warn,
)
from weir.base.options import argument, option
from weir.base.outputs import prepare, prepare_folder, writing
from weir.base.states import in_words
from weir.info import tables as info
from weir.mpi.cli import mpi
from weir.openmp import tables
from weir.openmp.cli import openmp
from weir.openmp.comparison import constructs
from weir.prediction import cli as predict_cli
from weir.profile.cli import profile
from weir.run.cli import CONTEXT, run
from weir.scale.cli import scale
from weir.simulation.cli import simulate

app = typer.Typer(
    cls=Commands, no_args_is_help=True, add_completion=False, help="Barriers for machines that are shared."
)
bench_app = typer.Typer(
    invoke_without_command=True, help="Measure barriers; or OpenMP's constructs; or barriers over MPI."
)
bench_app.command("openmp")(openmp)
bench_app.command("mpi")(mpi)
app.add_typer(bench_app, name="bench")
app.command()(simulate)
app.command()(scale)
app.add_typer(predict_cli.app, name="predict")
app.command(context_settings=CONTEXT)(profile)
app.command(context_settings=CONTEXT)(run)


def _plan(found: list[driver.Subject], processors: list[int], asked: dict) -> sitting.Sitting:
    chosen = sitting.choose(found, asked["algorithms"], asked["waiting"], asked["peers"], asked["quick"])
    quick, busy = asked["quick"], asked["load"] == "busy"
    sizes = asked["members"] or sitting.usual_sizes(len(processors))
    main = sitting.Part(
        subjects=chosen,
        sizes=sizes,
        rounds=asked["rounds"] or (3 if quick else 10),
        samples=asked["samples"] or (30 if quick else 50),
        load=asked["load"],
        pinned=asked["pinned"],
        sample_ms=20.0 if busy else 1.0,
        series_budget_s=2.0 if busy else 0.3 if quick else 1.0,
        delay_ns=asked["delay_ns"],
    )
    plan = sitting.Sitting(processors, [main])
    if quick and not busy:
        # What waiting costs others: a few subjects, beside a foreign process on each processor.
        beside = tuple(n for n in sizes if n <= 2 * len(processors))[-2:] or sizes[:1]
        plan.parts.append(sitting.Part(sitting.loaded(found), beside, 2, 8, "busy", asked["pinned"], 20.0, 0.8))
    return plan


@bench_app.callback()
def bench(
    context: typer.Context,
    members: Annotated[
        options.Numbers | None, option(options.numbers(1, options.MOST_MEMBERS), help="Team sizes, such as 2,4,8.")
    ] = None,
    algorithms: Annotated[
        options.Names | None, option(options.names("barriers"), help="Only these barriers, such as sense,mcs.")
    ] = None,
    waiting: Annotated[
        options.Names | None, option(options.names("waiting policies"), help="Only these policies, such as auto,spin.")
    ] = None,
    peers: Annotated[bool, typer.Option(help="Measure the barriers of others as well.")] = True,
    rounds: Annotated[
        int | None,
        option(options.Whole(1, options.MOST_ROUNDS), help="Runs, each in fresh processes (10; quick 3)."),
    ] = None,
    samples: Annotated[
        int | None, option(options.Whole(3, options.MOST_SAMPLES), help="Measurements in a run (50; quick 30).")
    ] = None,
    delay_ns: Annotated[
        float | None,
        option(options.Real(0, options.MOST_DELAY_NS, "ns"), help="Work between barriers (100, or 1000 if shared)."),
    ] = None,
    pinned: Annotated[
        bool, typer.Option("--pinned/--unpinned", help="Bind members to processors, round-robin.")
    ] = True,
    load: Annotated[
        str, option(options.OneOf("none", "busy"), help="busy: a foreign process on each processor.")
    ] = "none",
    quick: Annotated[bool, typer.Option("--quick", help="Two to three minutes in all.")] = False,
    seconds: Annotated[
        float | None, option(options.Real(1, options.MOST_SECONDS, "s"), help="Begin no more runs after so long.")
    ] = None,
    output: Annotated[
        Path, option(options.OutputFile(*options.RECORDS), "-o", "--output", help="Where the records go.")
    ] = Path("out/records.jsonl"),
) -> None:
    """Measure every barrier, its peers and the floor of this machine, in one sitting. Or: weir bench openmp, mpi."""
    if (to := context.invoked_subcommand) is not None:
        for lost in given(context).values():
            raise fail(f"bench: {lost} stands before {to}, and {to} would not see it: put it after {to}")
        return
    try:
        host = native.ask("weir-info")
        found, missing = driver.subjects()
        asked = {
            "algorithms": algorithms, "waiting": waiting, "peers": peers, "quick": quick, "load": load,
            "members": members, "rounds": rounds, "samples": samples, "pinned": pinned, "delay_ns": delay_ns,
        }  # fmt: skip
        plan = _plan(found, host["affinity"], asked)
        writer = records.Writer(output)
    except (native.NativeError, sitting.UnknownName, OSError) as error:
        raise fail(str(error)) from None
    for word in missing:
        warn(word)

    with writer, bar() as progress:
        task = progress.add_task("starting", total=plan.steps())
        measuring = Bench(plan, writer, lambda p: progress.update(task, description=p.doing, advance=p.steps))
        measuring.run(host, time.monotonic() + seconds if seconds is not None else None)
    for complaint in measuring.complaints:
        warn(complaint)

    if not writer.begun:
        raise nothing(output, measuring.interrupted)
    all_figures = figures(writer.rows)
    for place in places(all_figures) + places(all_figures, "busy"):
        out.print(screen.ranking(Comparison(all_figures, place)))
    tell_states(in_words(writer.rows))
    if measuring.interrupted:
        out.print("Stopped by hand; what was measured until then is kept.")
    out.print(f"Records: {output}. For the page: weir report {output} -o {output.with_name('report.html')}")
    if measuring.interrupted:
        raise typer.Exit(130)
    if all(row["kind"] != "overhead" or row["what"]["family"] == "floor" for row in writer.rows):
        raise nothing_measured()


@app.command()
def report(
    context: typer.Context,
    files: Annotated[list[Path], argument(options.InputFile(), "FILES...", help="Records, of one sitting or several.")],
    output: Annotated[
        Path,
        option(
            options.OutputFile(".html", ".md", ".csv"),
            "-o",
            "--output",
            help="A page; or .md, .csv: OpenMP's tables.",
        ),
    ] = Path("report.html"),
    png: Annotated[Path | None, option(options.OutputFolder(), help="A folder for the charts as PNG.")] = None,
    svg: Annotated[Path | None, option(options.OutputFolder(), help="A folder for the charts as SVG.")] = None,
) -> None:
    """Draw records as one self-contained page, or write OpenMP's tables as Markdown or CSV."""
    if output.suffix in (".md", ".csv"):
        refuse_others(context, ("files", "output"), f"a table: {output} holds no charts")
    if output.resolve() in {file.resolve() for file in files}:
        raise fail(f"{output} holds the records that are to be read: give the page another name by -o")
    prepare(output)
    for folder in filter(None, (png, svg)):
        prepare_folder(folder)
    try:
        rows, complaints = records.read(files)
    except OSError as error:
        raise fail(f"cannot read {error.filename}: {error.strerror}") from None
    for complaint in complaints:
        warn(complaint)
    told = ("simulation", "scale", "failure")
    others = any(r["kind"] in told or r["kind"] == "overhead" and r["what"]["family"] in ELSEWHERE for r in rows)
    if not figures(rows) and not others:
        raise fail("no usable row in " + ", ".join(map(str, files)) + ": nothing to draw")
    if output.suffix in (".md", ".csv"):
        _write_table(rows, output)
        return
    from weir.report import page  # the drawing libraries take a second to load

    written = page.write(rows, complaints, output, png, svg)
    out.print("\n".join(f"wrote {path}" for path in written), highlight=False)


def _write_table(rows: list[records.Row], output: Path) -> None:
    found = constructs(rows)
    if not found:
        raise fail(f"{output}: tables as Markdown and CSV are of the OpenMP suite, and these records hold none of it")
    with writing(output):
        output.write_text(tables.markdown(found, in_words(rows)) if output.suffix == ".md" else tables.as_csv(found))
    out.print(f"wrote {output}", highlight=False)


# The native program's options are its own to say, by --help too.
@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True}, add_help_option=False)
def explore(context: typer.Context) -> None:
    """Check a barrier in every schedule of a small team: weir explore BARRIER, or --all."""
    try:
        program = native.require("weir-explore")
    except native.NativeError as error:
        raise fail(str(error)) from None
    # Its own words, and its own Ctrl-C: both get it, and it prints what was reached.
    with subprocess.Popen(["weir explore", *context.args], executable=program) as running:
        while True:
            try:
                raise typer.Exit(running.wait())
            except KeyboardInterrupt:
                continue


@app.command("info")
def show_info(
    as_json: Annotated[bool, typer.Option("--json", help="The same for machines.")] = False,
) -> None:
    """Show what Weir sees of this machine, and what it would choose here."""
    try:
        seen = native.ask("weir-info")
    except native.NativeError as error:
        raise fail(str(error)) from None
    if as_json:
        print(json.dumps(seen, indent=1))
    else:
        info.show(seen, out)
