"""Names that a user gives, and the complaint about those that nothing has."""

from collections.abc import Sequence

from weir.base.options import shortened

BY_LEVELS = "levels:"  # begins the names of plans by levels: any number of barriers, which no list has


class Unknown(ValueError):
    """A name that nothing here has, or nothing that could have one. The message says what there is."""


def chosen(asked: Sequence[str] | None, known: Sequence[str], option: str, kind: str) -> Sequence[str]:
    """The names asked for, or all that are known. Raises Unknown."""
    for name in asked or ():
        if name not in known:
            raise Unknown(f"{option}: no {kind} is called {shortened(name)}; known are {', '.join(known)}")
    return asked or known
