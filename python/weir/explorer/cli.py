"""`weir explore`."""

import subprocess

import typer

from weir.base import native
from weir.base.console import Command, fail


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


# The native program's options are its own to say, by --help too.
COMMAND = Command(
    "explore",
    explore,
    {"context_settings": {"allow_extra_args": True, "ignore_unknown_options": True}, "add_help_option": False},
)
