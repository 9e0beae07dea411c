"""What rows of a kind hold: a TypedDict of them, which its subject declares (docs/records.md), held against a row.

A field whose type allows None may also be missing. One that is NotRequired no reader needs: what an old file says there
is not looked at.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict


@dataclass(frozen=True)
class Positive:
    """Of a number in Annotated: what is wrong with a row where it is none above 0."""

    otherwise: str


class Open:
    """Of a TypedDict in Annotated: a program of ours says more than is declared."""


@dataclass(frozen=True)
class Field:
    """`kinds`: classes of a value, without None. `inner`: the fields of an object."""

    name: str
    kinds: tuple[type, ...]
    nullable: bool
    needed: bool
    inner: "tuple[Field, ...]" = ()
    is_open: bool = True
    positive: Positive | None = None

    def suits(self, value: object) -> bool:
        if value is None:
            return self.nullable
        return isinstance(value, self.kinds) and not (isinstance(value, float) and not math.isfinite(value))


@cache
def fields(shape: type) -> tuple[Field, ...]:
    return tuple(_field(name, hint) for name, hint in get_type_hints(shape, include_extras=True).items())


def _field(name: str, hint: Any) -> Field:
    needed, notes = True, []
    while get_origin(hint) in (NotRequired, Annotated):
        needed = needed and get_origin(hint) is not NotRequired
        hint, *more = get_args(hint)
        notes += more
    parts = get_args(hint) if get_origin(hint) in (UnionType, Union) else (hint,)
    shape = next(filter(is_typeddict, parts), None)
    kinds = tuple(kind for part in parts if part is not NoneType for kind in _kinds(part))
    return Field(
        name, kinds, NoneType in parts, needed, fields(shape) if shape else (),
        shape is None or Open in notes, next((note for note in notes if isinstance(note, Positive)), None),
    )  # fmt: skip


def _kinds(part: Any) -> tuple[type, ...]:
    if is_typeddict(part):
        return (dict,)
    return (int, float) if part is float else (object,) if part is Any else (get_origin(part) or part,)


def flaw(row: dict[str, Any], shape: type) -> str | None:
    """What keeps a reader from using a row, or None."""
    if wrong := list(_lacking(row, fields(shape), "")):
        return f"missing or of the wrong type: {', '.join(wrong)}"
    return next(_below_one(row, fields(shape)), None)


def _lacking(row: dict[str, Any], shape: tuple[Field, ...], before: str) -> Iterator[str]:
    for field in shape:
        value, name = row.get(field.name), before + field.name
        if not field.needed or (field.nullable and not value and field.suits(value)):
            continue
        if field.inner and (isinstance(value, dict) or any(f.needed and not f.nullable for f in field.inner)):
            yield from _lacking(value if isinstance(value, dict) else {}, field.inner, f"{name}.")
        elif not field.suits(value):
            yield name


def _below_one(row: dict[str, Any], shape: tuple[Field, ...]) -> Iterator[str]:
    for field in shape:
        value = row.get(field.name)
        if field.needed and field.positive and value is not None and value <= 0:
            yield field.positive.otherwise
        if isinstance(value, dict) and field.inner:
            yield from _below_one(value, field.inner)


def undeclared(row: dict[str, Any], shape: type) -> list[str]:
    """What a row says that its declaration does not: fields that are not in it, and values of another type."""
    return list(_undeclared(row, fields(shape), ""))


def _undeclared(row: dict[str, Any], shape: tuple[Field, ...], before: str) -> Iterator[str]:
    known = {field.name: field for field in shape}
    for name, value in row.items():
        field = known.get(name)
        if field is None or not field.suits(value):
            yield before + name
        elif isinstance(value, dict) and field.inner:
            names = {f.name for f in field.inner}
            declared = {n: v for n, v in value.items() if n in names} if field.is_open else value
            yield from _undeclared(declared, field.inner, f"{before}{name}.")


def flat(shape: type) -> dict[str, Field]:
    """All fields by their names in full, as `where.members`; those of objects instead of the objects."""
    return dict(_flat(fields(shape), ""))


def _flat(shape: tuple[Field, ...], before: str) -> Iterator[tuple[str, Field]]:
    for field in shape:
        if field.inner:
            yield from _flat(field.inner, f"{before}{field.name}.")
        else:
            yield before + field.name, field
