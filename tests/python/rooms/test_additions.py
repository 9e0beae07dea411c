"""One place for each addition: a function or a class, and one row of a table; everything else asks the table.

The test adds one of each in a copy of the sources, builds the little that the tables are compiled into, without
optimisation, and asks the programs what they know. Of charts it adds one for each subject, and asks `weir report`.
"""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from weir.base import native
from weir.profile import pricing
from weir.profile.counting import Directive

from ..report.conftest import MEASURED, openmp_rows, scale_rows, write

ROOT = Path(__file__).parents[3]
BUILT = ROOT / "build"
SOURCES = ("include", "src", "bench", "tests/barriers", "tests/contract.hpp", "python/weir")
CACHES = "__pycache__"


@dataclass(frozen=True)
class Place:
    """Before `anchor`, of which the file has one, comes `text`."""

    path: str
    anchor: str
    text: str

    def put(self, tree: Path) -> None:
        said = (tree / self.path).read_text()
        assert said.count(self.anchor) == 1, f"{self.path} has not one {self.anchor!r}"
        (tree / self.path).write_text(said.replace(self.anchor, self.text + self.anchor))


@dataclass(frozen=True)
class Addition:
    function: Place
    row: Place


# A chain: each participant signals the next, and the last one's signal comes back. Its path grows with P.
PLAN = Addition(
    Place(
        "include/weir/barriers/plans.hpp",
        "struct entry {",
        """/// Participants signal along a chain and back.
inline plan chain(unsigned participants) {
  plan p;
  p.name = "chain";
  p.halves = true;
  p.scripts.resize(participants);
  const auto connect = [&p](auto half, unsigned from, unsigned to) {
    const std::uint32_t slot = p.add_slot();
    (p.scripts[from].*half).push_back({step::action::signal, slot});
    (p.scripts[to].*half).push_back({step::action::await, slot});
  };
  for (unsigned i = participants - 1; i > 0; --i) connect(&plan::script::arrival, i, i - 1);
  for (unsigned i = 1; i < participants; ++i) connect(&plan::script::release, i - 1, i);
  return p;
}

""",
    ),
    Place(
        "include/weir/barriers/plans.hpp",
        '    {"dissemination"',
        '    {"chain", "along a chain and back", false, [](unsigned n, const shape&) { return chain(n); }},\n',
    ),
)
CENTRAL = Addition(
    Place(
        "include/weir/barriers/sense.hpp",
        "}  // namespace weir::barriers",
        """template <class Machine, template <class> class Waiting>
class sense_again : public sense<Machine, Waiting> {
 public:
  static constexpr barrier_properties properties{.name = "sense-again", .about = "a flag, once more"};
  using sense<Machine, Waiting>::sense;
};

""",
    ),
    Place(
        "src/barriers/registry.hpp", "        plain<barriers::condvar>()", "        plain<barriers::sense_again>(),\n"
    ),
)
POLICY = Addition(
    Place(
        "include/weir/waiting.hpp",
        "template <class Machine>\nclass automatic;",
        """template <class Machine>
class relax : public detail::policy<Machine, relax<Machine>> {
 public:
  static constexpr const char* name = "relax";
  static constexpr const char* about = "yield between polls from the first";
  static constexpr bool sleeps = false;
  explicit relax(const team&) {}

  template <class Word, class Ready>
  bool poll(unsigned, const Word& word, Ready ready, co_located) {
    Machine::yield_until(word, ready);
    return true;
  }
};

""",
    ),
    Place("include/weir/waiting.hpp", "share>;", "relax, "),
)
PEER = Addition(
    Place(
        "bench/barriers/subjects_standard.cpp",
        "}  // namespace\n\nvoid add_standard",
        """std::unique_ptr<subject> nobody(const setting&, const description&) {
  return make_subject([](unsigned) {});
}

""",
    ),
    Place(
        "bench/barriers/subjects_standard.cpp",
        '  entries.push_back({{"peer:boost',
        '  entries.push_back({{"peer:nobody", "peer", "nobody", "own", "1"}, nobody});\n',
    ),
)
CONSTRUCT = Addition(
    Place(
        "bench/openmp/synchronisation.c",
        "static const struct construct constructs[]",
        """static void twice(long count, long unused) {
  barrier(2 * count, unused);
}

""",
    ),
    Place("bench/openmp/synchronisation.c", '    {"single",', '    {"twice", WORK_OF_EACH, NO_PARAMETER, twice},\n'),
)


def chart(subject: str, comment: str, row: str, first_row: str, drawn: str) -> Addition:
    function = f"""def _added(found):
    return [Chart("added-{subject}", "Added", charts.{drawn}(found), "")]


"""
    section = f"python/weir/{subject}/section.py"
    return Addition(Place(section, comment, function), Place(section, f"    {first_row},\n", f"    {row},\n"))


