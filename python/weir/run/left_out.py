"""What Weir's OpenMP runtime leaves out, by name: OpenACC, and OpenMP 6.0."""

import re

from weir.run.elf import Symbol

OPENACC, OPENMP_6 = "OpenACC", "OpenMP 6.0"

# Others may call their functions acc_*, too; GCC's OpenACC is asked for in a version of its own.
OF_OPENACC = re.compile(r"GOACC_")
VERSION_OF_OPENACC = re.compile(r"G?OACC_")
VERSION_OF_6 = re.compile(r"G?OMP_6\.")
# The routines that OpenMP 6.0 adds [OpenMP 6.0, appendix B.2], in C and Fortran; and what Clang's code calls for
# taskgraph, whose interface is still changing.
ROUTINES_OF_6 = re.compile(
    r"""omp_(
    (init | destroy)_mempartition(er)? | mempartition_(set_part | get_user_data)
  )(_(8_)?)?
  | __kmpc_(taskgraph\w* | (start | end)_record_task)""",
    re.VERBOSE,
)


def standard(symbol: Symbol) -> str | None:
    """The one that the function is of, if Weir leaves it out."""
    if OF_OPENACC.match(symbol.name) or VERSION_OF_OPENACC.match(symbol.version):
        return OPENACC
    if ROUTINES_OF_6.fullmatch(symbol.name) or VERSION_OF_6.match(symbol.version):
        return OPENMP_6
    return None
