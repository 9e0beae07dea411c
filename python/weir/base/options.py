"""Kinds of values that options take: what is allowed is said once, to the help, to the complaint and to the tests.

Each is a parser for Typer: it takes the word from the command line, and returns the value or raises Refused.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from weir.base import outputs

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
WHOLE = re.compile(r"[+-]?\d{1,20}", re.ASCII)
RECORDS = ("", ".jsonl", ".json")  # what a file of records may end in

# Bounds that several commands have in common.
MOST_MEMBERS = 65_536  # weir::max_members
MOST_ROUNDS, MOST_SAMPLES = 1_000, 10_000
MOST_SECONDS = 10_000_000.0  # four months
# The work between barriers. What is looked for is the difference of two times that both hold it, and a longer one
# scatters by more than a barrier costs: a thousandth of a millisecond is a microsecond.
MOST_DELAY_NS = 1_000_000.0


class Refused(typer.BadParameter):
    """The message goes on from the option's name."""


class Names(tuple):
    """Words that an option takes with commas between, each once."""


class Numbers(tuple):
    """Whole numbers that an option takes with commas between, each once."""


def option(kind: "Kind", *names: str, help: str) -> Any:
    """For Annotated: what Typer shall know of an option."""
    return typer.Option(*names, parser=kind, metavar=kind.metavar, help=help)


def argument(kind: "Kind", metavar: str, help: str) -> Any:
    return typer.Argument(parser=kind, metavar=metavar, help=help)


class Kind:
    """`takes`: what is allowed, in words. `right` and `wrong`: words at its bounds, for tests."""

    metavar = "TEXT"
    takes = ""
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    @property
    def __name__(self) -> str:  # Typer asks parsers for it, which are functions as a rule
        return self.metavar

    def __call__(self, value: object) -> Any:
        if not isinstance(value, str):
            return value  # a default
        try:
            return self.read(value)
        except ValueError as error:
            raise self.refuse(value, str(error)) from None

    def read(self, text: str) -> Any:
        """Raises ValueError, with the reason or without."""
        raise NotImplementedError

    def refuse(self, text: str, why: str = "") -> Refused:
        return Refused(f"takes {self.takes}, not {shortened(text)}" + (f": {why}" if why else ""))


def shortened(text: str) -> str:
    """In quotes, with whatever a terminal must not see escaped."""
    return ascii(text) if len(text) <= 60 else f"{ascii(text[:57])}..."


class Whole(Kind):
    """A whole number of a range."""

    def __init__(self, least: int, most: int) -> None:
        self.least, self.most = least, most
        self.metavar = f"{least}..{most}"
        self.takes = f"a whole number from {least} to {most}"
        self.right, self.wrong = (str(least), str(most)), (str(least - 1), str(most + 1), "1.5", "1e3", "0x10")

    def read(self, text: str) -> int:
        if not WHOLE.fullmatch(text) or not self.least <= int(text) <= self.most:
            raise ValueError
        return int(text)


class Real(Kind):
    """A finite number of a range."""

    def __init__(self, least: float, most: float, unit: str = "") -> None:
        self.least, self.most = least, most
        self.metavar = f"{least:g}..{most:.0f}"
        self.takes = f"a number from {least:g} to {most:,.0f}{unit and ' ' + unit}"
        self.right = (repr(least), repr(most))
        self.wrong = (repr(least - 1), repr(most * 1.001), "nan", "inf", "1e30", "-1e30", "1e999", "0x10", "1_0", " 1")

    def read(self, text: str) -> float:
        if not NUMBER.fullmatch(text) or not self.least <= float(text) <= self.most:
            raise ValueError
        return float(text)


class Text(Kind):
    """What `check` raises no ValueError for. An empty word is never one."""

    def __init__(self, takes: str, check: Callable[[str], object] = lambda _: None, metavar: str = "TEXT") -> None:
        self.takes, self.metavar, self.check = takes, metavar, check

    def read(self, text: str) -> str:
        if not text.strip():
            raise ValueError
        self.check(text)
        return text


class OneOf(Kind):
    """A word of a few."""

    def __init__(self, *known: str) -> None:
        self.known = self.right = known
        self.metavar = "|".join(known)
        self.takes = " or ".join(filter(None, (", ".join(known[:-1]), known[-1])))
        self.wrong = tuple(word for word in (",".join(known), known[0].upper()) if word not in known)

    def read(self, text: str) -> str:
        if text not in self.known:
            raise ValueError
        return text


