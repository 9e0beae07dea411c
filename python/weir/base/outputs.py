"""Outputs: what cannot be written is said in one line, before the long work where that can be known."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EACCES, EISDIR, ENOENT, ENOTDIR
from pathlib import Path

# The usual place, which is made where it is missing. Any other folder must be there: a name with a mistake in it makes
# no folders.
OUT = Path("out")


class Unwritable(OSError):
    def __str__(self) -> str:
        return f"cannot write {self.filename}: {self.strerror}"


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raises Unwritable, with the reason."""
    try:
        yield
    except OSError as error:
        raise Unwritable(error.errno, error.strerror or str(error), str(error.filename or path)) from None


def check(path: Path) -> None:
    """Of a file: raises Unwritable, and changes nothing."""
    mode = _mode(path)
    if mode is None:
        check_folder(path.parent, path)
    elif stat.S_ISDIR(mode) or not os.access(path, os.W_OK):
        raise _unwritable(path, EISDIR if stat.S_ISDIR(mode) else EACCES)


def check_folder(path: Path, wanted: Path | None = None) -> None:
    """Raises Unwritable, of what is wanted in it or of itself, and changes nothing."""
    mode = _mode(path)
    if mode is None and _is_out(path):
        check_folder(path.absolute().parent, wanted or path)
    elif mode is None:
        raise Unwritable(ENOENT, f"there is no folder {path}", str(wanted or path))
    elif not stat.S_ISDIR(mode) or not os.access(path, os.W_OK | os.X_OK):
        raise _unwritable(wanted or path, EACCES if stat.S_ISDIR(mode) else ENOTDIR)


def prepare(path: Path) -> None:
    """For a file: makes the usual folder where it is missing, and changes nothing else. Raises Unwritable."""
    check(path)
    _make_out(path.parent)


def prepare_folder(path: Path) -> None:
    """Raises Unwritable."""
    check_folder(path)
    _make_out(path)


def _make_out(path: Path) -> None:
    if _is_out(path):
        with writing(path):
            path.mkdir(exist_ok=True)


def _is_out(path: Path) -> bool:
    return os.path.abspath(path) == os.path.abspath(OUT)


def _mode(path: Path) -> int | None:
    """None where nothing is there."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unwritable(path, error.errno) from None


def _unwritable(path: Path, code: int) -> Unwritable:
    return Unwritable(code, os.strerror(code), str(path))
