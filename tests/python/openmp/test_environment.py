"""What the environment asks of Weir's OpenMP runtime, acted upon: seen in programs of tests/openmp/programs."""

import pytest

from weir.base import native

from .. import skips
from ..openmp_programs import C_COMPILERS, Builds, program, runs_ok, say

pytestmark = skips.mark("own", "what they make of it is theirs")


@pytest.mark.parametrize("where", ["sockets", "threads", "threads(1)"])
@pytest.mark.parametrize("name", ["barriers.c", "forks.c", "hosts.c", "nests.c", "reductions.c", "thread_ends.cpp"])
def test_threads_are_bound_and_shown(environment: dict[str, str], builds: Builds, name: str, where: str):
    bound = {"OMP_PLACES": where, "OMP_PROC_BIND": "spread,close", "OMP_DISPLAY_AFFINITY": "true"}
    told = runs_ok(builds.get(program(name, "gcc")), environment | bound, 4)
    assert "level 1 thread 0 of" in told


HALVED = native.barriers("halves")


@pytest.mark.parametrize("name", ["regions.c", "nests.c", "reductions.c", "sizes.c"])
@pytest.mark.parametrize("barrier", HALVED)
def test_barriers_by_name(environment: dict[str, str], builds: Builds, barrier: str, name: str):
    names = {f"WEIR_{half}BARRIER": barrier for half in ("", "FORK_", "JOIN_", "REDUCTION_")}
    for size in (2, 7):
        runs_ok(builds.get(program(name, C_COMPILERS[-1])), environment | names, size)


WAITS = [
    {"OMP_WAIT_POLICY": "active"},
    {"OMP_WAIT_POLICY": "passive"},
    {"KMP_BLOCKTIME": "0"},
    {"GOMP_SPINCOUNT": "10"},
]


@pytest.mark.parametrize("wait", WAITS, ids=lambda wait: "-".join(next(iter(wait.items()))))
def test_waits(environment: dict[str, str], builds: Builds, wait: dict[str, str]):
    for name in ("regions.c", "reductions.c", "barriers.c"):
        runs_ok(builds.get(program(name, "gcc")), environment | wait, 3)


def test_a_forked_process_has_all_the_threads_that_its_limit_grants(environment: dict[str, str], builds: Builds):
    runs_ok(builds.get(program("forks.c", "gcc")), environment | {"OMP_THREAD_LIMIT": "4"}, 4)


def test_regions_as_compiled_before_gcc_4_9_share_a_limit(environment: dict[str, str], builds: Builds):
    runs_ok(builds.get(program("gomp_before_4_9.c", "gcc")), environment | {"OMP_THREAD_LIMIT": "3"}, 3)


def test_target_constructs_end_the_program_where_a_device_is_mandatory(environment: dict[str, str], builds: Builds):
    built = builds.get(program("target.c", "gcc"))
    status, said, _ = say(built, environment | {"OMP_TARGET_OFFLOAD": "mandatory"}, 2)
    assert status == 1 and "OMP_TARGET_OFFLOAD is mandatory" in said


def test_the_host_may_be_named_where_a_device_is_mandatory(environment: dict[str, str], builds: Builds):
    runs_ok(builds.get(program("gomp_host_named.c", "gcc")), environment | {"OMP_TARGET_OFFLOAD": "mandatory"}, 2)


def test_the_default_allocator_is_the_environments(environment: dict[str, str], builds: Builds):
    runs_ok(builds.get(program("allocators.c", "gcc")), environment | {"OMP_ALLOCATOR": "omp_large_cap_mem_alloc"}, 2)


@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_an_allocator_of_the_environment_has_its_traits(environment: dict[str, str], builds: Builds, compiler: str):
    said = "omp_default_mem_space:alignment=512,pool_size=1000,fallback=null_fb"
    runs_ok(builds.get(program("default_allocator.c", compiler)), environment | {"OMP_ALLOCATOR": said}, 2)


@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_leagues_are_as_the_environment_says(environment: dict[str, str], builds: Builds, compiler: str):
    wanted = {"OMP_NUM_TEAMS": "3", "OMP_TEAMS_THREAD_LIMIT": "2"}
    runs_ok(builds.get(program("default_league.c", compiler)), environment | wanted, 4)
