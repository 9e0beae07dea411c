"""`weir info`: what Weir sees of this machine, and which barrier it chooses."""

import json
from typing import Annotated

import typer

from weir.base import native, options
from weir.base.console import Command, fail, out
from weir.base.options import option
from weir.info import tables

MOST_MEMBERS = 65_536  # weir::max_members; a test asks weir-info


def info(
    members: Annotated[
        int | None,
        option(options.Whole(1, MOST_MEMBERS), help="Show which barrier suits so many threads here, and why."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also show all barriers and waiting policies, and the reasons for each size.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show what Weir sees of this machine, and which barrier it chooses."""
    if members is not None and everything:
        raise fail("info: --all does not go with --members: leave one of them out")
    try:
        seen = native.ask("weir-info", *([] if members is None else ["--members", str(members)]))
    except native.NativeError as error:
        raise fail(str(error)) from None
    if as_json:
        print(json.dumps(seen, indent=1))
    elif members is not None:
        for line in tables.answer(seen):
            out.print(line, highlight=False, markup=False)
    elif everything:
        tables.show_all(seen, out)
    else:
        tables.show(seen, out)


COMMAND = Command("info", info)
