"""Which tests a change can affect, by what the build compiles and links, and by what Python's modules import and start.

What an object is compiled from the compiler has told Ninja, where the object has been built; the sources' includes say
how near the change is, and what reads it before anything is built.

A rank goes with each. 0 is the test itself; then the rank grows with each include or import on the way to the change.
What only links the change is further away, and a word of the change's name in the test's makes each nearer.
"""

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from os.path import normpath
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
MADE_FOR = re.compile(r"-(mpich|openmpi)(?=\.so$|$)")
SOURCES = (".cpp", ".hpp", ".h", ".c", ".S", ".inc")
LINKED = 10  # further away than any include
WORD = 3  # nearer for each word in common

Distances = dict[str, int]


def words_of(path: str) -> set[str]:
    """Of a file's or a test's name, in the singular."""
    return {word.removesuffix("s") for word in re.split(r"[^a-z0-9]+", path.lower()) if len(word) > 3}


def words_of_all(files: Iterable[str]) -> set[str]:
    return {word for file in files for word in words_of(f"{Path(file).parent.name} {Path(file).stem}")}


def rank(distance: int, names: set[str], test: str) -> int:
    return max(LINKED + distance - WORD * len(names & words_of(test)), 1) if distance else 0


def spread(start: Distances, edges: dict[str, set[str]], most: int = LINKED - 1) -> Distances:
    """The distances of everything that the edges lead to."""
    found, waiting = dict(start), sorted(start, key=start.get)
    for each in waiting:  # grows meanwhile
        for other in edges.get(each, ()):
            if other not in found:
                found[other] = min(found[each] + 1, most)
                waiting.append(other)
    return found


@dataclass(frozen=True)
class Test:
    """One of ctest's, or a whole program of GoogleTest's whose cases are known once it is built."""

    name: str
    needs: frozenset[str]  # outputs of the build
    cases: bool = False


