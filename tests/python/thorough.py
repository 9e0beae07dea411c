"""What only `make test-all` runs: more of the same, such as further sizes, compilers and seeds.

A kind of contract, a regression test and a mutant belong to `make test`.
"""

import pytest

mark = pytest.mark.thorough


def more(*values: object) -> list:
    """Further values of a parametrization; several of one case are a tuple."""
    return [pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=mark) for value in values]
