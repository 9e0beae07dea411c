"""Where figures were taken: only figures of one place are compared."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weir.base.records import Row, at
from weir.base.states import ANY, State


@dataclass(frozen=True, order=True)
class Place:
    """`parts`: what a subject's places consist of, by name; each is an attribute as well. And the machine's state."""

    parts: tuple[tuple[str, Any], ...]
    state: State = ANY

    @classmethod
    def of(cls, state: State = ANY, **parts: Any) -> "Place":
        return cls(tuple(parts.items()), state)

    @classmethod
    def of_row(cls, row: Row, names: Sequence[str], **parts: Any) -> "Place":
        """`names`: where in a row the parts stand, as in where.members; behind those that are given by value."""
        return cls.of(row["where"].get("state", ANY), **parts, **{n.rpartition(".")[2]: at(row, n) for n in names})

    def but(self, **changes: Any) -> "Place":
        """The same place, but for these parts."""
        return Place.of(self.state, **dict(self.parts) | changes)

    def __getattr__(self, name: str) -> Any:
        if name != "parts":  # which is missing while a copy is made
            for part, value in self.parts:
                if part == name:
                    return value
        raise AttributeError(name)


def on_fullest(members: int, processors: int) -> int:
    """Members on the fullest processor: ceil(M / P) [paper 000, section 4.2]."""
    return math.ceil(members / processors)
