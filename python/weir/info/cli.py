"""`weir info`."""

import json
from typing import Annotated

import typer

from weir.base import native
from weir.base.console import Command, fail, out
from weir.info import tables


def info(
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
        tables.show(seen, out)


COMMAND = Command("info", info)
