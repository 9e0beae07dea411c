"""Where the native programs are: the ones that measure, and weir-info."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any


class NativeError(Exception):
    """A native program is missing or failed. The message says which, where, and what to do."""


def folders() -> list[Path]:
    """Where programs are looked for, in this order."""
    asked = os.environ.get("WEIR_NATIVE")
    here = Path(__file__).resolve().parent.parent
    installed, built = here / "native", here.parent.parent / "build" / "bench"
    return [Path(asked)] if asked else [installed, built]


def find(name: str) -> Path | None:
    """The program of that name, or None."""
    for folder in folders():
        program = folder / name
        if os.access(program, os.X_OK) and program.is_file():
            return program
    return None


def library(name: str) -> Path | None:
    """A shared library of ours: beside the programs, or where a build puts it; or None."""
    for folder in folders():
        for place in (folder, folder.parent / "src", folder.parent / "src" / "mpi"):
            if (place / name).is_file():
                return (place / name).resolve()
    return None


def require(name: str) -> Path:
    program = find(name)
    if program is None:
        looked = ", ".join(str(folder) for folder in folders())
        raise NativeError(
            f"{name} was not found in {looked}. Build it with `make build`, or say in WEIR_NATIVE "
            "in which folder it is."
        )
    return program


def ask(name: str, *arguments: str) -> Any:
    """Runs a program that prints one JSON text, and reads it."""
    program = require(name)
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise NativeError(f"{program} {' '.join(arguments)} failed: {done.stderr.strip()}")
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise NativeError(f"{program} printed no JSON: {error}") from error


def barriers(having: str | None = None) -> list[str]:
    """The names of the library's barriers, or of those that have a property which weir-info states of each: halves,
    logarithmic, by_messages."""
    return [a["name"] for a in ask("weir-info")["algorithms"] if having is None or a[having]]
