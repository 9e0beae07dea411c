"""Programs that are compared."""

import subprocess
from pathlib import Path

import pytest

from ..openmp_programs import CLANG

# It does what is asked for on one of the runtimes: `program WHERE WHAT`.
PROGRAM = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
  int members = 0;
#pragma omp parallel reduction(+ : members)
  members++;
  const char *preloaded = getenv("LD_PRELOAD"), *what = count > 2 ? words[2] : "";
  int on_weir = preloaded != NULL && strstr(preloaded, "libgomp-weir") != NULL;
  int here = count > 1 && (strcmp(words[1], on_weir ? "weir" : "own") == 0 || strcmp(words[1], "both") == 0);
  printf("%d members\\n", members);
  if (here && strcmp(what, "sleep") == 0) usleep(300000);
  if (here && strcmp(what, "print") == 0) printf("and this\\n");
  if (here && strcmp(what, "number") == 0) printf("%d\\n", (int)getpid());
  if (here && strcmp(what, "complain") == 0) fprintf(stderr, "no\\n");
  if (here && strcmp(what, "crash") == 0) abort();
  if (here && strcmp(what, "hang") == 0) for (;;) pause();
  if (here && strcmp(what, "fail") == 0) { fprintf(stderr, "out of luck\\n"); return 3; }
  return 0;
}
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("compared")
    (folder / "program.c").write_text(PROGRAM)
    made = {}
    for name, words in {"gcc": ["gcc", "-fopenmp"], "clang": [f"clang-{CLANG}", "-fopenmp=libomp"]}.items():
        made[name] = folder / f"program-{name}"
        subprocess.run([*words, "-O1", folder / "program.c", "-o", made[name]], check=True)
    return made
