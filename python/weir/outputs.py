"""Outputs: what cannot be written is said in one line, before the long work where that can be known."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EACCES, EISDIR, ENOTDIR
from pathlib import Path


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


def prepare(path: Path) -> None:
    """For a file: makes the folders that are missing, and changes nothing else. Raises Unwritable."""
    if not path.exists():
        prepare_folder(path.parent)
    elif path.is_dir() or not os.access(path, os.W_OK):
        raise _unwritable(path, EISDIR if path.is_dir() else EACCES)


def prepare_folder(path: Path) -> None:
    """Raises Unwritable."""
    if path.exists() and not path.is_dir():
        raise _unwritable(path, ENOTDIR)
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
    if not os.access(path, os.W_OK):
        raise _unwritable(path, EACCES)


def _unwritable(path: Path, code: int) -> Unwritable:
    return Unwritable(code, os.strerror(code), str(path))