LOAD = "# Under which load, and what draws"
CHARTS = {
    "barriers": chart("barriers", LOAD, '("none", _added)', '("none", _overview)', "by_team_size"),
    "openmp": chart("openmp", LOAD, '("none", _added)', '("none", _synchronisation)', "by_construct"),
    "mpi": chart("mpi", "# What draws", "_added", "_of_threads", "by_members"),
    "scale": chart("scale", "# What draws", "_added", "_against_ranks", "against_ranks"),
}
ADDITIONS = {
    "plan": PLAN,
    "barrier with a central word": CENTRAL,
    "waiting policy": POLICY,
    "peer": PEER,
    "construct": CONSTRUCT,
    **{f"chart of {subject}": addition for subject, addition in CHARTS.items()},
}

# What a user of the simulator writes.
SCENARIO = """about = "what was added"
machine = "power4-32"
processors = 2
[[application]]
members = 2
barrier = "{barrier}"
waiting = "{waiting}"
barriers = 3
warmup = 0
compute_us = 1
"""
# weir-measure without its protocol: the names of all subjects, each passed by a team of one.
SUBJECTS = """#include "subject.hpp"
#include <cstdio>
int main() {
  bench::catalogue all;
  bench::add_weir(all);
  bench::add_standard(all);
  for (const auto& e : all) {
    e.make({1, {0}, false}, e.about)->run(0, 3, bench::delay(0));
    std::puts(e.about.id.c_str());
  }
}
"""


def ended(*words: object, cwd: Path | None = None, said: str = "") -> str:
    done = subprocess.run([str(w) for w in words], cwd=cwd, input=said, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, f"{words[0]} ... {words[-1]}: {done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("additions")
    for name in SOURCES:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns(CACHES))
        else:
            shutil.copy(ROOT / name, tree / name)
    for addition in ADDITIONS.values():
        addition.function.put(tree)
        addition.row.put(tree)
    return tree


