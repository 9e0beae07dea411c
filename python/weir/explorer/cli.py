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
    # Both processes get a Ctrl-C; the native program then prints what it has found, and ends.
    with subprocess.Popen(["weir explore", *context.args], executable=program) as running:
        while True:
            try:
                raise typer.Exit(running.wait())
            except KeyboardInterrupt:
                continue


# The native program defines the options, and prints them for --help.
COMMAND = Command(
    "explore",
    explore,
    {"context_settings": {"allow_extra_args": True, "ignore_unknown_options": True}, "add_help_option": False},
)
