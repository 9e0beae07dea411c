"""What a program and its libraries need of OpenMP, and whether a runtime has it."""

import os
import platform
import re
import struct
from dataclasses import dataclass
from pathlib import Path

from weir.openmp.runtimes import OPENMPS
from weir.run import elf, left_out
from weir.run.elf import Elf, Symbol

OPENMP = re.compile(r"GOMP_|ompc?_|__kmpc_|kmpc?_")
# Weir's runtime has a second name for each of its stubs, which say only that they are not supported.
STUB = "weir_lacks_"
USUAL = [f"/lib/{platform.machine()}-linux-gnu", f"/usr/lib/{platform.machine()}-linux-gnu"]
USUAL += ["/lib64", "/usr/lib64", "/lib", "/usr/lib"]
CACHE = Path("/etc/ld.so.cache")
CACHE_MAGIC = b"glibc-ld.so.cache1.1"


@dataclass(frozen=True)
class Need:
    """One function. `by`: the file that asks first."""

    symbol: Symbol
    by: Path
    there: bool

    @property
    def left_out(self) -> str | None:
        """The standard that Weir does not implement and the function is of."""
        return None if self.there else left_out.standard(self.symbol)


@dataclass(frozen=True)
class Needs:
    found: list[Need]
    files: list[Elf]  # the program, and its libraries
    lost: list[str]  # libraries that were not found

    @property
    def runtime(self) -> str | None:
        """What the runtime is called that they were linked with: libgomp, libomp, libiomp5."""
        asked = [name for file in self.files for name in file.needed if name in OPENMPS]
        return asked[0].partition(".so")[0] if asked else None

    @property
    def missing(self) -> list[Need]:
        # Who asks weakly looks whether it is there, and can do without.
        return [need for need in self.found if not need.there and not need.symbol.weak]


def cached() -> dict[str, str]:
    """The libraries in the dynamic linker's cache, by name."""
    try:
        text = CACHE.read_bytes()
        begin = text.find(CACHE_MAGIC)
        if begin < 0:
            return {}
        found: dict[str, str] = {}
        for i in range(struct.unpack_from("<I", text, begin + 20)[0]):
            _, name, path = struct.unpack_from("<iII", text, begin + 48 + 24 * i)
            words = [text[begin + at : text.index(b"\0", begin + at)].decode() for at in (name, path)]
            found.setdefault(words[0], words[1])
        return found
    except (OSError, struct.error, ValueError):
        return {}


def _find(name: str, asking: Elf, program: Elf, cache: dict[str, str]) -> Elf | None:
    """As the dynamic linker looks for it; a library for another machine is skipped, as there."""
    if "/" in name:
        places = [Path(name)]
    else:
        own = [] if asking.runpath else [*asking.rpath, *program.rpath]
        asked = [p or "." for p in os.environ.get("LD_LIBRARY_PATH", "").split(":")]
        folders = [*own, *(asked if asked != ["."] else []), *asking.runpath]
        origin = str(asking.path.resolve().parent)
        folders = [re.sub(r"\$(ORIGIN|\{ORIGIN\})", lambda _: origin, folder) for folder in folders]
        places = [Path(folder) / name for folder in folders]
        places += [Path(cache[name])] if name in cache else []
        places += [Path(folder) / name for folder in USUAL]
    for place in places:
        try:
            return elf.read(place)
        except (OSError, elf.NotElf):
            continue
    return None


def _files(program: Elf) -> tuple[list[Elf], list[str]]:
    """The program and all its libraries, less OpenMP runtimes: in their place comes the one asked about."""
    files, lost, met, cache = [program], [], set(OPENMPS), cached()
    for file in files:
        for name in file.needed:
            if name in met:
                continue
            met.add(name)
            library = _find(name, file, program, cache)
            if library is None:
                lost.append(name)
            elif library.soname not in OPENMPS:
                files.append(library)
    return files, lost


def _there(symbol: Symbol, runtime: Elf, elsewhere: set[str]) -> bool:
    if symbol.name in elsewhere:
        return True
    if any(name == STUB + symbol.name for name, _ in runtime.has):
        return False
    if runtime.versioned and symbol.version:
        # A symbol without a version, of a library that has some, serves every asker.
        return bool({(symbol.name, symbol.version), (symbol.name, "")} & runtime.has)
    return any(name == symbol.name for name, _ in runtime.has)


def needs(program: Path, runtime: Path) -> Needs:
    """Raises elf.NotElf and OSError, of the program or of the runtime."""
    own = elf.read(runtime)
    files, lost = _files(elf.read(program))
    elsewhere = {name for file in files for name, _ in file.has}
    found: dict[tuple[str, str], Need] = {}
    for file in files:
        for symbol in file.lacks:
            if OPENMP.match(symbol.name) or left_out.standard(symbol):
                need = Need(symbol, file.path, _there(symbol, own, elsewhere))
                found.setdefault((symbol.name, symbol.version), need)
    return Needs([found[key] for key in sorted(found)], files, lost)