class Built:
    """Programs of the tree. What the tables are not compiled into is taken from the build."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        (tree / "subjects.cpp").write_text(SUBJECTS)
        sources = {
            "src/barriers/plans.cpp": [],
            "src/barriers/team_barrier.cpp": [],
            "bench/machine/info.cpp": ['-DWEIR_VERSION="0"', '-DWEIR_COMPILER="none"'],
            "src/simulator/weir_simulate.cpp": [],
            "src/simulator/run.cpp": [],
            "src/simulator/scenario.cpp": [],
            "tests/barriers/plan_test.cpp": [],
            "subjects.cpp": [],
            "bench/barriers/subjects_weir.cpp": ['-DWEIR_VERSION="0"'],
            "bench/barriers/subjects_standard.cpp": [],
            "bench/machine/delay.cpp": [],
        }
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as several:
            list(several.map(self._compiled, sources, sources.values()))
        simulator = [BUILT / f"src/simulator/libweir-{name}.a" for name in ("simulator", "fiber")]
        node = (BUILT / "src/CMakeFiles/weir-node.dir/node").glob("*.o")
        self.info = self._linked("info", "machine/info", [], *node, "-lhwloc")
        self.proof = self._linked("proof", "barriers/plan_test", [], "-lgtest_main", "-lgtest")
        weir_measure = ["barriers/subjects_weir", "barriers/subjects_standard", "machine/delay"]
        self.subjects = self._linked("list", "subjects", weir_measure, "-lboost_thread")
        weir_simulate = ["simulator/run", "simulator/scenario"]
        self.simulate = self._linked(
            "simulate", "simulator/weir_simulate", weir_simulate, *simulator, "-lboost_context"
        )
        self.suite = tree / "suite"
        parts = (
            "suite",
            "reference",
            "constructs",
            "synchronisation",
            "exclusion",
            "schedules",
            "tasks",
            "programs",
            "tiles",
            "data",
            "team",
            "delay",
        )
        suite = [tree / f"bench/openmp/{part}.c" for part in parts]
        ended("gcc", "-std=gnu11", "-w", "-fopenmp", *suite, "-o", self.suite, "-ldl", "-lm")

    def _object(self, source: str) -> Path:
        return self.tree / f"{Path(source).parent.name}-{Path(source).stem}.o"

    def _compiled(self, source: str, options: list[str]) -> None:
        folders = [f"-I{self.tree / name}" for name in ("include", "src", "src/simulator", "bench/barriers")]
        ended(
            "c++", "-std=c++20", "-O0", "-w", *folders, *options, "-c", self.tree / source, "-o", self._object(source)
        )

    def _linked(self, program: str, main: str, more: list[str], *libraries: object) -> Path:
        parts = [main, *more, "barriers/team_barrier", "barriers/plans"]
        objects = [self._object(f"{part}.cpp") for part in parts]
        library = BUILT / "src/libweir.a"
        # Several sources of the simulator are one object of the archive. The tree's own objects replace it.
        first = "-Wl,-z,muldefs"
        ended("c++", first, *objects, *libraries, library, "-pthread", "-o", self.tree / program)
        return self.tree / program


@pytest.fixture(scope="module")
def built(tree: Path) -> Built:
    assert (BUILT / "src/libweir.a").is_file(), "the library is not built: make build"
    return Built(tree)


def test_each_addition_is_one_function_and_one_row(tree: Path):
    """The tests below show that nothing else had to be touched."""
    touched = 0
    for name in SOURCES:
        for path in [ROOT / name, *(ROOT / name).rglob("*")]:
            copy = tree / path.relative_to(ROOT)
            if path.is_file() and path.parent.name != CACHES and path.read_bytes() != copy.read_bytes():
                before, after = path.read_text().splitlines(), copy.read_text().splitlines()
                changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
                touched += sum(change[0] != "equal" for change in changes)
    assert touched == 2 * len(ADDITIONS)


def test_weir_info_knows_the_barriers_and_the_policy(built: Built):
    said = json.loads(ended(built.info))
    barriers = {a["name"]: a for a in said["algorithms"]}
    chain = barriers["chain"]
    assert chain["about"] == "along a chain and back" and chain["halves"] and chain["by_messages"]
    assert not chain["logarithmic"] and chain["critical_path"] == {"2": 2, "8": 14, "64": 126, "1024": 2046}
    assert barriers["sense-again"]["critical_path"] is None and not barriers["sense-again"]["by_messages"]
    assert {"name": "relax", "about": "yield between polls from the first"} in said["waitings"]


def test_the_proof_tests_take_the_plan(built: Built):
    said = ended(built.proof, "--gtest_filter=*chain*:CriticalPath.Grows*:Plan.*")
    assert "AreBarriers/chain" in said and "[  PASSED  ]" in said


@pytest.mark.parametrize("barrier, waiting", [("chain", "spin"), ("sense-again", "auto"), ("chain", "relax")])
def test_the_simulator_runs_them(built: Built, tmp_path: Path, barrier: str, waiting: str):
    file = tmp_path / "added.toml"
    file.write_text(SCENARIO.format(barrier=barrier, waiting=waiting))
    said = ended(built.simulate, "serve", file, ROOT / "machines", said="run 0 1\nquit\n")
    answer = json.loads(said.splitlines()[0])
    assert "error" not in answer and answer["point"] == 0, answer


def test_the_suites_list_them(built: Built):
    known = ended(built.subjects).split()
    assert {"weir:chain/auto", "weir:chain/relax", "weir:sense-again/spin", "peer:nobody"} <= set(known)
    constructs = {c["name"]: c["group"] for c in json.loads(ended(built.suite, "list"))["constructs"]}
    assert constructs["twice"] == "synchronisation"


def test_a_construct_prices_the_directive_of_its_name():
    directive = Directive(runtime="r", name="twice", threads=2)
    assert pricing.needs([directive]) == {("r", 2): {"twice"}}
    (line,) = pricing.bill({directive: 3}, {("r", "twice"): [pricing.Measured(5.0, 2, False)]})
    assert line.total_ns == 15.0


def test_python_takes_the_names_from_weir_info(built: Built, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "weir-info").symlink_to(built.info)
    monkeypatch.setenv("WEIR_NATIVE", str(tmp_path))
    assert "chain" in native.barriers("by_messages") and "sense-again" in native.barriers()


@pytest.fixture(scope="module")
def page(tree: Path) -> str:
    """A page of all subjects, drawn by the tree's `weir`."""
    made = [write(tree / "openmp.jsonl", openmp_rows()), write(tree / "scale.jsonl", scale_rows())]
    measured = [MEASURED / f"2026-11-21-{name}.jsonl" for name in ("two-processors", "mpi")]
    program = "from weir.cli import app; app()"
    subprocess.run(
        [sys.executable, "-B", "-c", program, "report", *made, *measured, "-o", tree / "page.html"],
        env=os.environ | {"PYTHONPATH": str(tree / "python")},
        check=True,
        timeout=300,
    )
    return (tree / "page.html").read_text()


@pytest.mark.parametrize("subject", CHARTS)
def test_the_page_shows_the_charts(page: str, subject: str):
    assert f'<div class="chart" id="added-{subject}">' in page and f'["added-{subject}",{{' in page
