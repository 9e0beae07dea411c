"""What a program or library tells the dynamic linker: the libraries it needs, and the symbols it has and lacks."""

import mmap
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_SONAME, DT_RPATH, DT_RUNPATH = 1, 4, 5, 6, 14, 15, 29
DT_GNU_HASH, DT_VERSYM, DT_VERDEF, DT_VERDEFNUM, DT_VERNEED, DT_VERNEEDNUM = (
    0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF,
)  # fmt: skip
STB_LOCAL, STB_WEAK = 0, 2


class NotElf(Exception):
    """The file is no 64-bit little-endian ELF file, or a damaged one; the message says which."""


@dataclass(frozen=True)
class Symbol:
    name: str
    version: str  # "" without
    weak: bool = False


@dataclass(frozen=True)
class Elf:
    path: Path
    dynamic: bool  # it has a dynamic section: the linker has something to do
    interpreter: bool  # it names a dynamic linker: a program
    soname: str = ""
    needed: tuple[str, ...] = ()
    rpath: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()
    lacks: tuple[Symbol, ...] = ()
    has: frozenset[tuple[str, str]] = field(default=frozenset())  # names and versions
    versioned: bool = False  # it defines versions at all


def read(path: Path) -> Elf:
    """Raises NotElf, and OSError."""
    return _read(path, lambda reader: reader.elf())


def needed(path: Path) -> tuple[str, ...]:
    """The libraries that it needs, without its symbols: some have tens of thousands. Raises NotElf, and OSError."""
    return _read(path, lambda reader: reader._names(DT_NEEDED))


def names_linker(path: Path, text: bytes | mmap.mmap) -> bool:
    """Whether it asks for a dynamic linker, as programs do that are not static. `text`: of that file. Raises NotElf."""
    return _look(path, text, lambda reader: any(segment[0] == PT_INTERP for segment in reader.segments))


def _read(path: Path, what: Callable[["_Reader"], Any]) -> Any:
    return _look(path, path.read_bytes(), what)


def _look(path: Path, text: bytes | mmap.mmap, what: Callable[["_Reader"], Any]) -> Any:
    if text[:4] != b"\x7fELF":
        raise NotElf("is a script" if text[:2] == b"#!" else "is not an ELF file")
    if text[4:6] != b"\x02\x01":
        raise NotElf("is not for a 64-bit little-endian machine")
    try:
        return what(_Reader(path, text))
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise NotElf(f"is a damaged ELF file ({error})") from None


class _Reader:
    def __init__(self, path: Path, text: bytes | mmap.mmap) -> None:
        self.path, self.text = path, text
        (start,) = struct.unpack_from("<Q", text, 32)
        size, count = struct.unpack_from("<HH", text, 54)
        self.segments = [struct.unpack_from("<IIQQQQ", text, start + size * i) for i in range(count)]
        self.tags: dict[int, list[int]] = {}
        for kind, _, offset, _, _, length in self.segments:
            if kind == PT_DYNAMIC:
                for tag, value in struct.iter_unpack("<QQ", text[offset : offset + length // 16 * 16]):
                    if tag == 0:
                        break
                    self.tags.setdefault(tag, []).append(value)

    def elf(self) -> Elf:
        kinds = {segment[0] for segment in self.segments}
        if PT_DYNAMIC not in kinds:
            return Elf(self.path, False, PT_INTERP in kinds)
        lacks, has = self._symbols()
        return Elf(
            self.path,
            True,
            PT_INTERP in kinds,
            (self._names(DT_SONAME) or ("",))[0],
            self._names(DT_NEEDED),
            tuple(p for text in self._names(DT_RPATH) for p in text.split(":")),
            tuple(p for text in self._names(DT_RUNPATH) for p in text.split(":")),
            lacks,
            has,
            DT_VERDEF in self.tags,
        )

    def _at(self, address: int) -> int:
        """Where in the file is what will lie at an address."""
        for kind, _, offset, begin, _, length in self.segments:
            if kind == PT_LOAD and begin <= address < begin + length:
                return offset + address - begin
        raise ValueError(f"nothing lies at {address:#x}")

    def _table(self, tag: int) -> int | None:
        return self._at(self.tags[tag][0]) if tag in self.tags else None

    def _string(self, number: int) -> str:
        begin = self._at(self.tags[DT_STRTAB][0]) + number
        return self.text[begin : self.text.index(b"\0", begin)].decode(errors="replace")

    def _names(self, tag: int) -> tuple[str, ...]:
        return tuple(self._string(number) for number in self.tags.get(tag, []))

    def _count(self) -> int:
        """Of symbols. No tag says it: the hash tables do."""
        if (table := self._table(DT_HASH)) is not None:
            return struct.unpack_from("<I", self.text, table + 4)[0]
        if (table := self._table(DT_GNU_HASH)) is None:
            return 0
        buckets, first, bloom, _ = struct.unpack_from("<IIII", self.text, table)
        heads = table + 16 + 8 * bloom
        last = max(struct.unpack_from(f"<{buckets}I", self.text, heads), default=0)
        if last < first:
            return first
        chain = heads + 4 * buckets
        while not struct.unpack_from("<I", self.text, chain + 4 * (last - first))[0] & 1:
            last += 1
        return last + 1

    def _versions(self) -> dict[int, str]:
        """By the numbers that symbols have: of the files it needs, and its own."""
        found = {}
        if (at := self._table(DT_VERNEED)) is not None:
            for _ in range(min(self.tags.get(DT_VERNEEDNUM, [0])[0], len(self.text))):
                _, count, _, first, following = struct.unpack_from("<HHIII", self.text, at)
                entry = at + first
                for _ in range(count):
                    _, _, number, name, step = struct.unpack_from("<IHHII", self.text, entry)
                    found[number] = self._string(name)
                    entry += step
                at += following
        if (at := self._table(DT_VERDEF)) is not None:
            for _ in range(min(self.tags.get(DT_VERDEFNUM, [0])[0], len(self.text))):
                _, flags, number, _, _, first, following = struct.unpack_from("<HHHHIII", self.text, at)
                if not flags & 1:  # that one is the file itself
                    found[number] = self._string(struct.unpack_from("<I", self.text, at + first)[0])
                at += following
        return found

    def _symbols(self) -> tuple[tuple[Symbol, ...], frozenset[tuple[str, str]]]:
        versions, numbers, symbols = self._versions(), self._table(DT_VERSYM), self._table(DT_SYMTAB)
        lacks, has = [], set()
        for i in range(1, self._count() if symbols is not None else 0):
            name, info, _, section = struct.unpack_from("<IBBH", self.text, symbols + 24 * i)
            if info >> 4 == STB_LOCAL or name == 0:
                continue
            number = struct.unpack_from("<H", self.text, numbers + 2 * i)[0] & 0x7FFF if numbers is not None else 1
            version = versions.get(number, "")
            if section == 0:
                lacks.append(Symbol(self._string(name), version, info >> 4 == STB_WEAK))
            else:
                has.add((self._string(name), version))
        return tuple(lacks), frozenset(has)
