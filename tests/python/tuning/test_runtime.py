"""The OpenMP runtime and the profile of the machine: when it is read, and what is said of it."""

import subprocess
from pathlib import Path

import pytest

from weir.base import native
from weir.tuning import profile_file
from weir.tuning.judging import Finding
from weir.tuning.plan import Team
from weir.tuning.profile_file import Section

from .. import skips

pytestmark = skips.mark("own", "other runtimes read no profile")

PROGRAM = """
#include <omp.h>
int main(int count, char **words) {
  int members = 0;
  #pragma omp parallel num_threads(2) if (count > 1)
  {
    #pragma omp atomic
    members++;
    #pragma omp barrier
  }
  return members != (count > 1 ? 2 : 1);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("profiled") / "program"
    subprocess.run(["gcc", "-O1", "-fopenmp", "-xc", "-", "-o", made], input=PROGRAM, text=True, check=True)
    return made


def says(program: Path, environment: dict[str, str], *words: str) -> str:
    done = subprocess.run([program, *words], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Of this machine."""
    path = tmp_path / "config" / "weir" / "profile"
    here = native.ask("weir-info")["signature"]
    profile_file.write(path, Section(here, 1, "2026-11-25", False, "it", [Finding(Team(2, False), "sense", 1.0)]))
    return path


def looking_in(environment: dict[str, str], config: Path) -> dict[str, str]:
    plain = {name: value for name, value in environment.items() if name != "WEIR_PROFILE"}
    return plain | {"XDG_CONFIG_HOME": str(config), "HOME": "/nonexistent"}


def test_it_is_read_by_the_first_team_and_damage_is_said(environment: dict[str, str], program: Path, profile: Path):
    profile.write_text("garbage")
    around = looking_in(environment, profile.parents[1])
    assert says(program, around) == "", "a program without a team does not read it"
    said = says(program, around, "a", "team")
    assert said == f"weir: the profile {profile} is not used: line 1: expected weir profile 1: this is no profile; " \
                   "weir tune writes a new one\n"  # fmt: skip
    assert says(program, around | {"WEIR_PROFILE": "none"}, "a", "team") == ""


def test_one_of_another_machine_is_said_where_it_is_asked_for(
    environment: dict[str, str], program: Path, profile: Path
):
    profile.write_text(profile.read_text().replace("machine ", "machine 7"))
    around = looking_in(environment, profile.parents[1])
    assert says(program, around, "a", "team") == ""
    words = f"the profile {profile} is not used: it is of a machine with 7"
    assert words in says(program, around | {"WEIR_PROFILE": str(profile)}, "a", "team")
    assert words in says(program, around | {"WEIR_EXPLAIN": "true"}, "a", "team")
    assert words in says(program, around | {"OMP_DISPLAY_ENV": "verbose"})


def test_the_one_in_use_is_shown(environment: dict[str, str], program: Path, profile: Path):
    around = looking_in(environment, profile.parents[1])
    assert says(program, around, "a", "team") == ""
    words = f"{profile}, measured on 2026-11-25 for "
    assert f"the profile {words}" in says(program, around | {"WEIR_EXPLAIN": "true"}, "a", "team")
    assert f"WEIR_PROFILE='{words}" in says(program, around | {"OMP_DISPLAY_ENV": "verbose"})
