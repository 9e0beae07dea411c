"""Random graphs of tasks compute what their execution in the order of generation computes.

tests/openmp/graphs.c executes them, many in one process, each with teams of 1, 2, 4 and 8 members.
"""

import select
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .. import skips
from ..openmp_programs import C_COMPILERS, SOURCES, Builds, Program
from .test_threadsanitizer import refusal

pytestmark = skips.mark("own", "libgomp 12 lacks two kinds of dependence, libomp some orders of detached tasks")

GRAPHS = SOURCES.parent / "graphs.c"
MOST_TASKS, DEPTH = 200, 3
PATIENCE_S, LESS_S = 200, 2  # with the first graph that deadlocks, and while it is shrunk
# As graphs.c names them.
IN, OUT, INOUT, IN_OUT_SET, MUTEX_IN_OUT_SET = KINDS = range(5)
TASK, TASKWAIT, TASKWAIT_DEPEND, TASKWAIT_NOWAIT, TASKGROUP, TASKYIELD = range(6)
UNDEFERRED, FINAL, UNTIED, DETACHED, ALL_MEMORY, BY_OBJECTS, PLAIN = (1 << bit for bit in range(7))

Body = tuple["Item", ...]


@dataclass(frozen=True)
class Item:
    """A task, or a directive between tasks."""

    kind: int
    flags: int = 0
    priority: int = 0
    delay: int = 0
    depend: tuple[tuple[int, int], ...] = ()  # kinds and objects
    inside: Body = ()

    def tasks(self) -> int:
        return (self.kind == TASK) + tasks(self.inside)

    def numbers(self) -> Iterator[int]:
        yield self.kind
        if self.kind == TASK:
            yield from (self.flags, self.priority, self.delay)
        if self.kind in (TASK, TASKWAIT_DEPEND, TASKWAIT_NOWAIT):
            yield len(self.depend)
            for one in self.depend:
                yield from one
        if self.kind in (TASK, TASKGROUP):
            yield from numbers(self.inside)


def tasks(body: Body) -> int:
    return sum(item.tasks() for item in body)


def numbers(body: Body) -> Iterator[int]:
    yield len(body)
    for item in body:
        yield from item.numbers()


# ---- graphs

objects = st.integers(0, 3)


def dependences(*kinds: int, least: int = 0) -> st.SearchStrategy[tuple[tuple[int, int], ...]]:
    return st.lists(st.tuples(st.sampled_from(kinds), objects), min_size=least, max_size=5).map(tuple)


def of_tasks(inside: st.SearchStrategy[Body]) -> st.SearchStrategy[Item]:
    def task(flags: st.SearchStrategy[int], depend: st.SearchStrategy, below: st.SearchStrategy[Body] = inside):
        times = st.integers(0, 3), st.sampled_from((0, 0, 1, 2, 3, 7, 15, 40))
        return st.builds(Item, st.just(TASK), flags, *times, depend, below)

    def some_of(*flags: int) -> st.SearchStrategy[int]:
        return st.sets(st.sampled_from(flags)).map(sum)

    how = some_of(UNDEFERRED, FINAL, UNTIED, DETACHED, BY_OBJECTS)
    plain = st.tuples(objects, objects).map(lambda two: ((IN, two[0]), (INOUT, two[1])))
    one = dependences(*KINDS, least=1).map(lambda some: some[:1])
    return st.one_of(
        task(st.just(0), one, st.just(())),  # the most frequent
        task(st.sampled_from((0, PLAIN)), plain, st.just(())),
        task(some_of(UNDEFERRED, DETACHED).map(PLAIN.__or__), plain),
        task(how, dependences(*KINDS)),
        task(st.just(0), dependences(MUTEX_IN_OUT_SET, least=2), st.just(())),
        task(how, dependences(MUTEX_IN_OUT_SET, MUTEX_IN_OUT_SET, OUT)),
        task(how, dependences(IN_OUT_SET, MUTEX_IN_OUT_SET, IN)),
        task(st.sampled_from((ALL_MEMORY, ALL_MEMORY | UNDEFERRED)), st.just(())),
    )


def directives(inside: st.SearchStrategy[Body]) -> st.SearchStrategy[Item]:
    return st.one_of(
        st.builds(Item, st.just(TASKWAIT_DEPEND), depend=dependences(IN, INOUT, least=1)),
        st.builds(Item, st.sampled_from((TASKWAIT, TASKYIELD))),
        st.builds(Item, st.just(TASKWAIT_NOWAIT), depend=dependences(IN, INOUT, least=1)),
        st.builds(Item, st.just(TASKGROUP), inside=inside),
    )


def bodies(depth: int) -> st.SearchStrategy[Body]:
    if depth == 0:
        return st.just(())
    inside = st.one_of(st.just(()), bodies(depth - 1))
    item = st.one_of(of_tasks(inside), of_tasks(inside), of_tasks(inside), directives(bodies(depth - 1)))
    some = st.lists(item, max_size=4)
    return (some if depth < DEPTH else st.one_of(some, st.lists(item, min_size=8, max_size=50))).map(tuple)


graphs = bodies(DEPTH).filter(lambda body: tasks(body) <= MOST_TASKS)


# ---- their execution


class Executor:
    """The process, begun again where it has ended or does not end."""

    def __init__(self, words: list, environment: dict[str, str]) -> None:
        self._words, self._environment = words, environment
        self._process: subprocess.Popen[str] | None = None
        self._patience_s = PATIENCE_S

    def answer(self, graph: Body, repetitions: int, by_all: bool) -> str:
        if self._process is None:
            pipe = subprocess.PIPE
            both = {"stdout": pipe, "stderr": subprocess.STDOUT}
            self._process = subprocess.Popen(
                self._words, env=self._environment, stdin=pipe, **both, text=True, bufsize=1
            )
        line = (repetitions, int(by_all), *numbers(graph))
        self._process.stdin.write(" ".join(map(str, line)) + "\n")
        said = ""
        while not said.endswith(("ok\n", "wrong\n")):
            if not select.select([self._process.stdout], [], [], self._patience_s)[0]:
                said += f"no answer within {self._patience_s} s"
                self._patience_s = LESS_S
                break
            line = self._process.stdout.readline()
            if not line:
                break
            said += line
        else:
            return said
        self.close()
        return said

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def check(executor: Executor, examples: int, repetitions: int) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(graphs, st.booleans())
    def as_if_in_order(graph: Body, by_all: bool):
        said = executor.answer(graph, repetitions, by_all)
        assert said == "ok\n", said

    try:
        as_if_in_order()
    finally:
        executor.close()


@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_graphs(environment: dict[str, str], builds: Builds, compiler: str):
    program = builds.get(Program(GRAPHS, compiler))
    check(Executor([program], environment | {"OMP_MAX_TASK_PRIORITY": "2"}), 150, 4)


@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_graphs_are_free_of_races(environment: dict[str, str], builds: Builds, compiler: str):
    assert not (why := refusal(compiler)), why
    program = builds.get(Program(GRAPHS, compiler, watched=True))
    check(Executor([program], environment | {"TSAN_OPTIONS": "halt_on_error=1:atexit_sleep_ms=0"}), 40, 1)
