"""What weir doctor answers, of made-up samples."""

from pathlib import Path

import pytest

from weir.doctor import judging, telling
from weir.doctor.groups import Quota, Throttled
from weir.doctor.judging import Evidence
from weir.doctor.pools import Pool, Program, pools
from weir.doctor.sampling import Ran, Sample, Seen
from weir.doctor.telling import Told
from weir.doctor.watching import Watched

NOWHERE = Path("/no/such/file")


def loaded(*files: str) -> tuple[Pool, ...]:
    return tuple(pools((file, NOWHERE) for file in files))


def ran(count: int, cpu_s: float, ready_s: float | None = 0.0) -> tuple[Ran, ...]:
    return (Ran("team", cpu_s, ready_s, 3, 4),) * count


def sample(
    threads: tuple[Ran, ...], *files: str, seconds: float = 1.0, processors: int = 2, quota: float | None = None,
    throttled: Throttled | None = None, program: Program | None = None, ended: bool = False, foreign_s: float = 0.0,
) -> Sample:  # fmt: skip
    live, executable = len(threads), program or Program()
    process = Seen(10, "team", "/bin/team", ("./team",), threads, live, loaded(*files), executable, {})
    limit = Quota(quota, "cpu.max") if quota else None
    places = frozenset(range(processors))
    return Sample(seconds, (process,), len(threads), places, limit, throttled, foreign_s, 0.0, ended=ended)


CROWDED, ROOMY, IDLE = ran(8, 0.25, 0.75), ran(2, 0.95, 0.01), ran(8, 0.001)


@pytest.mark.parametrize(
    ("found", "answer", "says"),
    [
        (sample(CROWDED, "libgomp.so.1"), "try", "8 busy threads, more than the 2 processors"),
        (sample(CROWDED, "libgomp.so.1"), "try", "waited 75% of the time"),
        (sample(ran(8, 0.25, None), "libgomp.so.1"), "try", "does not count how long threads wait"),
        (sample(ran(2, 0.5, 0.5), "libomp.so.5", foreign_s=1.0), "try", "other programs kept 1.0"),
        (sample(ran(2, 0.5), "libomp.so.5", quota=1.0, throttled=Throttled(10, 9, 1.0)), "try", "in 90% of its"),
        (sample(ROOMY, "libgomp.so.1"), "not needed", "no more than the 2 processors"),
        (sample(ran(1, 1.0), "libgomp.so.1"), "not needed", "one thread alone"),
        (sample(IDLE, "libgomp.so.1"), "unclear", "too little to judge"),
        (sample(CROWDED, "libgomp.so.1", seconds=0.1), "unclear", "too short to judge"),
        (sample(CROWDED, "libgomp-weir.so", "libgomp.so.1"), "already", "uses Weir already"),
        (sample(CROWDED), "cannot help", "no OpenMP runtime is loaded so far"),
        (sample(CROWDED, "libopenblas.so.0", ended=True), "cannot help", "OpenBLAS"),
        (sample(IDLE), "unclear", "No OpenMP runtime is loaded"),
        (sample(CROWDED, "libjvm.so"), "cannot help", "Java"),
        (sample(CROWDED, "libjvm.so", "libgomp.so.1"), "try", "libgomp"),
        (sample(CROWDED, program=Program(go=True, static=True)), "cannot help", "Go"),
        (sample(CROWDED, program=Program(static=True)), "cannot help", "statically linked"),
        (sample(CROWDED, program=Program(static=True, openmp_inside=True)), "cannot help", "with its OpenMP runtime"),
        (sample(CROWDED, program=Program(openmp_inside=True)), "cannot help", "holds an OpenMP runtime"),
        (sample(CROWDED, "libmpi.so.40"), "try", "Weir's MPI_Barrier"),
        (sample(ROOMY, "libmpi.so.40"), "not needed", "Weir's MPI_Barrier"),
        (sample(CROWDED, "libgomp.so.1", "libopenblas.so.0"), "try", "not those of OpenBLAS"),
    ],
)
def test_the_answer_follows_the_evidence(found: Sample, answer: str, says: str):
    verdict = judging.judged(found, ("./team", "a b"), started=False, number=10)
    assert verdict.answer == answer, verdict
    assert says in " ".join(verdict.sentences)


@pytest.mark.parametrize(
    ("found", "commands"),
    [
        (
            sample(CROWDED, "libgomp.so.1"),
            ["weir run --compare -- ./team 'a b'", "weir run -- ./team 'a b'", "OMP_NUM_THREADS=2 ./team 'a b'"],
        ),
        (sample(CROWDED, "libopenblas.so.0", quota=0.5), ["OPENBLAS_NUM_THREADS=1 ./team 'a b'"]),
        (sample(CROWDED, program=Program(go=True)), ["GOMAXPROCS=2 ./team 'a b'"]),
        (sample(ROOMY, "libgomp.so.1"), []),
        (sample(IDLE, "libgomp.so.1"), ["weir doctor --seconds 10 10"]),
    ],
)
def test_commands_can_be_copied(found: Sample, commands: list[str]):
    assert list(judging.judged(found, ("./team", "a b"), started=False, number=10).commands) == commands


def test_a_program_that_was_too_short_is_watched_again_by_its_words():
    verdict = judging.judged(sample(CROWDED, seconds=0.1, ended=True), ("./team", "x"), started=True, number=10)
    assert verdict.commands == ("weir doctor --seconds 10 -- ./team x",)


def test_nothing_seen_is_no_evidence():
    empty = Sample(0.0, (), 0, frozenset(), None, None, 0.0, 0.0, ended=True)
    verdict = judging.judged(empty, ("./team",), started=True, number=10)
    assert verdict.answer == "unclear" and "before it could be looked at" in verdict.sentences[0]


def test_words_of_weir_run_are_taken_off():
    words = ("/usr/bin/weir", "run", "--barrier", "mcs", "--", "./team", "--", "x")
    verdict = judging.judged(sample(CROWDED, "libgomp-weir.so"), words, started=True, number=10)
    assert verdict.commands[0] == "weir run --compare -- ./team -- x"


def test_a_first_word_that_leads_nowhere_is_replaced(tmp_path: Path):
    (tmp_path / "team").touch()

    def command(*words: str) -> tuple[str, ...]:
        return judging.command(Seen(1, "t", "/bin/t", words, (), 0, (), Program(), None), str(tmp_path))

    assert command("sh", "-c") == ("sh", "-c") and command("./team") == ("./team",)
    assert command("-bash", "x") == ("/bin/t", "x") and command() == ("/bin/t",)


def told(found: Sample, **how: object) -> Told:
    watched = Watched(found, False, **how)
    return Told(watched, Evidence(found), judging.judged(found, ("./team",), True, 10))


def test_how_it_ended_is_told():
    found = sample(CROWDED, "libgomp.so.1")
    assert telling.notes(told(found, status=3).watched) == ["The program ended with status 3."]
    assert telling.notes(told(found, status=-11).watched) == ["The program was ended by signal 11."]
    assert "ended the program after 1.0 s" in telling.notes(told(found, status=-15, late=True).watched)[0]


def test_tables_have_the_figures():
    rows = telling.rows(told(sample(CROWDED, "libgomp.so.1", quota=1.5, throttled=Throttled(10, 5, 2.0))))
    assert rows["held back"] == "5 of 10 periods, 2.00 s in all" and "CPU quota of 1.5" in rows["may run on"]
    assert rows["by name"] == "8 × team" and rows["computed"] == "2.00 s, 2.00 processors"
    assert rows["switches"] == "24 voluntary and 32 involuntary a second"