class ListOf(Kind):
    """Several words with commas between; each is read by itself, and counts once."""

    metavar = "A,B,.."

    def __init__(self, takes: str, read_one: Callable[[str], Any], made: type = Names) -> None:
        self.takes, self.read_one, self.made = f"{takes}, with commas between", read_one, made
        self.wrong = (",", "2,,4", "2,", ",2")

    def read(self, text: str) -> Any:
        words = [word.strip() for word in text.split(",")]
        if not all(words):
            raise ValueError
        return self.made(dict.fromkeys(map(self.read_one, words)))


def names(what: str, known: Iterable[str] = ()) -> ListOf:
    """`known`: all that there are, where that is known before anything is asked."""
    there = tuple(known)

    def read_one(word: str) -> str:
        if there and word not in there:
            raise ValueError
        return word

    kind = ListOf(what + (f" of {', '.join(there)}" if there else ""), read_one)
    kind.right = there[:1]
    return kind


def numbers(least: int, most: int) -> ListOf:
    one = Whole(least, most)
    kind = ListOf(f"whole numbers from {least} to {most}", one.read, Numbers)
    kind.metavar = "N,M,.."
    kind.right, kind.wrong = one.right, (*one.wrong, *kind.wrong)
    return kind


class InputFile(Kind):
    """A file to be read, or a pipe. Not what has no end, such as /dev/zero."""

    metavar = "FILE"
    takes = "a file that can be read"
    wrong = ("/dev/zero", "/no/such/file", "/")

    def read(self, text: str) -> Path:
        mode = _mode(text)
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise ValueError("that is a folder" if stat.S_ISDIR(mode) else "that is a device")
        if not os.access(text, os.R_OK):
            raise ValueError(os.strerror(13))
        return Path(text)


class InputFolder(Kind):
    metavar = "FOLDER"
    takes = "a folder that is there"
    wrong = ("/dev/null", "/no/such/folder")

    def read(self, text: str) -> Path:
        if not stat.S_ISDIR(_mode(text)):
            raise ValueError(os.strerror(20))
        return Path(text)


def _mode(text: str) -> int:
    if not text:
        raise ValueError
    try:
        return os.stat(text).st_mode
    except OSError as error:
        raise ValueError(error.strerror) from None


class OutputFile(Kind):
    """A file to be written; it is neither made nor changed here. What it holds goes by its suffix, but for devices."""

    metavar = "FILE"

    def __init__(self, *suffixes: str) -> None:
        self.suffixes = suffixes
        ends = [suffix for suffix in suffixes if suffix]
        self.takes = f"a name that ends in {' or '.join(filter(None, (', '.join(ends[:-1]), ends[-1])))}"
        self.takes += ", or in no suffix" if "" in suffixes else ""
        self.right = tuple(f"made{suffix}" for suffix in suffixes)
        self.wrong = ("x.pdf", f"/no/such/folder/x{ends[0]}", "/", "..", f"/dev/null/x{ends[0]}")

    def read(self, text: str) -> Path:
        path = Path(text)
        if not text.strip() or not text.isprintable():
            raise ValueError
        _writable(outputs.check, path)
        if path.suffix not in self.suffixes and (path.is_file() or not path.exists()):
            raise ValueError
        return path


class OutputFolder(Kind):
    metavar = "FOLDER"
    takes = "a folder that is there"
    right = (".", "out")
    wrong = ("/no/such/folder", "not-there", "/dev/null")

    def read(self, text: str) -> Path:
        if not text.strip() or not text.isprintable():
            raise ValueError
        _writable(outputs.check_folder, Path(text))
        return Path(text)


class OutputBase(Kind):
    """What several files are called after."""

    metavar = "NAME"
    right = ("made", "out/made")

    def __init__(self, *suffixes: str) -> None:
        self.suffixes = suffixes
        self.takes = f"a name to which {', '.join(suffixes)} are added"
        self.wrong = (f"x{suffixes[0]}", "/no/such/folder/x", "/")

    def read(self, text: str) -> Path:
        path = Path(text)
        if not path.name.strip() or not text.isprintable() or path.name == ".." or path.suffix in self.suffixes:
            raise ValueError
        for suffix in self.suffixes:
            _writable(outputs.check, path.with_name(path.name + suffix))
        return path


def _writable(check: Callable[[Path], None], path: Path) -> None:
    try:
        check(path)
    except outputs.Unwritable as error:
        raise Refused(str(error)) from None


Jobs = Annotated[int | None, option(Whole(1, 1024), help="Simultaneous simulations (one for each processor).")]