class Native:
    """The build in `folder`, configured by CMake for Ninja."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = root, folder

    @cached_property
    def includers(self) -> dict[str, set[str]]:
        """By a source, relative to the root: the sources that include it."""
        tops = ("include", "src", "bench", "tests", "workloads", "examples")
        paths = (file for top in tops for file in (self.root / top).rglob("*") if file.suffix in SOURCES)
        files = {str(path.relative_to(self.root)) for path in paths}
        found = defaultdict(set)
        for path in self.folder.rglob("unity_*_cxx.cxx"):  # sources that CMake has compiled together
            for name in INCLUDE.findall(path.read_text()):
                found[name.removeprefix(f"{self.root}/")].add(str(path.relative_to(self.root)))
        for file in files:
            here = Path(file).parent
            for name in INCLUDE.findall((self.root / file).read_text(errors="replace")):
                for base in (here, Path("include"), Path("src"), Path("tests"), *here.parents):
                    target = str(base / name) if ".." not in name else str((self.root / base / name).resolve())
                    target = target.removeprefix(f"{self.root}/")
                    if target in files:
                        found[target].add(file)
                        break
        return found

    @cached_property
    def read(self) -> dict[str, set[str]]:
        """By a source: the objects for which the compiler read it when they were last built."""
        words = ("ninja", "-C", str(self.folder), "-t", "deps")
        said = subprocess.run(words, capture_output=True, text=True).stdout  # fails where nothing has been built
        found = defaultdict(set)
        for line in said.splitlines():
            if not line.startswith(" "):
                output = line.partition(": #deps")[0]
            elif f"{self.root}/" in line or not line.lstrip().startswith("/"):
                path = Path(self.folder, line.strip()).resolve()
                found[str(path).removeprefix(f"{self.root}/")].add(output)
        return found

    @cached_property
    def edges(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """By an input of the build: what is compiled from it, and what is linked or made from it."""
        compiled, made = defaultdict(set), defaultdict(set)
        text = (self.folder / "build.ninja").read_text().replace("$\n", "")
        for line in text.splitlines():
            if not line.startswith("build "):
                continue
            outputs, _, rest = line.removeprefix("build ").replace("$:", "\0").partition(": ")
            rule, _, inputs = rest.partition(" ")
            inputs = inputs.partition(" || ")[0].split()  # what follows is only built first
            outputs = [each for each in outputs.replace("|", " ").split() if not each.startswith("${")]
            by = compiled if "_COMPILER__" in rule else made
            if outputs[0].endswith(".util") or (rule == "phony" and ".so" not in outputs[0]):
                continue  # what is to be built together, or done with it
            for each in inputs:
                by[normpath(each.removeprefix(f"{self.root}/"))].update(outputs)  # Ninja reads a/./b as a/b, too
        return compiled, made

    def outputs(self, changed: Iterable[str]) -> Distances:
        """What the build makes anew."""
        compiled, made = self.edges
        changed = set(changed)
        sources = spread(dict.fromkeys(changed, 0), self.includers)
        known = set().union(*compiled.values())  # an older build's may be noted still
        objects = {o: LINKED - 1 for source in changed for o in self.read.get(source, ()) if o in known}
        objects |= {o: d for source, d in sources.items() for o in compiled.get(source, ())}
        near = spread(objects, {k: {v for v in to if self._is_program(v)} for k, to in made.items()})
        far = spread({o: LINKED for o in objects}, made, most=LINKED)
        return far | {o: d - 1 if d else 0 for o, d in near.items() if o not in objects}

    def _is_program(self, output: str) -> bool:
        return not output.endswith((".a", ".so")) and ".so." not in output

    def tests(self) -> Iterator[Test]:
        for name, inputs in self._programs_of_cases().items():
            yield Test(name, frozenset({inputs}), cases=True)
        prefix = f"{self.folder}/"
        for file in self.folder.rglob("CTestTestfile.cmake"):
            for line in re.split(r"\n(?=add_test|subdirs|include)", file.read_text()):
                if found := re.match(r"add_test\(\[=\[(.+?)\]=\]", line):
                    paths = re.findall(rf"{re.escape(prefix)}([^\s;\"]+)", line)
                    yield Test(found[1], frozenset(paths))

    def _programs_of_cases(self) -> dict[str, str]:
        mains = (to for name, to in self.edges[1].items() if Path(name).stem == "libgtest_main")
        outputs = {output for to in mains for output in to}
        return {Path(out).name: out for out in outputs if not out.endswith((".cmake", "test-headers"))}


def native_tests(native: Native, changed: list[str]) -> dict[Test, int]:
    """The tests that the change can affect, with their distance."""
    outputs = native.outputs(changed)
    names = words_of_all(changed)
    found = {}
    for test in native.tests():
        distances = [outputs[each] for each in test.needs if each in outputs]
        if distances:
            found[test] = rank(min(distances), names, test.name)
    return found


class Modules:
    """Python's modules and tests: who imports whom, and who names a file that the build makes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        tops = {"python": root / "python", "tests": root}
        self.files = {
            str(f.relative_to(root)): ".".join(f.relative_to(tops[f.relative_to(root).parts[0]]).with_suffix("").parts)
            for folder in ("python/weir", "tests/python")
            for f in sorted((root / folder).rglob("*.py"))
        }

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        return {file: ast.parse((self.root / file).read_text()) for file in self.files}

    @cached_property
    def importers(self) -> dict[str, set[str]]:
        by_name = {name.removesuffix(".__init__"): file for file, name in self.files.items()}
        found = defaultdict(set)
        for file, tree in self.trees.items():
            package = self.files[file].split(".")[:-1]
            for node in ast.walk(tree):
                for name in _imported(node, package):
                    if name in by_name:
                        found[by_name[name]].add(file)
        for file in self.files:  # a folder's fixtures and helpers are those of its tests
            if file.endswith("/conftest.py"):
                found[file].update(f for f in self.files if f.startswith(str(Path(file).parent) + "/test_"))
        return found

    @cached_property
    def texts(self) -> dict[str, set[str]]:
        """By a module: the strings in it."""
        def of(tree: ast.Module) -> set[str]:
            constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
            return {value for value in constants if isinstance(value, str)}

        return {file: of(tree) for file, tree in self.trees.items()}

    def products(self, outputs: Iterable[str]) -> dict[str, set[str]]:
        """By an output of the build: the modules in which its name stands, less the MPI for which it is made."""
        found = {}
        for output in outputs:
            names = {Path(output).name, MADE_FOR.sub("", Path(output).name)}
            files = {file for file, texts in self.texts.items() if names & texts}
            if files and "CMakeFiles" not in output:
                found[output] = files
        return found

    def reached(self, files: Iterable[str]) -> set[str]:
        """These modules, and what they import."""
        imports = defaultdict(set)
        for imported, importers in self.importers.items():
            for importer in importers:
                imports[importer].add(imported)
        return set(spread(dict.fromkeys(files, 0), imports))

    def started(self, native: Native, files: Iterable[str]) -> list[str]:
        """What these tests may start of all that the build makes."""
        reached = self.reached(files)
        outputs = set().union(*(to for by in native.edges for to in by.values()))
        return sorted(product for product, files in self.products(outputs).items() if files & reached)


def _imported(node: ast.AST, package: list[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = package[: len(package) - node.level + 1] if node.level else []
        module = ".".join([*base, *([node.module] if node.module else [])])
        yield module
        yield from (f"{module}.{alias.name}" for alias in node.names)


def python_tests(modules: Modules, changed: list[str], products: dict[str, set[str]]) -> Distances:
    """The files of tests that the change can affect, with their distance; `products` is what the build makes anew."""
    start = dict.fromkeys((c for c in changed if c in modules.files), 0)
    starting = dict.fromkeys(set().union(*products.values()), LINKED)
    started = spread(starting, modules.importers, most=2 * LINKED)
    found = started | spread(start, modules.importers)
    names = words_of_all(changed)
    return {
        file: rank(distance, names, file)
        for file, distance in found.items()
        if file.startswith("tests/python/") and Path(file).name.startswith("test_")
    }
